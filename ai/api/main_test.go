package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/ai/api"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a backend whose parts write down what they were asked.
type world struct {
	mu          sync.Mutex // guards what follows
	calls       []string
	initialized bool
	proved      map[string]time.Time // by cookie
	at          time.Time
	fail        error // what the parts answer
	hold        chan struct{}
	work        sync.WaitGroup
	base        context.Context
	parts       func(*api.Backend)
}

func newWorld(t *testing.T) *world {
	w := &world{initialized: true, proved: map[string]time.Time{}, at: time.Unix(1_800_000_000, 0), base: context.WithoutCancel(t.Context())}
	t.Cleanup(w.work.Wait)
	return w
}

func (w *world) did(call string, args ...string) (any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, strings.TrimSpace(call+" "+strings.Join(args, " ")))
	return map[string]any{"ok": true, "did": call}, w.fail
}

func (w *world) took() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.calls
	w.calls = nil
	return out
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

// The callers of the tests are in the header Test-Caller and Test-Cookie.
func (w *world) handler() http.Handler {
	return api.New(api.Options{
		Caller: func(r *http.Request) api.Caller {
			return api.Caller{ID: r.Header.Get("Test-Caller"), Session: r.Header.Get("Test-Cookie")}
		},
		Fail: func(rw http.ResponseWriter, err error) {
			e := fault.From(err)
			status := map[fault.Code]int{fault.Usage: 400, fault.PermissionDenied: 403, fault.NotFound: 404, fault.ReauthRequired: 401,
				fault.RateLimited: 429, fault.ActionNotPending: 409, fault.ActionStale: 409, fault.ActionExpired: 410}[e.Code]
			var large *http.MaxBytesError
			if errors.As(err, &large) { // as serve.WriteError does
				status, e = 413, fault.New(fault.Usage, "too large")
			}
			if status == 0 {
				status = 500
			}
			rw.WriteHeader(status)
			_ = json.NewEncoder(rw).Encode(map[string]any{"error": e.Message, "code": e.Code, "hint": e.Hint})
		},
		Open: func(context.Context) (api.Backend, func(), error) {
			b := api.Backend{Actions: actions{w}, Connections: connections{w}, Operator: person{w}, Rooms: rooms{w}, Switch: killSwitch{w}, Book: book{w}}
			if w.parts != nil {
				w.parts(&b)
			}
			return b, func() {}, nil
		},
		Go:  func(f func(context.Context)) { w.work.Go(func() { f(w.base) }) },
		Now: w.now,
	})
}

type answer struct {
	status                int
	header                http.Header
	Code, Error, Hint     string
	OK                    bool
	Did                   string
	ProvedUntil           string
	Initialized, Operator bool
}

// ask calls as "who/cookie"; "" is nobody.
func ask(t *testing.T, h http.Handler, who, method, path, body string, header ...string) answer {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	id, cookie, _ := strings.Cut(who, "/")
	r.Header.Set("Test-Caller", id)
	r.Header.Set("Test-Cookie", cookie)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	a := answer{status: w.Code, header: w.Header()}
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Fatalf("%s %s: %d %q is no JSON", method, path, w.Code, w.Body)
	}
	return a
}

type actions struct{ *world }

func (a actions) List(_ context.Context, state string) (any, error) { return a.did("list", state) }
func (a actions) Show(_ context.Context, id string) (any, error)    { return a.did("show", id) }
func (a actions) Explain(_ context.Context, id string) (any, error) { return a.did("explain", id) }
func (a actions) Challenge(_ context.Context, id, session string) (any, error) {
	return a.did("challenge", id, session)
}

func (a actions) Approve(_ context.Context, id, session string, c api.Confirmation) (any, func(context.Context), error) {
	out, err := a.did("approve", id, session, c.Phrase)
	return out, func(ctx context.Context) {
		if a.hold != nil {
			<-a.hold
		}
		cause := "goes on"
		if ctx.Err() != nil {
			cause = "was cancelled"
		}
		_, _ = a.did("executed", id, cause)
	}, err
}

func (a actions) Reject(_ context.Context, id, session, reason string) (any, error) {
	return a.did("reject", id, session, reason)
}
func (a actions) Permits(context.Context) (any, error)             { return a.did("permits") }
func (a actions) Revoke(_ context.Context, id string) (any, error) { return a.did("revoke", id) }
func (a actions) Audit(_ context.Context, limit int) (any, error) {
	b, _ := json.Marshal(limit)
	return a.did("audit", string(b))
}

type connections struct{ *world }

func (c connections) List(context.Context) (any, error)              { return c.did("connections") }
func (c connections) Show(_ context.Context, id string) (any, error) { return c.did("connection", id) }
func (c connections) Add(_ context.Context, in api.ConnectionIn) (any, error) {
	return c.did("add", *in.Name)
}
func (c connections) Set(_ context.Context, id string, _ api.ConnectionIn) (any, error) {
	return c.did("set", id)
}
func (c connections) Remove(_ context.Context, id string) (any, error) { return c.did("remove", id) }
func (c connections) Verify(_ context.Context, id string) (any, error) { return c.did("verify", id) }
func (c connections) SetSecret(_ context.Context, id, key string) (any, error) {
	return c.did("secret", id, key)
}
func (c connections) Usage(context.Context) (any, error) { return c.did("usage") }

type person struct{ *world }

func (o person) Initialized(context.Context) (bool, error) { return o.initialized, nil }
func (o person) Prove(_ context.Context, session, pass string) error {
	if pass != "correct horse" {
		return fault.New(fault.ReauthRequired, "this is not the passphrase")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.proved[session] = o.at.Add(10 * time.Minute)
	return nil
}

func (o person) Proved(_ context.Context, session string) (time.Time, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.proved[session], nil
}

type rooms struct{ *world }

func (r rooms) List(context.Context) (any, error) { return r.did("rooms") }
func (r rooms) Messages(_ context.Context, id string, after int64) (any, error) {
	b, _ := json.Marshal(after)
	return r.did("messages", id, string(b))
}

func (r rooms) Post(_ context.Context, id, text string, begun func(any, error)) {
	begun(r.did("post", id, text))
}
func (r rooms) Cancel(_ context.Context, id, turn string) (any, error) {
	return r.did("cancel", id, turn)
}

type killSwitch struct{ *world }

func (k killSwitch) State(context.Context) (any, error)                 { return k.did("killed") }
func (k killSwitch) Kill(_ context.Context, reason string) (any, error) { return k.did("kill", reason) }
func (k killSwitch) Unkill(_ context.Context, shown []string) (any, error) {
	return k.did("unkill", shown...)
}

type book struct{ *world }

func (b book) Tools(context.Context) (any, error)                      { return b.did("tools") }
func (b book) Commands(context.Context) (any, error)                   { return b.did("commands") }
func (b book) MCPConfig(_ context.Context, client string) (any, error) { return b.did("mcp", client) }
func (b book) Guide(context.Context) (any, error)                      { return b.did("guide") }
func (b book) Budget(context.Context) (any, error)                     { return b.did("budget") }
