package market_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// overNetwork is a client of a real server on loopback.
func overNetwork(t *testing.T, h http.HandlerFunc, edit func(*market.Options)) *market.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return clientOf(t, server.URL, edit)
}

func clientOf(t *testing.T, base string, edit func(*market.Options)) *market.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	o := options(transport)
	o.BaseURL, o.Pacer = base, identified(base, "")
	// No waiting between attempts.
	o.Rand = func(int64) int64 { return 0 }
	if edit != nil {
		edit(&o)
	}
	return newClient(t, o)
}

func lookup(t testing.TB, c *market.Client) error {
	t.Helper()
	_, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
	return err
}

func TestNetworkFaults(t *testing.T) {
	t.Parallel()
	t.Run("silent server", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		c := overNetwork(t, func(http.ResponseWriter, *http.Request) { <-release }, func(o *market.Options) { o.Timeout = 20 * time.Millisecond })
		wantFault(t, lookup(t, c), fault.Upstream, "live listing lookup failed", "did not answer within 20ms")
		close(release)
	})
	t.Run("stalling body", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		c := overNetwork(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, `{"listings":[`)
			_ = http.NewResponseController(w).Flush()
			<-release
		}, func(o *market.Options) { o.Timeout = 20 * time.Millisecond })
		wantFault(t, lookup(t, c), fault.Upstream, "did not answer within 20ms")
		close(release)
	})
	t.Run("cut off body", func(t *testing.T) {
		t.Parallel()
		c := overNetwork(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = fmt.Fprint(w, `{"listings":[`)
		}, nil)
		wantFault(t, lookup(t, c), fault.Upstream, "cut off after 13 bytes")
	})
	t.Run("huge body", func(t *testing.T) {
		t.Parallel()
		c := overNetwork(t, func(w http.ResponseWriter, _ *http.Request) {
			for range 100 {
				if _, err := fmt.Fprint(w, strings.Repeat(" ", 1000)); err != nil {
					return
				}
			}
		}, func(o *market.Options) { o.MaxBody = 5000 })
		wantFault(t, lookup(t, c), fault.Upstream, "larger than 5000 bytes")
	})
	t.Run("connection refused", func(t *testing.T) {
		t.Parallel()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		wantFault(t, lookup(t, clientOf(t, "http://"+l.Addr().String(), nil)), fault.Upstream, "connection refused")
	})
	t.Run("hang-up", func(t *testing.T) {
		t.Parallel()
		c := overNetwork(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil)
		wantFault(t, lookup(t, c), fault.Upstream, "can't be reached")
	})
	t.Run("unknown certificate", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
		server.StartTLS()
		t.Cleanup(server.Close)
		wantFault(t, lookup(t, clientOf(t, server.URL, nil)), fault.Upstream, "TLS certificate")
	})
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		var reached []string
		other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached = append(reached, r.URL.String()) }))
		c := overNetwork(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/steal", status)
		}, nil)
		err := lookup(t, c)
		other.Close()
		wantFault(t, err, fault.Upstream, fmt.Sprint(status), "redirects are not followed")
		if len(reached) > 0 {
			t.Errorf("%d was followed: %q", status, reached)
		}
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for base, ok := range map[string]bool{
		"https://api.opensea.io": true, "https://proxy.example/opensea": true, "http://127.0.0.1:8080": true, "http://[::1]:1": true, "http://localhost:1": true,
		"http://api.opensea.io": false, "ftp://x": false, "api.opensea.io": false, "https://": false, "https://user:" + canary + "@x": false,
		"https://x?k=" + canary: false, "https://x#f": false, "http://127.0.0.1.evil.example": false, "://": false, "http://localhost.evil.example": false,
	} {
		o := options(http.DefaultTransport)
		o.BaseURL = base
		_, err := market.New(o)
		if ok && err != nil {
			t.Errorf("%s: %v", base, err)
		}
		if !ok {
			wantFault(t, err, fault.Usage, "base URL")
		}
	}
}

func TestMissingKey(t *testing.T) {
	t.Parallel()
	asked := 0
	transport := inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if len(r.Header.Values("X-Api-Key")) > 0 {
			t.Error("an empty key was sent")
		}
		_, _ = w.Write([]byte(`{"listings":[]}`)) // a recorder never fails
	})}
	for _, key := range []market.Key{"", "  \n"} {
		o := options(transport)
		o.APIKey = key
		f := wantFault(t, lookup(t, newClient(t, o)), fault.Auth, "live listing lookup failed", "OPENSEA_API_KEY", "auth set --opensea-api-key")
		if fault.ExitCode(f) != 5 {
			t.Errorf("exit code %d", fault.ExitCode(f))
		}
	}
	o := options(transport)
	o.APIKey = "two words-" + canary
	wantFault(t, lookup(t, newClient(t, o)), fault.Auth, "characters that no key has")
	if asked > 0 {
		t.Errorf("asked %d times without a usable key", asked)
	}
	o = options(transport)
	o.APIKey, o.KeyOptional = "", true
	if err := lookup(t, newClient(t, o)); err != nil || asked != 1 {
		t.Errorf("keyless: %v after %d requests", err, asked)
	}
}

func TestTheKeyDoesNotShow(t *testing.T) {
	t.Parallel()
	o := options(http.DefaultTransport)
	c := newClient(t, o)
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "options", o.APIKey, "client", c)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "options", o.APIKey, "client", c)
	b, err := json.Marshal(map[string]any{"key": o.APIKey, "client": c})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{
		fmt.Sprintf("%v %+v %#v %s %q %x %d", o.APIKey, o.APIKey, o.APIKey, o.APIKey, o.APIKey, o.APIKey, o.APIKey),
		fmt.Sprintf("%v %+v %#v", o, o, &o), fmt.Sprintf("%v %+v %#v %s", c, c, c, c), fmt.Sprintf("%#v", *c), log.String(), string(b),
	} {
		if strings.Contains(s, canary) || strings.Contains(s, fmt.Sprintf("%x", canary)) {
			t.Errorf("the key shows: %s", s)
		}
	}
}

// A server that echoes the key must not get it into listings, names or errors.
func TestAnEchoedKeyGoesNoFurther(t *testing.T) {
	t.Parallel()
	c := answering(t, page(t, "", listing(t).set("status", canary)))
	got, err := c.Listings(t.Context(), market.ListQuery{Slug: slug, Contract: contract})
	if err != nil || len(got.Skipped) != 1 || strings.Contains(toJSON(t, got), canary) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{canary, canary[:9] + `\u200b` + canary[9:]} {
		s := &script{replies: []reply{{status: 400, body: `{"errors":["key ` + text + ` is bad"]}`}}}
		err := lookup(t, newClient(t, options(s)))
		var f *fault.Error
		if !errors.As(err, &f) || strings.Contains(f.Message, canary) {
			t.Errorf("error %v", err)
		}
	}
	c = answering(t, `{"collection":"demo-apes","name":"`+canary+`","contracts":[{"address":"`+contract+`","chain":"ape_chain"}]}`)
	col, err := c.Collection(t.Context(), slug)
	if err != nil || strings.Contains(col.Name, canary) {
		t.Errorf("%+v, %v", col, err)
	}
}
