package commands

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What register sends where, what it says when that goes wrong, and that no secret is
// shown but the token, once.
func TestClawbotRegisterThere(t *testing.T) {
	t.Parallel()
	const key, invite = "canary-registration-key", "inv_canary0123456789abcdefghijklmnop"
	token := "claw_" + strings.Repeat("t0", 20)
	good := `{"registered":true,"agentId":"bot-1","name":"bot-1","token":"` + token + `"}`
	for _, tt := range []struct {
		name   string
		env    map[string]string
		args   []string
		stdin  string
		answer string // "" cuts the connection
		code   int
		sent   string // host, key and body; "" for nothing
		says   []string
	}{
		{"an invite by flag", nil, []string{"--api", "https://h.example/base", "--invite", invite}, "", good, 0, "h.example/base||" + invite, []string{token, "shown only once"}},
		{"an invite of the environment", map[string]string{"APE_CLAW_INVITE": invite, "APE_CLAW_API_BASE": "https://h.example"}, nil, "", good, 0, "h.example||" + invite, []string{token}},
		{"a key of the environment is not sent beside an invite", map[string]string{"APE_CLAW_REGISTRATION_KEY": key, "APE_CLAW_API_BASE": "https://h.example"}, []string{"--invite", invite}, "", good, 0, "h.example||" + invite, []string{token}},
		{"a key from standard input", nil, []string{"--api", "https://h.example", "--registration-key", "-"}, key + "\n", good, 0, "h.example|" + key + "|", []string{token}},
		{"standard input is empty", nil, []string{"--api", "https://h.example", "--registration-key", "-"}, "", good, 64, "", []string{"holds no registration key"}},
		{"open to all", nil, []string{"--api", "https://h.example"}, "", good, 0, "h.example||", []string{token}},
		{"the telemetry server, with an invite", map[string]string{"APE_CLAW_TELEMETRY_URL": "https://t.example"}, []string{"--invite", invite}, "", good, 0, "t.example||" + invite, []string{token}},
		{"here, though events go elsewhere", map[string]string{"APE_CLAW_TELEMETRY_URL": "https://t.example", "APE_CLAW_REGISTRATION_KEY": key}, nil, "", good, 0, "", []string{"Registered bot-1"}},
		{"an invite for nowhere", nil, []string{"--invite", invite}, "", good, 64, "", []string{"none is named", "--api https://HOST"}},
		{"a key for nowhere", nil, []string{"--registration-key", key}, "", good, 64, "", []string{"none is named"}},
		{"over http", nil, []string{"--api", "http://h.example", "--invite", invite}, "", good, 64, "", []string{"use https"}},
		{"over http, accepted", map[string]string{"APE_CLAW_TELEMETRY_INSECURE": "1"}, []string{"--api", "http://h.example", "--invite", invite}, "", good, 0, "h.example||" + invite, []string{token}},
		{"no URL", nil, []string{"--api", "h.example"}, "", good, 64, "", []string{"--api is not"}},
		{"the answer is lost", nil, []string{"--api", "https://h.example"}, "", "", 6, "h.example||", []string{"may have registered bot-1", "clawbot rotate --agent-id bot-1"}},
		{"the answer is nonsense", nil, []string{"--api", "https://h.example"}, "", `{"token":"x"}`, 6, "h.example||", []string{"clawbot rotate --agent-id bot-1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := map[string]string{"HOME": t.TempDir(), "APE_CLAW_STATE_DIR": t.TempDir()}
			for k, v := range tt.env {
				env[k] = v
			}
			sent := ""
			var out, errs bytes.Buffer
			code := Run(context.Background(), append([]string{"clawbot", "register", "--agent-id", "bot-1"}, tt.args...), Host{
				Stdin: strings.NewReader(tt.stdin), Stdout: &out, Stderr: &errs, Now: testClock,
				Env: func(k string) (string, bool) { v, ok := env[k]; return v, ok },
				Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					if !strings.HasSuffix(r.URL.Path, "/api/clawbots/register") {
						return nil, errors.New("no network")
					}
					body, err := io.ReadAll(r.Body)
					if err != nil || !strings.Contains(string(body), `"agentId":"bot-1"`) {
						t.Errorf("%s, %v", body, err)
					}
					sent = r.URL.Host + strings.TrimSuffix(r.URL.Path, "/api/clawbots/register") + "|" + r.Header.Get("X-Registration-Key") + "|"
					if strings.Contains(string(body), invite) {
						sent += invite
					}
					if tt.answer == "" {
						return nil, io.ErrUnexpectedEOF
					}
					return answer(r, 200, tt.answer), nil
				}),
			})
			text := out.String() + errs.String()
			if code != tt.code || sent != tt.sent {
				t.Errorf("exit %d, want %d; sent %q, want %q: %s", code, tt.code, sent, tt.sent, text)
			}
			for _, s := range tt.says {
				if !strings.Contains(text, s) {
					t.Errorf("%q is not in: %s", s, text)
				}
			}
			log, err := os.ReadFile(filepath.Join(env["APE_CLAW_STATE_DIR"], "events.jsonl"))
			if err != nil && !os.IsNotExist(err) {
				t.Error(err)
			}
			for _, secret := range []string{key, invite, token} {
				if strings.Contains(string(log), secret) || secret != token && strings.Contains(text, secret) {
					t.Errorf("%s is shown: %s %s", secret, text, log)
				}
			}
			if remote := `"remote":` + map[bool]string{true: "true", false: "false"}[tt.sent != ""]; code == 0 && !strings.Contains(string(log), remote) {
				t.Errorf("no %s in %s", remote, log)
			}
		})
	}
}

