package serve_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// failing is a network that fails in one way.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// Why no stream came is told in words that lead to what is wrong.
func TestClientTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	plain := start(t, serve.Options{Log: newMemLog("aa")})
	answering := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	refused := failing{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}}
	const startOne = "start one: ape-claw serve"
	for name, tt := range map[string]struct {
		url       string
		transport http.RoundTripper
		code      fault.Code
		words     string
		hint      string
		here      bool // to start a server is what helps
	}{
		"a proxy that asks who":     {url: answering(401, "<html>Unauthorized"), code: fault.Auth, words: "answered 401", hint: "whoever runs"},
		"a proxy that refuses":      {url: answering(403, ""), code: fault.Auth, words: "answered 403", hint: "whoever runs"},
		"JSON of another server":    {url: answering(403, `{"message":"no"}`), code: fault.Auth, words: "answered 403", hint: "whoever runs"},
		"another server":            {url: answering(418, "<html>"), code: fault.Upstream, words: "answered 418", hint: "printed"},
		"nothing here":              {url: "http://127.0.0.1:1", code: fault.Upstream, words: "nothing listens", here: true},
		"nothing here, by name":     {url: "http://localhost:1", transport: refused, code: fault.Upstream, words: "nothing listens", here: true},
		"nothing there":             {url: "http://192.0.2.7:8787", transport: refused, code: fault.Upstream, words: "nothing listens", hint: "--addr"},
		"a name of nobody":          {url: "https://claw.example", transport: failing{&net.DNSError{Err: "no such host", Name: "claw.example", IsNotFound: true}}, code: fault.Upstream, words: `no host is called "claw.example"`, hint: "check the name"},
		"no name server":            {url: "https://claw.example", transport: failing{&net.DNSError{Err: "timeout", Name: "claw.example", IsTimeout: true}}, code: fault.Upstream, words: "looked up", hint: "network"},
		"TLS to a plain port":       {url: strings.Replace(plain.url, "http://", "https://", 1), code: fault.Upstream, words: "does not speak TLS", hint: "http://"},
		"plain to a TLS port":       {url: strings.Replace(secure.URL, "https://", "http://", 1), code: fault.Upstream, words: "speaks TLS", hint: "https://"},
		"a certificate of nobody":   {url: secure.URL, code: fault.Upstream, words: "certificate", hint: "certificate"},
		"no answer":                 {url: "http://192.0.2.7:8787", transport: failing{os.ErrDeadlineExceeded}, code: fault.Upstream, words: "in time", hint: "firewall"},
		"something else from there": {url: "http://192.0.2.7:8787", transport: failing{io.ErrUnexpectedEOF}, code: fault.Upstream, words: "failed", hint: "check the address"},
	} {
		opt := serve.TailOptions{URL: tt.url, Transport: tt.transport, Backlog: 1}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, back := serve.Backlog(ctx, opt, func([]byte) error { return nil })
		for how, err := range map[string]error{
			"tail": serve.Tail(ctx, opt, func(serve.Frame) error { return nil }), "backlog": back,
		} {
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != tt.code || !strings.Contains(f.Message, tt.words) || !strings.Contains(f.Hint, tt.hint) || strings.Contains(f.Hint, startOne) != tt.here {
				t.Errorf("%s: %s: %+v", name, how, f)
			}
		}
	}
}
