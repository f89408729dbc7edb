package commands

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/telemetry/agents"
)

// viewed is a server with an agent, and what asks it.
func viewed(t *testing.T) (w *servedWorld, ask func(method, path string, header ...string) (int, string)) {
	t.Helper()
	w = startServed(t)
	_, token, err := w.d.registry().Register(t.Context(), "bot-1", "")
	if err != nil {
		t.Fatal(err)
	}
	return w, func(method, path string, header ...string) (int, string) {
		t.Helper()
		if header == nil {
			header = []string{"X-Agent-Id", "bot-1", "X-Agent-Token", token}
		}
		r, err := http.NewRequestWithContext(t.Context(), method, w.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close() //nolint:errcheck // only read
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
}

var views = []string{"/api/policy", "/api/allowlist", "/api/spend", "/api/quotes", "/api/quotes/q_1", "/api/quotes/spend-today", "/api/forwarding/dead", "/api/bridge-requests", "/api/bridge-requests/0x1"}

// What shows money asks everybody who it is, this machine's programs too, and only reads.
func TestViewsAreForAgents(t *testing.T) {
	t.Parallel()
	w, ask := viewed(t)
	for _, path := range views {
		for name, tc := range map[string]struct {
			method string
			header []string
			want   int
		}{
			"nobody":   {"GET", []string{}, 401},
			"wrong":    {"GET", []string{"X-Agent-Id", "bot-1", "X-Agent-Token", "claw_wrong"}, 403},
			"operator": {"GET", []string{"X-Agent-Id", agents.Operator, "X-Agent-Token", w.token}, 200},
			"posting":  {"POST", nil, 405},
			"deleting": {"DELETE", nil, 405},
			"misspelt": {"GET", nil, 400},
		} {
			at := path
			if name == "misspelt" {
				at += "?limt=1"
			}
			if name == "operator" && (path == "/api/policy" || path == "/api/quotes/q_1" || path == "/api/bridge-requests/0x1") {
				tc.want = 404 // there is none
			}
			if tc.header == nil && tc.method == "GET" {
				if code, body := ask(tc.method, at); code != tc.want {
					t.Errorf("%s %s: %d %s", name, at, code, body)
				}
				continue
			}
			if name == "wrong" && path != views[0] {
				continue // five wrong ones a minute
			}
			if code, body := ask(tc.method, at, tc.header...); code != tc.want {
				t.Errorf("%s %s: %d %s", name, at, code, body)
			}
		}
	}
}

func TestViewsSayWhatHolds(t *testing.T) {
	t.Parallel()
	w, ask := viewed(t)
	get := func(path string, want int) (out map[string]any, body string) {
		t.Helper()
		code, body := ask("GET", path)
		if code != want {
			t.Errorf("%s: %d %s", path, code, body)
		}
		dec := json.NewDecoder(strings.NewReader(body))
		dec.UseNumber()
		if err := dec.Decode(&out); err != nil {
			t.Errorf("%s: %v: %s", path, err, body)
		}
		if home := filepath.Dir(w.home); strings.Contains(body, home) || strings.Contains(body, "http://") || strings.Contains(body, "https://") || strings.Contains(body, "~/") {
			t.Errorf("%s tells a path or a URL: %s", path, body)
		}
		return out, body
	}
	write := func(body string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(w.home, "policy.json"), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	get("/api/policy", 404)
	if out, _ := get("/api/quotes/spend-today", 200); out["spentToday"] != json.Number("0") || out["spentTodayWei"] != "0" {
		t.Errorf("%v", out)
	}
	write(`{"apechainRpcUrl":"https://rpc.example/v2/a-key-of-thirty-two-characters-00","nftBuy":{"maxPricePerTx":12.000000000000000001},"execution":{"dailySpendCap":"40.5"}}`)
	out, body := get("/api/policy", 200)
	if nftBuy, _ := out["nftBuy"].(map[string]any); fmt.Sprint(nftBuy["maxPricePerTx"]) != "12.000000000000000001" || out["apechainRpcUrl"] != nil || strings.Contains(body, "rpc.example") {
		t.Errorf("%s", body)
	}
	if out["halted"] != false || out["policyHash"] == "" || out["ok"] != true {
		t.Errorf("%s", body)
	}
	if out, body := get("/api/allowlist", 200); out["count"] == json.Number("0") || len(out["entries"].([]any)) == 0 {
		t.Errorf("%s", body)
	}
	out, body = get("/api/spend", 200)
	caps, _ := out["caps"].([]any)
	if len(caps) == 0 || caps[0].(map[string]any)["cap"] != "40.5" || caps[0].(map[string]any)["leftWei"] != "40500000000000000000" || caps[0].(map[string]any)["spent"] != "0" {
		t.Errorf("%s", body)
	}
	// Read anew: what a person changes holds for the next answer.
	if err := os.WriteFile(filepath.Join(w.home, "HALT"), []byte("policy: test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, body := get("/api/policy", 200); out["halted"] != true {
		t.Errorf("%s", body)
	}
	write(`{"execution":{"dailySpendCap":"abc"}}`)
	for _, path := range []string{"/api/policy", "/api/spend", "/api/quotes/spend-today"} {
		if out, body := get(path, 503); out["code"] != "state_unusable" || strings.Contains(body, "policy.json") {
			t.Errorf("%s", body)
		}
	}
}

// Quotes are shown to whoever may ask, without the file that one may come from.
func TestViewsOfQuotes(t *testing.T) {
	t.Parallel()
	w, ask := viewed(t)
	db, err := w.d.stateDB(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	price, err := units.ParseBase("12500000000000000001")
	if err != nil {
		t.Fatal(err)
	}
	hex := func(n int) string { return "0x" + strings.Repeat("ab", n) }
	for i := range 60 {
		q := nft.Quote{QuoteID: fmt.Sprintf("q_%020d", i), Collection: "demo-apes", CollectionName: "Demo", TokenID: "1", PriceApe: "12.500000000000000001", PriceWei: price,
			MaxPrice: "12.500000000000000001", MaxPriceWei: price, Currency: "APE", OrderHash: hex(32), ChainID: 33139, ContractAddress: hex(20), ProtocolAddress: hex(20), Seller: hex(20),
			Fees: []nft.Fee{}, CreatedAt: time.Unix(1796040000+int64(i), 0).UTC(), ExpiresAt: time.Unix(1796040600, 0).UTC(), OrderExpiresAt: time.Unix(1796050000, 0).UTC(),
			Source: "file:~/secret/market.json", Status: nft.StatusQuoted}
		doc, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		if i == 7 {
			doc = []byte("{")
		}
		if _, err := db.ExecContext(t.Context(), `INSERT INTO quotes (id, created_at, expires_at, status, doc) VALUES (?, ?, ?, ?, ?)`,
			q.QuoteID, q.CreatedAt.UnixMilli(), q.ExpiresAt.UnixMilli(), q.Status, string(doc)); err != nil {
			t.Fatal(err)
		}
	}
	var out struct {
		Count, Unreadable int
		Quotes            []nft.QuoteView
	}
	list := func(query string, want int) string {
		t.Helper()
		code, body := ask("GET", "/api/quotes"+query)
		out.Quotes, out.Unreadable = nil, 0
		if code != want || json.Unmarshal([]byte(body), &out) != nil || strings.Contains(body, "secret") {
			t.Fatalf("%s: %d %s", query, code, body)
		}
		return body
	}
	list("", 200)
	if out.Count != 50 || out.Quotes[0].QuoteID != "q_00000000000000000059" || out.Quotes[0].Source != "file" {
		t.Errorf("%d, %+v", out.Count, out.Quotes[0])
	}
	if body := list("?limit=200", 200); out.Count != 59 || out.Unreadable != 1 || !strings.Contains(body, `"priceApe":12.500000000000000001,`) {
		t.Errorf("%d, %d", out.Count, out.Unreadable)
	}
	for _, bad := range []string{"?limit=0", "?limit=201", "?limit=abc", "?limit=", "?limit=1&limit=2"} {
		list(bad, 400)
	}
	for path, want := range map[string]struct {
		status int
		has    string
	}{
		"/api/quotes/q_00000000000000000003": {200, `"quoteId":"q_00000000000000000003"`},
		"/api/quotes/q_99":                   {404, "not_found"},
		"/api/quotes/%2e%2e%2f":              {404, "not_found"},
		"/api/quotes/q_00000000000000000007": {503, "state_unusable"},
	} {
		if code, body := ask("GET", path); code != want.status || !strings.Contains(body, want.has) || strings.Contains(body, "secret") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}

// Looking leaves nothing: no event, no ledger.
func TestViewsLeaveNothing(t *testing.T) {
	t.Parallel()
	w, ask := viewed(t)
	for _, path := range views {
		ask("GET", path)
	}
	if _, err := os.Stat(filepath.Join(w.home, "money.db")); err == nil {
		t.Error("a look at the ledger made one")
	}
	if _, body := ask("GET", "/events/backlog"); strings.Contains(body, "eventType") {
		t.Errorf("%s", body)
	}
}

func TestMarketProxyIsOffUnlessAskedFor(t *testing.T) {
	t.Parallel()
	_, ask := viewed(t)
	if code, body := ask("GET", "/api/market/collections/demo-apes"); code != 404 {
		t.Errorf("%d %s", code, body)
	}
}

// A server that can't do what it is told to does not start.
func TestMarketProxyNeedsAKey(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env  map[string]string
		says string
	}{
		"no key":    {nil, "needs an OpenSea API key"},
		"a proxy":   {map[string]string{"OPENSEA_API_KEY": "k-0123456789", "APE_CLAW_MARKET_PROXY_URL": "https://serve.example", "APE_CLAW_AGENT_ID": "a-1"}, "another proxy"},
		"no switch": {map[string]string{"OPENSEA_API_KEY": "k-0123456789", "APE_CLAW_MARKET_PROXY": "perhaps"}, "neither true nor false"},
	} {
		dir := t.TempDir()
		d := newDeps(Host{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Now: time.Now,
			Env: func(n string) (string, bool) {
				v, ok := map[string]string{"APE_CLAW_HOME": dir, "HOME": dir, "APE_CLAW_STATE_DIR": dir}[n]
				if !ok {
					v, ok = tc.env[n]
				}
				return v, ok
			}})
		newRoot(d)
		if _, err := d.marketMounts(name != "no switch"); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
		d.close()
	}
}

// Where the agent's token goes is a setting of its own.
func TestMarketProxySetting(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env  []string
		says string
	}{
		"alone":          {[]string{"APE_CLAW_AGENT_ID=a-1", "APE_CLAW_AGENT_TOKEN=claw_0123456789"}, ""},
		"no agent":       {nil, "for agents alone"},
		"no token":       {[]string{"APE_CLAW_AGENT_ID=a-1"}, "for agents alone"},
		"a market too":   {[]string{"APE_CLAW_MARKET_URL=https://market.example"}, "both set"},
		"a user":         {[]string{"APE_CLAW_MARKET_PROXY_URL=https://u:p@serve.example"}, "without user"},
		"in the clear":   {[]string{"APE_CLAW_MARKET_PROXY_URL=http://serve.example", "APE_CLAW_AGENT_ID=a-1", "APE_CLAW_AGENT_TOKEN=claw_0123456789"}, "plain http"},
		"no server":      {[]string{"APE_CLAW_MARKET_PROXY_URL=serve.example"}, "URL of a server"},
		"with the query": {[]string{"APE_CLAW_MARKET_PROXY_URL=https://serve.example?x=1"}, "URL of a server"},
	} {
		dir := t.TempDir()
		env := append([]string{"APE_CLAW_HOME=" + dir, "HOME=" + dir, "APE_CLAW_STATE_DIR=" + dir, "APE_CLAW_MARKET_PROXY_URL=https://serve.example"}, tc.env...)
		slices.Reverse(env)
		d := newDeps(Host{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Now: time.Now,
			Env: func(n string) (string, bool) {
				i := slices.IndexFunc(env, func(e string) bool { return strings.HasPrefix(e, n+"=") })
				if i < 0 {
					return "", false
				}
				return strings.TrimPrefix(env[i], n+"="), true
			}})
		newRoot(d)
		src, err := d.market("opensea")
		if tc.says == "" && (err != nil || src.Name() != "serve.example") || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%s: %v", name, err)
		}
		d.close()
	}
}

// Of a dead letter the type, the reason and the id are shown, and not what it says.
func TestViewsOfDeadLetters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := map[string]string{"APE_CLAW_HOME": filepath.Join(dir, "home"), "HOME": dir, "APE_CLAW_STATE_DIR": dir, "APE_CLAW_TELEMETRY_URL": "https://serve.example"}
	d := newDeps(Host{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Now: time.Now,
		Env: func(n string) (string, bool) { v, ok := env[n]; return v, ok }})
	defer d.close()
	newRoot(d)
	var lines strings.Builder
	for i := range 120 {
		fmt.Fprintf(&lines, `{"when":"2026-12-01T00:%02d:%02dZ","agentId":"bot-1","eventId":"ob/%d","status":400,"code":"usage","reason":"ts <b>","line":"{\"eventType\":\"nft.quote.created\",\"payload\":\"mine\"}"}`+"\n", i/60, i%60, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "outbox-dead.jsonl"), []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	body, err := d.viewBody(t.Context(), view{read: viewDead}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out DeadView
	if err := json.Unmarshal(body, &out); err != nil || out.Count != 120 || len(out.Letters) != 100 || strings.Contains(string(body), "mine") {
		t.Fatalf("%v, %d of %d", err, len(out.Letters), out.Count)
	}
	want := DeadLetter{"2026-12-01T00:01:59Z", "nft.quote.created", "ob/119", "bot-1", 400, "usage", "ts <b>"}
	if out.Letters[0] != want {
		t.Errorf("%+v", out.Letters[0])
	}
}
