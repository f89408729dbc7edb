package serve_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// Whom a server redirects to does not get what was meant for the server.
func TestCredentialsStayWithTheirOrigin(t *testing.T) {
	t.Parallel()
	type seen struct{ agent, token, other string }
	note := func(ch chan seen, r *http.Request) {
		select {
		case ch <- seen{r.Header.Get("X-Agent-Id"), r.Header.Get("X-Agent-Token"), r.Header.Get("X-Other")}:
		default:
		}
	}
	first, elsewhere := make(chan seen, 1), make(chan seen, 1)
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(elsewhere, r)
		http.Error(w, "no", http.StatusTeapot)
	}))
	t.Cleanup(evil.Close)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(first, r)
		http.Redirect(w, r, evil.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(s.Close)
	opt := serve.TailOptions{URL: s.URL, Credentials: serve.Credentials{AgentID: "a-1", Token: "token"},
		Header: http.Header{"X-Other": {"secret"}}}
	for name, do := range map[string]func() error{
		"tail":    func() error { return serve.Tail(t.Context(), opt, func(serve.Frame) error { return nil }) },
		"backlog": func() error { _, err := serve.Backlog(t.Context(), opt, func([]byte) error { return nil }); return err },
	} {
		if err := do(); err == nil {
			t.Errorf("%s: no error from a teapot", name)
		}
		if got := <-first; got != (seen{"a-1", "token", "secret"}) {
			t.Errorf("%s: the server got %+v", name, got)
		}
		if got := <-elsewhere; got != (seen{}) {
			t.Errorf("%s: where it redirected to got %+v", name, got)
		}
	}
}
