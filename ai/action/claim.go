package action

// CheckClaim compares what a model says with the facts of its action.
func CheckClaim(claim string, a Action) Check { return Check{} }

func rank(level string) int {
	switch level {
	case Info:
		return 1
	case Warning:
		return 2
	case Critical:
		return 3
	}
	return 0
}
