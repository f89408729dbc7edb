package v2_test

import (
	"context"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/api"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// routes are the HTTP routes over a process.
func routes(p *process) func(t *testing.T, path string) (int, string) {
	h := api.New(api.Options{
		Open: func(context.Context) (api.Reads, func(), error) { return p.Reads(), func() {}, nil },
		Fail: serve.WriteError, Now: time.Now, Log: func(string, error) {},
	})
	return func(t *testing.T, path string) (int, string) {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, api.Prefix+path, nil))
		return w.Code, w.Body.String()
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pack := func(n v2.Name, method string, args ...any) []byte {
		data, err := contracts.ABI(n).Pack(method, args...)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	uri := "javascript:alert(1)//\u202e<img>" + strings.Repeat("u", 1900)
	zero := big.NewInt(0)
	version := pack(contracts.SkillRegistry, "publishVersion", big.NewInt(1), [32]byte{1}, [32]byte{2}, uri, uint8(3))
	w.raw(t, 2, 0, w.at[contracts.SkillNFT], zero, pack(contracts.SkillNFT, "mintSkill", zero))
	w.raw(t, 2, 1, w.at[contracts.SkillNFT], zero, pack(contracts.SkillNFT, "mintSkill", big.NewInt(1)))
	w.raw(t, 2, 2, w.at[contracts.SkillRegistry], zero, version)
	w.raw(t, 2, 3, w.at[contracts.PodVault], big.NewInt(1000), nil)
	w.raw(t, 2, 4, w.at[contracts.PodVault], zero, pack(contracts.PodVault, "releaseNative", accountOf(1)))
	w.raw(t, 2, 5, w.at[contracts.ReceiptRegistry], zero, pack(contracts.ReceiptRegistry, "recordReceipt", v2.TraceIDHash("trace_theirs"), [32]byte{3}, [32]byte{4}, uri))

	h := w.home(t, 3)
	p := h.open(t)
	in := v2.ReceiptRecordIn{Trace: "trace_ours", Payload: `{"what":"a test"}`}
	dry, err := p.ReceiptRecord(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	in.Execute, in.Confirm = true, dry.ConfirmPhrase
	if _, err := p.ReceiptRecord(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	before := len(h.events(t))
	reads := p.Reads()

	t.Run("config", func(t *testing.T) {
		c, err := reads.Config(t.Context())
		if err != nil || !c.OK || !c.Configured || c.ChainID != 7733139 || c.Network != "sandbox" {
			t.Fatalf("%+v, %v", c, err)
		}
		for i, n := range contracts.Names() {
			if got := c.Contracts[i]; got.Name != string(n) || got.State != api.Ours || got.Address != strings.ToLower(w.at[n].Hex()) || got.From != "the test" {
				t.Errorf("%+v", got)
			}
		}
	})
	t.Run("receipts", func(t *testing.T) {
		ours, err := reads.Receipt(t.Context(), "trace_ours")
		if err != nil || !ours.IsRecorded || ours.Agrees == nil || !*ours.Agrees || ours.Receipt.ContentHash != dry.ContentHash || ours.Receipt.Recorder != accountOf(3).Hex() {
			t.Errorf("%+v, %v", ours, err)
		}
		theirs, err := reads.Receipt(t.Context(), "trace_theirs")
		if err != nil || !theirs.IsRecorded || theirs.Agrees != nil || theirs.Why == "" || theirs.Receipt.ContentHash != common.Hash([32]byte{3}).Hex() {
			t.Errorf("%+v, %v", theirs, err)
		}
		if u := theirs.Receipt.URI; len(u) > 2048 || strings.ContainsRune(u, '\u202e') || !strings.HasPrefix(u, "javascript:") {
			t.Errorf("a stranger's text is shown as %q", u)
		}
		none, err := reads.Receipt(t.Context(), "trace_none")
		if err != nil || none.IsRecorded || none.Receipt != nil || none.Agrees != nil || none.TraceIDHash != v2.TraceIDHash("trace_none").Hex() {
			t.Errorf("%+v, %v", none, err)
		}
	})
	t.Run("vault", func(t *testing.T) {
		v, err := reads.Vault(t.Context())
		if err != nil || v.BalanceWei != "750" || v.TotalShares != "4" || len(v.Members) != 2 {
			t.Fatalf("%+v, %v", v, err)
		}
		for i, want := range []api.Member{{Address: accountOf(0).Hex(), Shares: "3", PendingWei: "750", ReleasedWei: "0"}, {Address: accountOf(1).Hex(), Shares: "1", PendingWei: "0", ReleasedWei: "250"}} {
			if v.Members[i] != want {
				t.Errorf("%+v, want %+v", v.Members[i], want)
			}
		}
	})
	t.Run("skills", func(t *testing.T) {
		s, err := reads.Skills(t.Context())
		if err != nil || s.Count != "2" || len(s.Skills) != 2 {
			t.Fatalf("%+v, %v", s, err)
		}
		second, first := s.Skills[0], s.Skills[1]
		if second.SkillID != "2" || second.ParentID != "1" || second.Versions != "0" || second.VersionHash != "" {
			t.Errorf("%+v", second)
		}
		if first.SkillID != "1" || first.ParentID != "0" || first.Versions != "1" || first.RiskTier != 3 || first.VersionHash != common.Hash([32]byte{1}).Hex() {
			t.Errorf("%+v", first)
		}
		if len(first.URI) > 1000 || strings.ContainsRune(first.URI, '\u202e') {
			t.Errorf("a stranger's text is shown as %q", first.URI)
		}
		if at, err := time.Parse(time.RFC3339, first.PublishedAt); err != nil || time.Since(at) > time.Hour {
			t.Errorf("published at %q", first.PublishedAt)
		}
	})
	if got := len(h.events(t)); got != before {
		t.Errorf("reading left %d events", got-before)
	}

	t.Run("what is not what it should be", func(t *testing.T) {
		p := h.open(t, func(d *v2.Deps) {
			d.Named[contracts.PodVault] = v2.Address{Address: w.at[contracts.SkillNFT].Hex(), From: "--vault"}
			d.Named[contracts.SkillNFT] = v2.Address{Address: accountOf(9).Hex(), From: "APE_CLAW_V2_SKILL_NFT"}
			d.Named[contracts.ReceiptRegistry] = v2.Address{Address: "nonsense", From: "the config file"}
			delete(d.Named, contracts.MockTarget)
		})
		c, err := p.Reads().Config(t.Context())
		if err != nil || !c.Configured {
			t.Fatalf("%+v, %v", c, err)
		}
		for _, got := range c.Contracts {
			want := api.Ours
			switch v2.Name(got.Name) {
			case contracts.PodVault:
				want = api.Foreign
			case contracts.SkillNFT, contracts.ReceiptRegistry, contracts.MockTarget:
				want = api.Missing
			}
			if got.State != want {
				t.Errorf("%+v, want %s", got, want)
			}
			if strings.Contains(got.Address, "nonsense") {
				t.Errorf("what is no address is shown as one: %+v", got)
			}
		}
		get := routes(p)
		for path, want := range map[string]int{"vault": 502, "skills": 501, "receipt/get?traceId=x": 501, "config": 200} {
			if code, body := get(t, path); code != want {
				t.Errorf("%s: %d %s", path, code, body)
			}
		}
	})

	t.Run("a node that fails", func(t *testing.T) {
		get := routes(p)
		w.proxy.set(func(_ string, _ []byte, w http.ResponseWriter, _ func() []byte) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		})
		defer w.proxy.set(nil)
		for _, path := range []string{"vault", "skills", "receipt/get?traceId=x", "config"} {
			code, body := get(t, path)
			if code != 502 || strings.Contains(body, strings.TrimPrefix(w.url, "http://")) {
				t.Errorf("%s: %d %s", path, code, body)
			}
		}
	})

	t.Run("a record that can't be used", func(t *testing.T) {
		h := w.home(t, 4)
		p := h.open(t, func(d *v2.Deps) { d.Named = nil })
		dir := filepath.Join(h.state(), "v2-deployments")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "sandbox.json"), []byte(`{"v":1,"chainId":7733139,"x":"`+h.dir+`"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		get := routes(p)
		for _, path := range []string{"vault", "skills", "receipt/get?traceId=x", "config"} {
			code, body := get(t, path)
			if code != 503 || strings.Contains(body, h.dir) || strings.Contains(body, "sandbox.json") {
				t.Errorf("%s: %d %s", path, code, body)
			}
		}
	})
}

// Where no address is known, no node is asked, since there is nothing to ask about.
func TestReadsWithoutAnyAddress(t *testing.T) {
	t.Parallel()
	w := &world{}
	h := w.home(t, 0)
	h.url = "http://127.0.0.1:1"
	p := h.open(t, func(d *v2.Deps) {
		d.Chain = func(context.Context) (v2.Chain, error) {
			t.Error("the node is asked")
			return nil, fault.New(fault.Upstream, "no node")
		}
	})
	get := routes(p)
	for path, want := range map[string]int{"vault": 501, "skills": 501, "receipt/get?traceId=x": 501, "receipt/get": 400, "config": 200} {
		if code, body := get(t, path); code != want {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	c, err := p.Reads().Config(t.Context())
	if err != nil || c.Configured || c.ChainID != 7733139 || c.Network != "sandbox" || len(c.Contracts) != len(contracts.Names()) {
		t.Errorf("%+v, %v", c, err)
	}
}
