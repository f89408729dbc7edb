// Package tiny is what the test of mutate breaks.
package tiny

// Grown reports whether an age is that of a grown-up.
func Grown(age uint8) bool { return age >= 18 }

// Clamp is n, and at most limit.
func Clamp(n, limit int) int {
	if n > limit {
		n = limit
	}
	return n
}

// Sum adds what is not negative.
func Sum(of []int) (sum int) {
	for _, n := range of {
		if n < 0 {
			continue
		}
		sum += n
	}
	return sum
}

// Both is of no test.
func Both(a, b bool) bool { return a && b }

// Forever ends when it is told to.
func Forever(stop func() bool) {
	for done := false; !done; {
		done = stop()
	}
}

type answer bool

// Named needs a switch of its own type, which there is none of.
func Named(a answer) answer { return !a }
