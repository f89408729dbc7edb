package market_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const token = "claw_0123456789abcdef-of-the-agent"

// proxied is a marketplace behind a proxy, and what the marketplace was asked.
type proxied struct {
	*api
	handler http.Handler
	logged  []string
	now     time.Time
}

// newProxied has the marketplace answer by routes; answer, if not nil, in their place.
func newProxied(t *testing.T, routes map[string]string, answer http.HandlerFunc) *proxied {
	t.Helper()
	p := &proxied{api: &api{t: t, routes: routes}, now: sampleTime}
	var upstream http.Handler = p.api
	if answer != nil {
		upstream = answer
	}
	o := options(inProcess{upstream})
	o.Clock = func() time.Time { return p.now }
	o.Pacer, o.MaxWait = nil, time.Second
	mux := http.NewServeMux()
	for pattern, h := range market.NewProxy(market.ProxyOptions{
		Client: newClient(t, o), Now: func() time.Time { return p.now },
		Agent: func(r *http.Request) string {
			if r.Header.Get("X-Agent-Token") != token {
				return ""
			}
			return r.Header.Get("X-Agent-Id")
		},
		Fail: func(w http.ResponseWriter, err error) {
			e := fault.From(err)
			status := map[fault.Code]int{fault.RateLimited: 429, fault.NotFound: 404, fault.Usage: 400, fault.PermissionDenied: 403}[e.Code]
			if status == 0 {
				status = 502
			}
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": e.Message, "code": e.Code, "hint": e.Hint, "details": e.Details}) // a recorder never fails
		},
		Log: func(route string, err error) { p.logged = append(p.logged, route+" "+fault.From(err).Message) },
	}).Mounts() {
		mux.Handle(pattern, h)
	}
	p.handler = mux
	return p
}

// client is an agent's, which asks the proxy.
func (p *proxied) client(t *testing.T, id string) *market.Client {
	t.Helper()
	o := options(inProcess{p.handler})
	o.BaseURL, o.APIKey, o.Pacer = "https://serve.example", canary, nil
	o.Agent = &market.Agent{ID: id, Token: token}
	o.MaxWait = time.Millisecond
	return newClient(t, o)
}

func (p *proxied) ask(method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("X-Agent-Id", "bot-1")
	r.Header.Set("X-Agent-Token", token)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return w
}

// An agent that asks through a proxy gets what it would get from the marketplace, and
// the marketplace is asked as its own client asks it.
func TestProxyAnswersAsTheMarketplace(t *testing.T) {
	t.Parallel()
	routes := map[string]string{
		collectionPath:                                      collectionJSON,
		listingsPath + "/nfts/3/best":                       toJSON(t, listing(t)),
		listingsPath + "/best":                              page(t, "", priced(t, 2, "9", "2000"), priced(t, 1, "10", "3000")),
		listingsPath + "/all?limit=200":                     page(t, "a&b=../c", priced(t, 1, "10", "3000")),
		listingsPath + "/all?limit=200&next=a%26b%3D..%2Fc": page(t, "", priced(t, 2, "9", "2000")),
		fulfillPath:                                         toJSON(t, sample(t, "fulfillment.json")),
	}
	p, direct := newProxied(t, routes, nil), &api{t: t, routes: routes}
	for _, ask := range []func(c *market.Client) (any, error){
		func(c *market.Client) (any, error) { return c.Collection(t.Context(), slug) },
		func(c *market.Client) (any, error) { return c.BestListing(t.Context(), slug, contract, "3") },
		func(c *market.Client) (any, error) {
			return c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
		},
		func(c *market.Client) (any, error) {
			return c.Listings(t.Context(), market.ListQuery{Slug: slug, All: true})
		},
		func(c *market.Client) (any, error) { return c.Fulfillment(t.Context(), fulfillRequest()) },
	} {
		o := options(inProcess{direct})
		o.Pacer = nil
		want, err := ask(newClient(t, o))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ask(p.client(t, "bot-1"))
		if err != nil {
			t.Fatal(err)
		}
		if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
			t.Errorf("got  %s\nwant %s", g, w)
		}
	}
	if got, want := strings.Join(p.asked, "\n"), strings.Join(direct.asked, "\n"); got != want {
		t.Errorf("asked\n%s\nwant\n%s", got, want)
	}
	if got, want := strings.Join(p.bodies, "\n"), strings.Join(direct.bodies, "\n"); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
}

