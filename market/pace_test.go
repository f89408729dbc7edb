package market_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const emptyPage = `{"listings":[]}`

// clock records when each request came, and answers with what h says.
type clock struct {
	mu    sync.Mutex
	times []time.Time
	h     func(n int, w http.ResponseWriter)
}

func (c *clock) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.times = append(c.times, time.Now())
	if c.h != nil {
		c.h(len(c.times), w)
		return
	}
	_, _ = w.Write([]byte(emptyPage)) // a recorder never fails
}

// gaps are the pauses between requests.
func (c *clock) gaps() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []time.Duration
	for i := 1; i < len(c.times); i++ {
		out = append(out, c.times[i].Sub(c.times[i-1]))
	}
	return out
}

func read(ctx context.Context, c *market.Client) error {
	_, err := c.Listings(ctx, market.ListQuery{Slug: slug, Contract: contract})
	return err
}

func TestParallelCallersArePacedAsOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &clock{}
		o := options(inProcess{server})
		o.Every = 500 * time.Millisecond
		var wg sync.WaitGroup
		start := time.Now()
		for range 4 { // as many clients, one pacer
			c := newClient(t, o)
			for range 3 {
				wg.Go(func() {
					if err := read(t.Context(), c); err != nil {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		// Twelve at two a second, of which four go at once.
		if d := time.Since(start); d != 4*time.Second {
			t.Errorf("took %v", d)
		}
	})
}

func TestALimitHoldsEverybodyAndNoHerdComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &clock{h: func(n int, w http.ResponseWriter) {
			if n == 1 {
				w.Header().Set("Retry-After", "10")
				w.WriteHeader(http.StatusTooManyRequests)
			}
			_, _ = w.Write([]byte(emptyPage))
		}}
		o := options(inProcess{server})
		o.Every = 500 * time.Millisecond
		o.Rand = func(int64) int64 { return 0 }
		o.Pacer = nil
		c := newClient(t, o)
		var wg sync.WaitGroup
		ask := func() {
			if _, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract}); fault.CodeOf(err) != fault.Upstream {
				t.Errorf("got %v", err) // the page is no collection
			}
		}
		wg.Go(ask)
		synctest.Wait()
		for range 5 {
			wg.Go(ask)
		}
		wg.Wait()
		gaps := server.gaps()
		if gaps[0] != 10*time.Second {
			t.Errorf("the first after the limit came after %v", gaps[0])
		}
		for _, g := range gaps[1:] {
			if g < 500*time.Millisecond {
				t.Errorf("a herd: %v", gaps)
				break
			}
		}
	})
}

func TestLimitsOfOneKindDoNotHoldTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fulfilled := 0
		o := options(inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				if fulfilled++; fulfilled == 1 {
					w.Header().Set("Retry-After", "12")
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				_, _ = w.Write([]byte(toJSON(t, sample(t, "fulfillment.json"))))
				return
			}
			_, _ = w.Write([]byte(emptyPage))
		})})
		c := newClient(t, o)
		done := make(chan error, 1)
		go func() {
			_, err := c.Fulfillment(t.Context(), fulfillRequest())
			done <- err
		}()
		synctest.Wait()
		start := time.Now()
		if err := read(t.Context(), c); err != nil || time.Since(start) != 0 {
			t.Errorf("a read waited %v: %v", time.Since(start), err)
		}
		if err := <-done; err != nil || time.Since(start) < 12*time.Second {
			t.Errorf("the fulfilment took %v: %v", time.Since(start), err)
		}
	})
}

func TestSlowsDownBeforeTheQuotaEnds(t *testing.T) {
	t.Parallel()
	reset := map[string]func() string{
		"seconds": func() string { return "60" },
		"epoch":   func() string { return fmt.Sprint(sampleTime.Unix() + 60) },
		"millis":  func() string { return fmt.Sprint(sampleTime.UnixMilli() + 60_000) },
		"point":   func() string { return fmt.Sprintf("%d.25", sampleTime.Unix()+60) },
	}
	for name, in := range reset {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &clock{h: func(n int, w http.ResponseWriter) {
					w.Header().Set("X-RateLimit-Limit", "20")
					w.Header().Set("X-RateLimit-Remaining", fmt.Sprint(20-n))
					w.Header().Set("X-RateLimit-Reset", in())
					_, _ = w.Write([]byte(emptyPage))
				}}
				c := newClient(t, options(inProcess{server}))
				for range 17 {
					if err := read(t.Context(), c); err != nil {
						t.Fatal(err)
					}
				}
				gaps := server.gaps()
				if slices.Max(gaps[:14]) != 0 {
					t.Errorf("slow while much was left: %v", gaps)
				}
				// Five are left for a minute, then four.
				if gaps[14] != 10*time.Second || gaps[15] != 12*time.Second {
					t.Errorf("gaps %v", gaps[14:])
				}
			})
		})
	}
}

func TestNothingIsSentOnceTheQuotaIsUsedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &clock{h: func(_ int, w http.ResponseWriter) {
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset", "40")
			_, _ = w.Write([]byte(emptyPage))
		}}
		c := newClient(t, options(inProcess{server}))
		for range 2 {
			if err := read(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		if g := server.gaps(); g[0] != 40*time.Second {
			t.Errorf("gaps %v", g)
		}
	})
}

