package commands

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

// machine runs commands in a home and state directory of their own, against a
// remote that a test plays.
type machine struct {
	t         *testing.T
	home, dir string
	env       map[string]string
	net       roundTrip
	now       time.Time
	mu        sync.Mutex
	took      []string // event types
	requests  int
	auth      []string
}

func newMachine(t *testing.T) *machine {
	m := &machine{t: t, home: t.TempDir(), dir: filepath.Join(t.TempDir(), "state"), now: testClock(), env: map[string]string{
		"APE_CLAW_TELEMETRY_URL": "https://fleet.example", "APE_CLAW_AGENT_ID": "scout", "APE_CLAW_AGENT_TOKEN": remoteToken}}
	m.net = m.take
	return m
}

// take answers as a serve does.
func (m *machine) take(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	m.requests++
	m.auth = append(m.auth, r.URL.String()+" "+r.Header.Get("x-agent-id")+" "+r.Header.Get("x-agent-token"))
	var results []string
	for line := range bytes.Lines(b) {
		var e telemetry.Event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		m.took = append(m.took, e.EventType)
		results = append(results, fmt.Sprintf(`{"line":%d,"status":"accepted","eventId":%q}`, len(results)+1, e.EventID))
	}
	return answer(r, 200, `{"ok":true,"results":[`+strings.Join(results, ",")+`]}`), nil
}

func (m *machine) run(args ...string) (code int, stdout, stderr string) {
	m.t.Helper()
	m.env["HOME"], m.env["APE_CLAW_STATE_DIR"] = m.home, m.dir
	var out, errs bytes.Buffer
	code = Run(context.Background(), args, Host{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Now: func() time.Time { return m.now },
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if m.net == nil || r.URL.Hostname() != "fleet.example" {
				return nil, errors.New("nobody is there")
			}
			return m.net(r)
		}),
		Env: func(k string) (string, bool) { v, ok := m.env[k]; return v, ok },
	})
	return code, out.String(), errs.String()
}

func (m *machine) ok(args ...string) (stdout, stderr string) {
	m.t.Helper()
	code, stdout, stderr := m.run(args...)
	if code != 0 {
		m.t.Fatalf("%v: exit %d\n%s%s", args, code, stdout, stderr)
	}
	return stdout, stderr
}

// TestForwardCommands: what commands record arrives at the remote, once, also what
// they record of their failure; and nothing of what was recorded before.
func TestForwardCommands(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	url := m.env["APE_CLAW_TELEMETRY_URL"]
	delete(m.env, "APE_CLAW_TELEMETRY_URL")
	m.ok("events", "emit", "my.before")
	m.env["APE_CLAW_TELEMETRY_URL"] = url
	m.ok("events", "emit", "my.one")
	m.net = func(*http.Request) (*http.Response, error) { return nil, errors.New("no route to host") }
	_, stderr := m.ok("events", "emit", "my.two", "--json")
	if !strings.Contains(stderr, "events wait to be forwarded to fleet.example: it can't be reached: no route to host") {
		t.Errorf("stderr %q", stderr)
	}
	m.net = m.take
	if _, stderr := m.ok("events", "emit", "my.three"); stderr != "" || m.requests != 1 {
		t.Errorf("while paused: %d requests, stderr %q", m.requests, stderr)
	}
	m.now = m.now.Add(time.Minute)
	if code, _, stderr := m.run("nft", "quotes", "show", "nope"); code == 0 {
		t.Errorf("exit %d: %s", code, stderr)
	}
	m.ok("events", "tail") // only reads
	want := "my.one my.two my.three command.failed"
	if got := strings.Join(m.took, " "); got != want {
		t.Errorf("taken %s, want %s", got, want)
	}
	if m.auth[0] != "https://fleet.example/api/events scout "+remoteToken {
		t.Errorf("asked as %s", m.auth[0])
	}
}

func TestForwardMissing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		set  map[string]string
		says string
	}{
		{"no credentials", map[string]string{"APE_CLAW_AGENT_ID": "", "APE_CLAW_AGENT_TOKEN": ""}, "no agent's id and token are set"},
		{"no token", map[string]string{"APE_CLAW_AGENT_TOKEN": ""}, "agent scout has no token"},
		{"no id", map[string]string{"APE_CLAW_AGENT_ID": ""}, "no agent's id is set"},
		{"in the clear", map[string]string{"APE_CLAW_TELEMETRY_URL": "http://fleet.example"}, "APE_CLAW_TELEMETRY_INSECURE=1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			for k, v := range tt.set {
				m.env[k] = v
			}
			_, stderr := m.ok("events", "emit", "my.one")
			if strings.Count(stderr, "warning") != 1 || !strings.Contains(stderr, tt.says) || m.requests != 0 {
				t.Errorf("%d requests, stderr %q", m.requests, stderr)
			}
			if code, _, _ := m.run("events", "flush"); code == 0 {
				t.Error("events flush says that all is well")
			}
			m.env = newMachine(t).env
			if out, _ := m.ok("events", "flush"); !strings.Contains(out, "Sent 1 event;") {
				t.Errorf("flush: %s", out)
			}
		})
	}
}

