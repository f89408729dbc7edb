package market_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// reply is one answer of a script.
type reply struct {
	status int
	body   string
	header map[string]string
	err    error // in place of an answer
}

// script answers with its replies in turn, the last one for ever.
type script struct {
	replies []reply
	times   []time.Time
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	next := s.replies[min(len(s.times), len(s.replies)-1)]
	s.times = append(s.times, time.Now())
	if next.err != nil {
		return nil, next.err
	}
	return inProcess{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for k, v := range next.header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(next.status)
		_, _ = w.Write([]byte(next.body)) // a recorder never fails
	})}.RoundTrip(r)
}

// waits are the pauses between the attempts.
func (s *script) waits() []time.Duration {
	var out []time.Duration
	for i := 1; i < len(s.times); i++ {
		out = append(out, s.times[i].Sub(s.times[i-1]))
	}
	return out
}

func TestRetries(t *testing.T) {
	t.Parallel()
	good := reply{status: 200, body: `{"listings":[]}`}
	limit := func(status int, after string) reply {
		h := map[string]string{}
		if after != "" {
			h["Retry-After"] = after
		}
		return reply{status: status, body: `{"errors":["Request was throttled."]}`, header: h}
	}
	broken := reply{status: 500, body: `{"errors":["boom"]}`}
	// With the largest jitter, a wait is the whole backoff: 0.5, 1, 2 s; after a
	// Retry-After it is 0.5 s more.
	tests := []struct {
		name    string
		replies []reply
		waits   []time.Duration
		code    fault.Code
		want    string
	}{
		{"good at once", []reply{good}, nil, "", ""},
		{"429 then good", []reply{limit(429, ""), good}, []time.Duration{500 * time.Millisecond}, "", ""},
		{"599 then good", []reply{limit(599, ""), good}, []time.Duration{500 * time.Millisecond}, "", ""},
		{"429 with seconds", []reply{limit(429, "7"), good}, []time.Duration{7500 * time.Millisecond}, "", ""},
		{"429 with a date", []reply{limit(429, sampleTime.Add(3*time.Second).Format(http.TimeFormat)), good}, []time.Duration{3500 * time.Millisecond}, "", ""},
		{"429 with a past date", []reply{limit(429, sampleTime.Add(-time.Hour).Format(http.TimeFormat)), good}, []time.Duration{500 * time.Millisecond}, "", ""},
		{"429 with nonsense", []reply{limit(429, "soon"), good}, []time.Duration{500 * time.Millisecond}, "", ""},
		{"429 with a negative", []reply{limit(429, "-5"), good}, []time.Duration{500 * time.Millisecond}, "", ""},
		{"429 for ever", []reply{limit(429, "")}, []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}, fault.Upstream, "limits our rate (429)"},
		{"429 for an hour", []reply{limit(429, "3600")}, nil, fault.Upstream, "try again in 3600 s"},
		{"429 for ages", []reply{limit(429, "99999999999999999999")}, nil, fault.Upstream, "limits our rate"},
		{"500 once", []reply{broken, good}, []time.Duration{500 * time.Millisecond}, "", ""},
		{"500 for ever", []reply{broken}, []time.Duration{500 * time.Millisecond, time.Second}, fault.Upstream, `answered 500 and said "boom"`},
		{"503 with seconds", []reply{{status: 503, header: map[string]string{"Retry-After": "2"}}, good}, []time.Duration{2500 * time.Millisecond}, "", ""},
		{"no network", []reply{{err: errors.New("dial: no route")}}, []time.Duration{500 * time.Millisecond, time.Second}, fault.Upstream, "can't be reached"},
		{"400", []reply{{status: 400, body: `{"errors":[{"message":"bad"}]}`}}, nil, fault.Upstream, "answered 400"},
		{"401", []reply{{status: 401, body: `{"detail":"Expected available in 5 seconds."}`}}, nil, fault.Auth, "OPENSEA_API_KEY"},
		{"403", []reply{{status: 403}}, nil, fault.Auth, "OPENSEA_API_KEY"},
		{"404", []reply{{status: 404, body: `{"errors":["x"]}`}}, nil, fault.NotFound, "no collection"},
		{"404 page", []reply{{status: 404, body: `<html>nginx`, header: map[string]string{"Content-Type": "text/html"}}}, nil, fault.Upstream, "web page"},
		{"204", []reply{{status: 204}}, nil, fault.Upstream, "answered 204"},
		{"html", []reply{{status: 200, body: "<!doctype html><title>Sign in</title>", header: map[string]string{"Content-Type": "text/html; charset=utf-8"}}}, nil, fault.Upstream, "web page"},
		{"html as json", []reply{{status: 200, body: "\n <html>"}}, nil, fault.Upstream, "web page"},
		{"cut off", []reply{{status: 200, body: `{"listings":[{"order_hash":"0x`}}, nil, fault.Upstream, "cut off"},
		{"junk after it", []reply{{status: 200, body: `{"listings":[]}x`}}, nil, fault.Upstream, "no valid JSON at byte"},
		{"empty", []reply{{status: 200}}, nil, fault.Upstream, "it is empty"},
		{"no listings", []reply{{status: 200, body: `{}`}}, nil, fault.Upstream, `no field "listings"`},
		{"null", []reply{{status: 200, body: `null`}}, nil, fault.Upstream, `no field "listings"`},
		{"listings as object", []reply{{status: 200, body: `{"listings":{}}`}}, nil, fault.Upstream, "wrong type"},
		{"error text with escapes", []reply{{status: 400, body: "{\"errors\":[\"a\\u001b[31m\\nb \\u202e" + canary + strings.Repeat("x", 500) + "\"]}"}}, nil, fault.Upstream, "a [31m b"},
		{"error text in plain words", []reply{{status: 400, body: "no\nway", header: map[string]string{"Content-Type": "text/plain"}}}, nil, fault.Upstream, `said "no way"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{replies: tt.replies}
				_, err := newClient(t, options(s)).Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
				if tt.code == "" && err != nil {
					t.Fatal(err)
				}
				if tt.code != "" {
					if f := wantFault(t, err, tt.code, tt.want); f.Hint == "" {
						t.Errorf("%q has no hint", f.Message)
					} else if len(f.Message) > 500 {
						t.Errorf("message of %d bytes", len(f.Message))
					}
				}
				if got := s.waits(); len(got) != len(tt.waits) {
					t.Fatalf("waits %v, want %v", got, tt.waits)
				}
				for i, w := range s.waits() {
					if w != tt.waits[i] {
						t.Errorf("wait %d is %v, want %v", i, w, tt.waits[i])
					}
				}
			})
		})
	}
}

func TestFulfillmentIsSentAgainOnlyAfterARateLimit(t *testing.T) {
	t.Parallel()
	good := reply{status: 200, body: toJSON(t, sample(t, "fulfillment.json"))}
	for name, tt := range map[string]struct {
		replies  []reply
		attempts int
		ok       bool
	}{
		"429":     {[]reply{{status: 429}, good}, 2, true},
		"599":     {[]reply{{status: 599}, good}, 2, true},
		"500":     {[]reply{{status: 500}, good}, 1, false},
		"network": {[]reply{{err: errors.New("reset")}, good}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{replies: tt.replies}
				_, err := newClient(t, options(s)).Fulfillment(t.Context(), fulfillRequest())
				if (err == nil) != tt.ok || len(s.times) != tt.attempts {
					t.Errorf("%d attempts, error %v", len(s.times), err)
				}
			})
		})
	}
}

func TestCancelDuringAWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{replies: []reply{{status: 429, header: map[string]string{"Retry-After": "20"}}}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		start := time.Now()
		_, err := newClient(t, options(s)).Listings(ctx, market.ListQuery{Slug: slug, Contract: contract})
		f := wantFault(t, err, fault.Canceled)
		if d := time.Since(start); d != 2*time.Second || len(s.times) != 1 || f.Sent != fault.SentNo {
			t.Errorf("stopped after %v and %d attempts, sent %q", d, len(s.times), f.Sent)
		}
	})
}

func TestDeadlineOfTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{replies: []reply{{status: 503}}}
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := newClient(t, options(s)).Listings(ctx, market.ListQuery{Slug: slug, Contract: contract})
		// The second wait would be a second: it is not begun.
		wantFault(t, err, fault.Upstream, "answered 503")
		if d := time.Since(start); d != 500*time.Millisecond || len(s.times) != 2 {
			t.Errorf("ended after %v and %d attempts", d, len(s.times))
		}
	})
}
