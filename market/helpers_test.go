package market_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Facts of testdata/listings.json.
const (
	slug      = "demo-apes"
	contract  = "0x8464135c8f25da09e49bc8782676a84730c318bc"
	orderHash = "0x7bb4a74360752bb89a1538af1b0f90a11350fd8754c856c6f1b4521a81b7753d"
	buyer     = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"
	canary    = "canary-0123456789abcdef-key"
)

// sampleTime is within the sample order's window.
var sampleTime = time.Unix(1796040000, 0).UTC()

func now() time.Time { return sampleTime }

// doc is a JSON object of a sample, to be changed by path.
type doc map[string]any

// set changes the value at a dotted path; list indexes are "0", "1", … A nil
// value removes the key.
func (d doc) set(path string, v any) doc {
	var at any = map[string]any(d)
	steps := strings.Split(path, ".")
	for _, s := range steps[:len(steps)-1] {
		at = child(at, s)
	}
	last := steps[len(steps)-1]
	switch m := at.(type) {
	case map[string]any:
		if v == nil {
			delete(m, last)
		} else {
			m[last] = v
		}
	case []any:
		m[int(last[0]-'0')] = v
	default:
		panic("no such path: " + path)
	}
	return d
}

func child(at any, step string) any {
	switch m := at.(type) {
	case map[string]any:
		return m[step]
	case []any:
		return m[int(step[0]-'0')]
	}
	panic("no such step: " + step)
}

func sample(t testing.TB, file string) doc {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var d doc
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.UseNumber()
	if err := dec.Decode(&d); err != nil {
		t.Fatal(err)
	}
	return d
}

// listing is the sample's one listing.
func listing(t testing.TB) doc {
	t.Helper()
	return sample(t, "listings.json")["listings"].([]any)[0].(map[string]any)
}

// priced is the sample listing with another order hash, token and price; the
// seller's payment makes up the sum.
func priced(t testing.TB, id byte, token, wei string) doc {
	t.Helper()
	const item = "protocol_data.parameters.consideration"
	return listing(t).
		set("order_hash", "0x"+strings.Repeat("0", 62)+string("0123456789abcdef"[id/16])+string("0123456789abcdef"[id%16])).
		set("asset.identifier", token).
		set("protocol_data.parameters.offer.0.identifierOrCriteria", token).
		set("price.current.value", wei).
		set(item, []any{map[string]any{
			"itemType": 0, "token": "0x0000000000000000000000000000000000000000", "identifierOrCriteria": "0",
			"startAmount": wei, "endAmount": wei, "recipient": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
		}}).
		set("protocol_data.parameters.totalOriginalConsiderationItems", 1)
}

func toJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func page(t testing.TB, next string, listings ...doc) string {
	t.Helper()
	if listings == nil {
		listings = []doc{}
	}
	p := map[string]any{"listings": listings}
	if next != "" {
		p["next"] = next
	}
	return toJSON(t, p)
}

// inProcess answers requests with a handler, without a network: a test that
// waits can then run on synctest's clock.
type inProcess struct{ h http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	p.h.ServeHTTP(w, r)
	return w.Result(), nil
}

// options are for tests: no client-side rate limit, the largest jitter, and a
// marketplace that has said already which contract the sample's slug is.
func options(transport http.RoundTripper) market.Options {
	return market.Options{
		Rules: market.ApeChain(now), APIKey: canary, Transport: transport, Clock: time.Now,
		Rand: most, Every: -1, EveryFulfill: -1, Pacer: identified(market.OpenSeaBase, ""),
	}
}

// most is the largest jitter.
func most(n int64) int64 { return n - 1 }

// identified is a pacer that knows the sample's collection at base.
func identified(base, file string) *market.Pacer {
	p := market.NewPacer(time.Now, most, file)
	c, err := market.New(market.Options{
		Rules: market.ApeChain(now), BaseURL: base, APIKey: "of-the-test-itself", Clock: time.Now, Rand: most, Every: -1, Pacer: p,
		Transport: inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := `{"listings":[]}`
			if strings.HasPrefix(r.URL.Path, "/api/v2/collections/") {
				body = collectionJSON
			}
			_, _ = w.Write([]byte(body)) // a recorder never fails
		})},
	})
	if err == nil {
		_, err = c.Listings(context.Background(), market.ListQuery{Slug: slug, Contract: contract})
	}
	if err != nil {
		panic(err)
	}
	return p
}

// collectionJSON is the sample's collection.
const collectionJSON = `{"collection":"` + slug + `","name":"Demo Apes","contracts":[{"address":"` + contract + `","chain":"ape_chain"}]}`

func newClient(t testing.TB, o market.Options) *market.Client {
	t.Helper()
	c, err := market.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answering is a client whose every request gets the same JSON.
func answering(t testing.TB, body string) *market.Client {
	t.Helper()
	return newClient(t, options(inProcess{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body)) // a recorder never fails
	})}))
}

// wantFault checks code and message, and that the API key is nowhere in it.
func wantFault(t testing.TB, err error, code fault.Code, parts ...string) *fault.Error {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("error %v has code %q, want %q", err, fault.CodeOf(err), code)
	}
	f := fault.From(err)
	for _, part := range parts {
		if !strings.Contains(f.Message+" | "+f.Hint, part) {
			t.Errorf("message %q, hint %q: %q is missing", f.Message, f.Hint, part)
		}
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if strings.Contains(e.Error(), canary) {
			t.Errorf("the API key is in the error %q", e)
		}
	}
	if s := toJSON(t, f); strings.Contains(s, canary) {
		t.Errorf("the API key is in the JSON error %s", s)
	}
	if strings.ContainsAny(f.Message, "\n\r\x00\x1b") {
		t.Errorf("message %q is more than one plain line", f.Message)
	}
	return f
}