// --save keeps the credentials for the commands that follow, and loses none that are there.
func TestClawbotRegisterSaves(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HOME": t.TempDir(), "APE_CLAW_STATE_DIR": t.TempDir()}
	run := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := Run(context.Background(), args, Host{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Now: testClock,
			Env: func(k string) (string, bool) { v, ok := env[k]; return v, ok }})
		return code, out.String() + errs.String()
	}
	if code, text := run("clawbot", "register", "--agent-id", "bot-1", "--save", "--json"); code != 0 || !strings.Contains(text, `"saved":"`) || !strings.Contains(text, `"token":"claw_`) {
		t.Fatal(code, text)
	}
	if code, text := run("clawbot", "verify"); code != 0 || !strings.Contains(text, "bot-1") {
		t.Error(code, text)
	}
	code, text := run("clawbot", "register", "--agent-id", "bot-2", "--save")
	if code != 10 || !strings.Contains(text, "auth clear --field agent-token") {
		t.Error(code, text)
	}
	if _, text = run("clawbot", "list"); strings.Contains(text, "bot-2") {
		t.Error("it was registered, and its token is lost:", text)
	}
	fi, err := os.Stat(filepath.Join(env["HOME"], ".ape-claw", "auth.json"))
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Error(fi, err)
	}
}

// A server's settings that would be a mistake are refused at its start.
func TestServeRegistrationSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, value, says string }{
		{"APE_CLAW_REGISTRATION_KEY", "too-short", "shorter than 16 bytes"},
		{"APE_CLAW_OPEN_REGISTRATION", "perhaps", "neither true nor false"},
		{"APE_CLAW_REGISTRATION_COOLDOWN_MS", "-1", "not a whole number"},
		{"APE_CLAW_INVITE_TTL_MS", "1d", "not a whole number"},
		{"APE_CLAW_INVITE_MAX_USES", "many", "not a whole number"},
		{"APE_CLAW_SHARED_OPENSEA_KEY", "0a1b2c3d4e5f6071-canary", "neither 1 nor 0"},
	} {
		code, out, errs := runWith(t, map[string]string{tt.name: tt.value}, nil, "serve", "--addr", "127.0.0.1:0")
		if code != 64 || !strings.Contains(errs, tt.says) || strings.Contains(out+errs, "canary") || strings.Contains(errs, "too-short") {
			t.Errorf("%s: %d %s%s", tt.name, code, out, errs)
		}
	}
}