// TestForwardSettings: what makes no sense is told before anything happens.
func TestForwardSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		env  map[string]string
		says []string
	}{
		{"remote only, without a remote", map[string]string{"APE_CLAW_TELEMETRY_URL": "", "APE_CLAW_TELEMETRY_REMOTE_ONLY": "1"}, []string{"APE_CLAW_TELEMETRY_REMOTE_ONLY", "APE_CLAW_TELEMETRY_URL"}},
		{"neither true nor false", map[string]string{"APE_CLAW_TELEMETRY_REMOTE_ONLY": "maybe"}, []string{"APE_CLAW_TELEMETRY_REMOTE_ONLY", "neither true nor false"}},
		{"a user", map[string]string{"APE_CLAW_TELEMETRY_URL": "https://me:hunter2hunter2@fleet.example"}, []string{"without user"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			for k, v := range tt.env {
				m.env[k] = v
			}
			code, _, stderr := m.run("events", "emit", "my.one")
			if code != 64 || strings.Contains(stderr, "hunter2") {
				t.Errorf("exit %d: %s", code, stderr)
			}
			for _, s := range tt.says {
				if !strings.Contains(stderr, s) {
					t.Errorf("%q is not in %q", s, stderr)
				}
			}
		})
	}
}

// TestRemoteOnly: nothing stays here, what waits survives, and who reads the local
// log is told.
func TestRemoteOnly(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.ok("events", "emit", "my.local")
	m.env["APE_CLAW_TELEMETRY_REMOTE_ONLY"] = "1"
	m.net = nil
	m.ok("events", "emit", "my.one")
	if b, err := os.ReadFile(filepath.Join(m.dir, "events.jsonl")); err != nil || bytes.Contains(b, []byte("my.one")) {
		t.Errorf("local log: %s, %v", b, err)
	}
	if _, stderr := m.ok("events", "tail"); !strings.Contains(stderr, "APE_CLAW_TELEMETRY_REMOTE_ONLY") {
		t.Errorf("tail says %q", stderr)
	}
	m.net, m.now = m.take, m.now.Add(time.Minute)
	delete(m.env, "APE_CLAW_TELEMETRY_REMOTE_ONLY") // what waits is sent all the same
	m.ok("events", "emit", "my.two")
	if got := strings.Join(m.took, " "); got != "my.local my.two my.one" {
		t.Errorf("taken %s", got)
	}
}

// TestFlushDead: what is refused for good can be seen, and sent again.
func TestFlushDead(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.net = func(r *http.Request) (*http.Response, error) {
		return answer(r, 400, `{"ok":false,"results":[{"line":1,"status":"rejected","code":"usage","error":"no\u0007 good","field":"ts"}]}`), nil
	}
	if _, stderr := m.ok("events", "emit", "my.one"); !strings.Contains(stderr, "refused 1 event for good") {
		t.Errorf("stderr %q", stderr)
	}
	code, stdout, _ := m.run("events", "flush", "--dead")
	if code != 9 || !strings.Contains(stdout, "no  good (field ts)") || !strings.Contains(stdout, "my.one") {
		t.Errorf("exit %d: %s", code, stdout)
	}
	if _, doctor, _ := m.run("doctor", "--json"); !strings.Contains(doctor, "refused 1 event for good") {
		t.Errorf("doctor: %s", doctor)
	}
	m.net = m.take
	// That of doctor, too.
	if stdout, _ := m.ok("events", "flush", "--dead", "--json"); !strings.Contains(stdout, `"sent":2`) || !strings.Contains(stdout, `"dead":0`) {
		t.Errorf("%s", stdout)
	}
}

// TestFlushFails says why, and as what.
func TestFlushFails(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{403: 5, 500: 6, 404: 6} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.net = func(r *http.Request) (*http.Response, error) { return answer(r, status, "{}"), nil }
			m.ok("events", "emit", "my.one")
			if code, stdout, _ := m.run("events", "flush"); code != want || !strings.Contains(stdout, fmt.Sprint(status)) {
				t.Errorf("exit %d: %s", code, stdout)
			}
		})
	}
}