// What an agent asks for reaches the marketplace only in the form that a client of ours
// gives it.
func TestProxyRefusals(t *testing.T) {
	t.Parallel()
	fulfil := func(edit string, value any) string {
		return toJSON(t, doc{"listing": map[string]any{"hash": orderHash, "chain": "ape_chain", "protocol_address": market.Seaport16},
			"fulfiller": map[string]any{"address": buyer}, "recipient": buyer, "units_to_fill": 1, "include_optional_creator_fees": false}.set(edit, value))
	}
	p := newProxied(t, nil, nil)
	for name, tc := range map[string]struct {
		method, path, body string
		status             int
		header             []string
	}{
		"no agent":          {"GET", "/api/market/collections/demo-apes", "", 403, []string{"X-Agent-Id", ""}},
		"slug up":           {"GET", "/api/market/collections/%2e%2e%2fkeys", "", 400, nil},
		"slug with a query": {"GET", "/api/market/collections/a%3Fb=c", "", 400, nil},
		"upper case":        {"GET", "/api/market/listings/Demo", "", 400, nil},
		"unknown parameter": {"GET", "/api/market/listings/demo-apes?include_private=1", "", 400, nil},
		"of a collection":   {"GET", "/api/market/collections/demo-apes?x=1", "", 400, nil},
		"twice":             {"GET", "/api/market/listings/demo-apes?limit=1&limit=2", "", 400, nil},
		"limit":             {"GET", "/api/market/listings/demo-apes?limit=201", "", 400, nil},
		"order":             {"GET", "/api/market/listings/demo-apes?order=nfts/1/best", "", 400, nil},
		"cursor":            {"GET", "/api/market/listings/demo-apes?next=a%0d%0ab", "", 400, nil},
		"long cursor":       {"GET", "/api/market/listings/demo-apes?next=" + strings.Repeat("a", 3000), "", 400, nil},
		"token":             {"GET", "/api/market/listings/demo-apes?tokenId=1/../2", "", 400, nil},
		"token and order":   {"GET", "/api/market/listings/demo-apes?tokenId=1&order=all", "", 400, nil},
		"no body":           {"POST", "/api/market/fulfillment", "", 400, nil},
		"no JSON":           {"POST", "/api/market/fulfillment", "{", 400, nil},
		"large":             {"POST", "/api/market/fulfillment", `{"x":"` + strings.Repeat("a", 5000) + `"}`, 502, nil}, // 413 by serve.WriteError
		"other chain":       {"POST", "/api/market/fulfillment", fulfil("listing.chain", "ethereum"), 400, nil},
		"many units":        {"POST", "/api/market/fulfillment", fulfil("units_to_fill", 2), 400, nil},
		"optional fees":     {"POST", "/api/market/fulfillment", fulfil("include_optional_creator_fees", true), 400, nil},
		"no hash":           {"POST", "/api/market/fulfillment", fulfil("listing.hash", "0x12"), 400, nil},
		"no fulfiller":      {"POST", "/api/market/fulfillment", fulfil("fulfiller.address", "me"), 400, nil},
		"with a query":      {"POST", "/api/market/fulfillment?a=b", fulfil("units_to_fill", 1), 400, nil},
	} {
		if w := p.ask(tc.method, tc.path, tc.body, tc.header...); w.Code != tc.status {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if len(p.asked) > 0 {
		t.Errorf("the marketplace was asked %q", p.asked)
	}
	// Extra fields are left out.
	w := p.ask("POST", "/api/market/fulfillment", fulfil("listing.extra", "x"))
	if w.Code != 404 || len(p.bodies) != 1 || strings.Contains(p.bodies[0], "extra") {
		t.Errorf("%d %s, sent %q", w.Code, w.Body, p.bodies)
	}
}

// No answer, error or log of a proxy has the key, whatever the marketplace says.
func TestProxyKeepsTheKey(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{200: 200, 400: 400, 401: 502, 403: 502, 404: 404, 410: 404, 418: 502, 422: 400, 302: 502} {
		p := newProxied(t, nil, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("X-Echo", r.Header.Get("X-Api-Key"))
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"errors":["key %s of %s"]}`, r.Header.Get("X-Api-Key"), r.Header.Get("X-Agent-Token"))
		})
		w := p.ask("GET", "/api/market/collections/demo-apes", "")
		all := fmt.Sprint(w.Code, w.Header(), w.Body, p.logged)
		if w.Code != want || strings.Contains(all, canary) || strings.Contains(all, token) {
			t.Errorf("%d: %s", status, all)
		}
		// Whose credentials were refused is told: not the agent's.
		if refused := status == 401 || status == 403; refused != strings.Contains(w.Body.String(), "this server's API key") {
			t.Errorf("%d: %s", status, w.Body)
		}
	}
	p := newProxied(t, nil, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"a":`) })
	if w := p.ask("GET", "/api/market/collections/demo-apes", ""); w.Code != 502 {
		t.Errorf("cut JSON: %d %s", w.Code, w.Body)
	}
}

