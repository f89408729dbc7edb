package commands

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// roundTrip is an http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(r *http.Request, status int, body string, header ...string) *http.Response {
	resp := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}
	for i := 0; i+1 < len(header); i += 2 {
		resp.Header.Set(header[i], header[i+1])
	}
	return resp
}

// runWith runs one command line with an environment and a network of its own.
func runWith(t *testing.T, env map[string]string, net roundTrip, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	env["HOME"], env["APE_CLAW_STATE_DIR"] = t.TempDir(), t.TempDir()
	var out, errs bytes.Buffer
	code = Run(context.Background(), args, Host{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Now: testClock, Transport: net,
		Env: func(k string) (string, bool) { v, ok := env[k]; return v, ok },
	})
	return code, out.String(), errs.String()
}

const remoteToken = "claw_0123456789abcdefremote"

func TestTailRemoteFaults(t *testing.T) {
	t.Parallel()
	const page = `{"events":[],"cursor":"abc-0"}`
	ok := func(r *http.Request) (*http.Response, error) { return answer(r, 200, page), nil }
	refuse := func(status int, code string) roundTrip {
		return func(r *http.Request) (*http.Response, error) {
			return answer(r, status, `{"error":"who are you","code":"`+code+`","hint":"send x-agent-id"}`), nil
		}
	}
	who := map[string]string{"APE_CLAW_AGENT_ID": "scout", "APE_CLAW_AGENT_TOKEN": remoteToken}
	for _, c := range []struct {
		name string
		env  map[string]string
		net  roundTrip
		args []string
		code int
		says []string
	}{
		{"no server", who, ok, []string{"--remote"}, 64, []string{"no remote server is configured", "export APE_CLAW_TELEMETRY_URL=https://HOST"}},
		{"two servers", who, ok, []string{"--remote", "--url", "http://127.0.0.1:1"}, 64, []string{"name two servers"}},
		{"no token", map[string]string{"APE_CLAW_TELEMETRY_URL": "https://h.example", "APE_CLAW_AGENT_ID": "scout"}, ok, []string{"--remote"}, 5, []string{"no agent's id and token", "APE_CLAW_AGENT_TOKEN"}},
		{"no agent", map[string]string{"APE_CLAW_TELEMETRY_URL": "https://h.example", "APE_CLAW_AGENT_TOKEN": remoteToken}, ok, []string{"--remote"}, 5, []string{"no agent's id and token"}},
		{"neither, on this machine", map[string]string{"APE_CLAW_TELEMETRY_URL": "http://localhost:1"}, ok, []string{"--remote"}, 0, []string{"No events."}},
		{"unknown to the server", with(who, "https://h.example"), refuse(401, "auth"), []string{"--remote"}, 5, []string{"who are you", "check APE_CLAW_AGENT_ID and APE_CLAW_AGENT_TOKEN"}},
		{"following, unknown to the server", with(who, "https://h.example"), refuse(403, "auth"), []string{"--remote", "--follow"}, 5, []string{"who are you", "check APE_CLAW_AGENT_ID"}},
		{"anonymous", who, refuse(401, "auth"), []string{"--url", "https://h.example"}, 5, []string{"use --remote"}},
		{"over http", with(who, "http://h.example"), ok, []string{"--remote"}, 0, []string{"the agent's token goes to h.example over http", "use https"}},
		{"over http to this machine", with(who, "http://127.0.0.1:9"), ok, []string{"--remote"}, 0, nil},
		{"something else answers", with(who, "https://h.example"), func(r *http.Request) (*http.Response, error) { return answer(r, 502, "<html>"), nil }, []string{"--remote"}, 6, []string{"answered 502"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := with(c.env, "")
			code, stdout, stderr := runWith(t, env, c.net, append([]string{"events", "tail"}, c.args...)...)
			if code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			for _, s := range c.says {
				if !strings.Contains(stdout+stderr, s) {
					t.Errorf("%q is not in\n%s%s", s, stdout, stderr)
				}
			}
			if strings.Contains(stdout+stderr, remoteToken) {
				t.Errorf("the token shows:\n%s%s", stdout, stderr)
			}
			if c.says == nil && stderr != "" {
				t.Errorf("it says %s", stderr)
			}
		})
	}
}

// with returns a copy of env, with the URL unless that is empty.
func with(env map[string]string, url string) map[string]string {
	out := map[string]string{}
	for k, v := range env {
		out[k] = v
	}
	if url != "" {
		out["APE_CLAW_TELEMETRY_URL"] = url
	}
	return out
}

// The credentials go to the origin that was configured, and nowhere else.
func TestTailRemoteKeepsItsCredentials(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"events", "tail", "--remote"}, {"events", "tail", "--remote", "--follow"}} {
		seen := map[string]string{}
		net := func(r *http.Request) (*http.Response, error) {
			seen[r.URL.Host] = r.Header.Get("x-agent-id") + "/" + r.Header.Get("x-agent-token")
			if r.URL.RawQuery != "" && strings.Contains(r.URL.RawQuery, remoteToken) {
				t.Errorf("the token stands in a URL: %s", r.URL)
			}
			if r.URL.Host == "h.example" {
				return answer(r, 302, "", "Location", "https://evil.example/events/backlog"), nil
			}
			return answer(r, 404, "no"), nil
		}
		runWith(t, with(map[string]string{"APE_CLAW_AGENT_ID": "scout", "APE_CLAW_AGENT_TOKEN": remoteToken}, "https://h.example"), net, args...)
		if seen["h.example"] != "scout/"+remoteToken || seen["evil.example"] != "/" {
			t.Errorf("%v: %v", args, seen)
		}
	}
}

// A server whose log is replaced twice has lost events twice, and each is told.
func TestTailRemoteTellsEachReset(t *testing.T) {
	t.Parallel()
	net := func(r *http.Request) (*http.Response, error) {
		return answer(r, 200, "retry: 1\n\n"+
			"id: 0-0\nevent: reset\ndata: {\"from\":\"one-10\",\"oldest\":\"two-0\",\"reason\":\"unknown\"}\n\n"+
			"id: 0-0\nevent: reset\ndata: {\"from\":\"two-20\",\"oldest\":\"tre-0\",\"reason\":\"unknown\"}\n\n"+
			"id: 0-0\nevent: reset\ndata: {\"from\":\"tre-30\",\"oldest\":\"tre-40\",\"reason\":\"gone\"}\n\n",
			"Content-Type", "text/event-stream"), nil
	}
	first := true
	once := func(r *http.Request) (*http.Response, error) {
		if !first {
			return answer(r, 403, `{"error":"enough","code":"auth"}`), nil
		}
		first = false
		return net(r)
	}
	code, _, stderr := runWith(t, map[string]string{}, once, "events", "tail", "--url", "https://h.example", "--follow")
	for _, s := range []string{"cut or replaced after one-10", "cut or replaced after two-20", "after tre-30 were removed"} {
		if strings.Count(stderr, s) != 1 {
			t.Errorf("%q is not there once:\n%s", s, stderr)
		}
	}
	if code != 5 {
		t.Errorf("exit %d", code)
	}
}
