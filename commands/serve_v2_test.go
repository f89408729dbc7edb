package commands

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// The routes of the contracts stand beside the others, and ask for what the events
// ask for.
func TestServedContracts(t *testing.T) {
	t.Parallel()
	w := startServed(t)
	defer w.end()
	ask := func(method, path string, header ...string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, w.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(header) == 2 {
			r.Header.Set(header[0], header[1])
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	for _, tc := range []struct {
		method, path string
		want         int
		has          string
	}{
		{"GET", "/api/v2/config", 200, `"configured":false`},
		{"GET", "/api/v2/receipt/get", 400, "traceId"},
		{"GET", "/api/v2/receipt/get?traceId=trace_1", 501, "contract_missing"},
		{"GET", "/api/v2/vault", 501, "contract_missing"},
		{"GET", "/api/v2/skills", 501, "contract_missing"},
		{"GET", "/api/v2/nothing", 404, "not_found"},
		{"POST", "/api/v2/config", 405, "usage"},
		{"DELETE", "/api/v2/receipt/get?traceId=trace_1", 405, "usage"},
	} {
		if code, body := ask(tc.method, tc.path); code != tc.want || !strings.Contains(body, tc.has) {
			t.Errorf("%s %s: %d %s", tc.method, tc.path, code, body)
		}
	}
	// A proxy's caller is not of this machine.
	if code, body := ask("GET", "/api/v2/config", "X-Forwarded-For", "203.0.113.9"); code != 401 {
		t.Errorf("from elsewhere: %d %s", code, body)
	}
}