// The marketplace's rate limit is told with when to come back, and one agent can't use
// up what is there for all.
func TestProxyLimits(t *testing.T) {
	t.Parallel()
	p := newProxied(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "37")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	if w := p.ask("GET", "/api/market/collections/demo-apes", ""); w.Code != 429 || w.Header().Get("Retry-After") != "37" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	_, err := p.client(t, "bot-1").Collection(t.Context(), slug)
	wantFault(t, err, fault.Upstream, "limits our rate")

	p = newProxied(t, map[string]string{collectionPath: collectionJSON, listingsPath: `{}`}, nil)
	count := func(id, method, path, body string) (served int) {
		for range 300 {
			if w := p.ask(method, path, body, "X-Agent-Id", id); w.Code != 429 {
				served++
			} else if w.Header().Get("Retry-After") == "" {
				t.Fatal("no Retry-After")
			}
		}
		return served
	}
	if a, b, c := count("bot-1", "GET", "/api/market/collections/demo-apes", ""), count("bot-2", "GET", "/api/market/collections/demo-apes", ""), count("bot-3", "GET", "/api/market/collections/demo-apes", ""); a != 30 || b != 30 || c != 0 {
		t.Errorf("served %d, %d, %d", a, b, c)
	}
	p.now = p.now.Add(time.Minute)
	if n := count("bot-3", "GET", "/api/market/collections/demo-apes", ""); n != 30 {
		t.Errorf("a minute later %d", n)
	}
}

// A serve without a proxy, and an agent that is not let in, are no empty marketplace.
func TestProxyThatIsNone(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]struct {
		code fault.Code
		hint string
	}{404: {fault.Upstream, "--market-proxy"}, 401: {fault.Auth, "APE_CLAW_AGENT_TOKEN"}, 403: {fault.Auth, "revoked"}} {
		o := options(inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Api-Key") != "" {
				t.Error("the API key was sent to a proxy")
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":"no `+r.Header.Get("X-Agent-Token")+`","code":"not_found"}`)
		})})
		o.BaseURL, o.Pacer, o.Agent = "https://serve.example", nil, &market.Agent{ID: "bot-1", Token: token}
		_, err := newClient(t, o).BestListing(t.Context(), slug, contract, "3")
		e := wantFault(t, err, want.code)
		if !strings.Contains(e.Hint, want.hint) || strings.Contains(e.Message, token) {
			t.Errorf("%d: %s / %s", status, e.Message, e.Hint)
		}
	}
	o := options(inProcess{nil})
	o.BaseURL, o.Agent = "http://serve.example", &market.Agent{ID: "bot-1", Token: token}
	if _, err := market.New(o); err == nil {
		t.Error("a token goes over plain http")
	}
}
