package api

// Route is a row of the table, for what is written about it.
type Route struct {
	Method, Path string
	StepUp       bool // the passphrase must have been given within the last ten minutes
}

// Routes lists what New answers, in the order of its table.
func Routes() []Route {
	out := make([]Route, 0, len(routes()))
	for _, r := range routes() {
		out = append(out, Route{r.method, "/api/ai" + r.path, r.stepUp})
	}
	return out
}
