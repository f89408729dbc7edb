package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/mcp"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// keys are the tokens that are good.
type keys struct {
	mu   sync.Mutex
	good map[string]ai.Preset // by token, which is "token-" and the client's name
}

func (k *keys) verify(_ context.Context, token string) (string, ai.Preset, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if token == "token-of-no-database" {
		return "", ai.Preset{}, errors.New("secret detail")
	}
	p, ok := k.good[token]
	if !ok {
		return "", ai.Preset{}, fault.Wrap(errors.New("secret detail"), fault.Auth, "secret detail")
	}
	return strings.TrimPrefix(token, "token-"), p, nil
}

func (k *keys) revoke(token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.good, token)
}

func serveHTTP(t *testing.T, e *engine) (*httptest.Server, *keys) {
	t.Helper()
	k := &keys{good: map[string]ai.Preset{"token-desk": {Name: ai.PresetAll}, "token-guest": {Name: ai.PresetReadOnly}}}
	s := mcp.New(e.options())
	web := httptest.NewServer(s.Handler(k.verify))
	t.Cleanup(func() { s.Close(); web.Close() })
	return web, k
}

// withHeaders adds headers to requests.
type withHeaders struct {
	headers map[string]string
	next    http.RoundTripper
}

func (w withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for k, v := range w.headers {
		r.Header.Set(k, v)
	}
	return w.next.RoundTrip(r)
}

func dial(t *testing.T, url, token string, standalone bool) (*sdk.ClientSession, error) {
	t.Helper()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	c := sdk.NewClient(&sdk.Implementation{Name: "operator", Version: "1"}, nil)
	cs, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, MaxRetries: -1, DisableStandaloneSSE: !standalone,
		HTTPClient: &http.Client{Transport: withHeaders{map[string]string{"Authorization": "Bearer " + token}, tr}}}, nil)
	if err == nil {
		t.Cleanup(func() { cs.Close() })
	}
	return cs, err
}

func TestHTTPSession(t *testing.T) {
	t.Parallel()
	e := &engine{}
	web, _ := serveHTTP(t, e)
	for token, want := range map[string]int{"token-desk": 5, "token-guest": 3} {
		cs, err := dial(t, web.URL, token, true)
		if err != nil {
			t.Fatal(err)
		}
		list, err := cs.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Tools) != want {
			t.Errorf("%s: %d tools, want %d", token, len(list.Tools), want)
		}
		if _, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "market_listings"}); err != nil {
			t.Error(err)
		}
		if _, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "nft_buy"}); (err == nil) != (token == "token-desk") {
			t.Errorf("%s: nft_buy: %v", token, err)
		}
		if got, want := e.begun[len(e.begun)-1].Scope, (ai.Scope{AgentID: "mcp:" + strings.TrimPrefix(token, "token-"), SessionID: cs.ID(), Source: "mcp"}); got != want {
			t.Errorf("scope %+v, want %+v: the token's name, whatever the client calls itself", got, want)
		}
	}
}

func TestHTTPRefusals(t *testing.T) {
	t.Parallel()
	web, _ := serveHTTP(t, &engine{})
	for name, tt := range map[string]struct {
		headers map[string]string
		host    string
		body    string
		status  int
	}{
		"no token":         {map[string]string{"Authorization": ""}, "", initialize, 401},
		"unknown token":    {map[string]string{"Authorization": "Bearer x"}, "", initialize, 401},
		"no database":      {map[string]string{"Authorization": "Bearer token-of-no-database"}, "", initialize, 503},
		"another scheme":   {map[string]string{"Authorization": "Basic token-desk"}, "", initialize, 401},
		"another site":     {map[string]string{"Origin": "https://evil.example"}, "", initialize, 403},
		"cross-site fetch": {map[string]string{"Sec-Fetch-Site": "cross-site"}, "", initialize, 403},
		"another name":     {nil, "evil.example", initialize, 403},
		"too much":         {nil, "", `{"jsonrpc":"2.0","id":1,"method":"ping","params":"` + strings.Repeat("x", 1<<20) + `"}`, 413},
		"unknown session":  {map[string]string{"Mcp-Session-Id": "x"}, "", initialize, 404},
		"well":             {nil, "", initialize, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			headers := map[string]string{"Authorization": "Bearer token-desk", "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
			maps.Copy(headers, tt.headers)
			for k, v := range headers {
				r.Header.Set(k, v)
			}
			if tt.host != "" {
				r.Host = tt.host
			}
			res, err := web.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			if res.StatusCode != tt.status {
				t.Errorf("got %d, want %d: %s", res.StatusCode, tt.status, body)
			}
			if tt.status == 401 {
				var doc struct{ Error, Code, Hint string }
				if err := json.Unmarshal(body, &doc); err != nil || doc.Code != string(fault.Auth) || !strings.Contains(doc.Hint, "ape-claw ai mcp token") {
					t.Errorf("got %s", body)
				}
				if !strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Bearer") {
					t.Errorf("WWW-Authenticate %q", res.Header.Get("WWW-Authenticate"))
				}
			}
			if strings.Contains(string(body), "secret detail") {
				t.Errorf("the cause is told: %s", body)
			}
		})
	}
}

func TestRevokedTokenEndsTheSession(t *testing.T) {
	t.Parallel()
	running, ended := make(chan struct{}), make(chan struct{})
	e := &engine{answer: func(ctx context.Context, _ mcp.Session, _, _ string) ai.Result {
		close(running)
		<-ctx.Done()
		close(ended)
		return ai.Result{Text: `{}`, IsError: true}
	}}
	web, k := serveHTTP(t, e)
	cs, err := dial(t, web.URL, "token-desk", true)
	if err != nil {
		t.Fatal(err)
	}
	go func() { <-running; k.revoke("token-desk") }()
	if r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "market_listings"}); err == nil && !r.IsError {
		t.Errorf("the call went on: %+v", r)
	}
	<-ended
	if _, err := cs.ListTools(t.Context(), nil); err == nil {
		t.Error("a revoked token lists tools")
	}
}

func TestSessionBelongsToItsToken(t *testing.T) {
	t.Parallel()
	e := &engine{}
	web, _ := serveHTTP(t, e)
	cs, err := dial(t, web.URL, "token-guest", false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(callLine(5, "market_listings")))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"Authorization": "Bearer token-desk", "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": cs.ID()} {
		r.Header.Set(k, v)
	}
	res, err := web.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusForbidden || len(e.said()) > 0 {
		t.Errorf("another token's session: %d, calls %q", res.StatusCode, e.said())
	}
}

func TestSessionsOfATokenShareItsLimit(t *testing.T) {
	t.Parallel()
	e := &engine{now: time.Unix(1e9, 0)}
	web, _ := serveHTTP(t, e)
	refused := 0
	for range 4 {
		cs, err := dial(t, web.URL, "token-desk", false)
		if err != nil {
			t.Fatal(err)
		}
		for range 16 {
			r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "market_listings"})
			if err != nil {
				t.Fatal(err)
			}
			if r.IsError {
				refused++
			}
		}
	}
	if refused != 4 {
		t.Errorf("%d of 64 calls were refused, want 4", refused)
	}
}

func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	web, _ := serveHTTP(t, &engine{})
	for i := range 64 {
		if _, err := dial(t, web.URL, "token-desk", false); err != nil {
			t.Fatalf("session %d: %v", i+1, err)
		}
	}
	if _, err := dial(t, web.URL, "token-desk", false); err == nil {
		t.Error("the 65th session was opened")
	}
}