func TestAWaitPastTheDeadlineIsNotBegun(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]map[string]string{
		"retry-after": {"Retry-After": "20"},
		"reset":       {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "20"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{replies: []reply{{status: 429, header: header}}}
				c := newClient(t, options(s))
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				start := time.Now()
				for n := range 2 {
					f := wantFault(t, read(ctx, c), fault.Upstream, "limits our rate", "try again in 2")
					if seconds, ok := f.Details["retryAfterSeconds"].(int64); !ok || seconds < 20 || seconds > 21 || f.Details["retryAt"] == nil || f.Sent != fault.SentNo {
						t.Errorf("%d: details %v, sent %q", n, f.Details, f.Sent)
					}
				}
				// The second was not even sent.
				if time.Since(start) != 0 || len(s.times) != 1 {
					t.Errorf("%v and %d attempts", time.Since(start), len(s.times))
				}
			})
		})
	}
}

func TestAbsurdLimitsAreBounded(t *testing.T) {
	t.Parallel()
	for _, after := range []string{"99999999999999999999", "4000", time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC).Format(http.TimeFormat)} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{replies: []reply{{status: 429, header: map[string]string{"Retry-After": after}}, {status: 200, body: collectionJSON}, {status: 200, body: emptyPage}}}
			c := newClient(t, options(s))
			wantFault(t, read(t.Context(), c), fault.Upstream, "more than an hour, which is not believed", "try again in 3600 s")
			time.Sleep(time.Hour + time.Second)
			if err := read(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	// Nor do strange headers on a good answer stop anything.
	for _, h := range []map[string]string{
		{"X-RateLimit-Remaining": "-1", "X-RateLimit-Reset": "60"}, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "soon"},
		{"X-RateLimit-Remaining": "99999999999999999999", "X-RateLimit-Reset": "99999999999999999999"}, {"X-RateLimit-Reset": "60"}, {"Retry-After": "60"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{replies: []reply{{status: 200, body: emptyPage, header: h}}}
			c := newClient(t, options(s))
			for range 3 {
				if err := read(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
			if d := s.times[2].Sub(s.times[0]); d != 0 {
				t.Errorf("%v: waited %v", h, d)
			}
		})
	}
}

// memory is a client as a process of its own has one: it shares the file alone.
func memory(t *testing.T, file string, transport http.RoundTripper) *market.Client {
	t.Helper()
	o := options(transport)
	o.Every, o.Pacer = 500*time.Millisecond, identified(market.OpenSeaBase, file)
	return newClient(t, o)
}

func TestThePaceIsRememberedBetweenProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "pace.json")
		server := &clock{}
		// A loop of commands, each a process: two a second after the first four.
		for range 8 {
			if err := read(t.Context(), memory(t, file, inProcess{server})); err != nil {
				t.Fatal(err)
			}
		}
		if d := server.times[7].Sub(server.times[0]); d < 1990*time.Millisecond || d > 2010*time.Millisecond {
			t.Errorf("eight processes asked within %v", d)
		}
		s := &script{replies: []reply{{status: 429, header: map[string]string{"Retry-After": "1200"}}}}
		wantFault(t, read(t.Context(), memory(t, file, s)), fault.Upstream, "limits our rate (429)")
		before := len(server.times)
		f := wantFault(t, read(t.Context(), memory(t, file, inProcess{server})), fault.Upstream, "asked for no request before", "try again in 120")
		if len(server.times) != before {
			t.Errorf("a request was sent in spite of %v", f)
		}
		// Another key has a limit of its own.
		o := options(inProcess{server})
		o.APIKey, o.Pacer = "another-key", identified(market.OpenSeaBase, file)
		if err := read(t.Context(), newClient(t, o)); err != nil {
			t.Error(err)
		}
		b, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(b), canary) || len(b) > 2000 {
			t.Errorf("the file has %s, %v", b, err)
		}
		time.Sleep(1201 * time.Second)
		if err := read(t.Context(), memory(t, file, inProcess{server})); err != nil {
			t.Error(err)
		}
	})
}

func TestAPaceFileThatCannotBeUsedIsDoneWithout(t *testing.T) {
	t.Parallel()
	far := time.Date(2190, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	lane := fmt.Sprintf(`{"next":%d,"hold":%d,"spread":99999999,"every":99999999,"slowUntil":%d}`, far, far, far)
	for name, content := range map[string]string{
		"junk": "\x00\xff{", "empty": "", "list": "[]", "far": `{"lanes":{"api.opensea.io read 8a0d6b":` + lane + `,"x":{"next":-1}},"known":{"a":{"until":` + fmt.Sprint(far) + `}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "pace.json")
				if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				if err := read(t.Context(), memory(t, file, inProcess{&clock{}})); err != nil || time.Since(start) != 0 {
					t.Errorf("%v after %v", err, time.Since(start))
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		missing := filepath.Join(dir, "no", "pace.json")
		if err := read(t.Context(), memory(t, missing, inProcess{&clock{}})); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Dir(missing)); err == nil {
			t.Error("a directory was made for it")
		}
		target := filepath.Join(dir, "elsewhere")
		if err := os.WriteFile(target, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(dir, "pace.json")
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		if err := read(t.Context(), memory(t, link, inProcess{&clock{}})); err != nil {
			t.Error(err)
		}
		if b, err := os.ReadFile(target); err != nil || string(b) != "mine" {
			t.Errorf("a link was followed: %q, %v", b, err)
		}
	})
}

func TestPeopleAreToldOfLongWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told []time.Duration
		s := &script{replies: []reply{{status: 429, header: map[string]string{"Retry-After": "9"}}, {status: 429}, {status: 200, body: emptyPage}}}
		o := options(s)
		o.Waiting = func(d time.Duration) { told = append(told, d) }
		if err := read(t.Context(), newClient(t, o)); err != nil {
			t.Fatal(err)
		}
		if len(told) != 1 || told[0] != 9500*time.Millisecond {
			t.Errorf("told of %v", told)
		}
	})
}
