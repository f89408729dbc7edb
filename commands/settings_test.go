package commands

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestSizes(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{
		"0": 0, "1": 1, "67108864": 64 << 20, "64MiB": 64 << 20, "64 mib": 64 << 20, "4KiB": 4096, "2GiB": 2 << 30, "12b": 12,
		"9223372036854775807": math.MaxInt64,
	} {
		if got, ok := parseSize(in); !ok || got != want {
			t.Errorf("parseSize(%q) = %d, %v, want %d", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "MiB", "-1", "1.5MiB", "64MB", "64 M", "1e6", "9223372036854775808", "9007199254740993GiB", "64MiBs", " 1"} {
		if got, ok := parseSize(in); ok {
			t.Errorf("parseSize(%q) = %d", in, got)
		}
	}
}

func TestLogSettings(t *testing.T) {
	t.Parallel()
	load := func(env map[string]string) (*Config, error) {
		env["HOME"] = t.TempDir()
		host := Host{Env: func(k string) (string, bool) { v, ok := env[k]; return v, ok }, Now: testClock}
		d := newDeps(host)
		newTree(d, nil)
		return d.Config()
	}
	c, err := load(map[string]string{})
	if err != nil || c.RotateBytes != 64<<20 || c.KeepBytes != 0 || c.TelemetryURL.Value != "" {
		t.Errorf("defaults: %v, rotate %d, keep %d", err, c.RotateBytes, c.KeepBytes)
	}
	c, err = load(map[string]string{"APE_CLAW_TELEMETRY_ROTATE_BYTES": "never", "APE_CLAW_TELEMETRY_KEEP_BYTES": "1GiB", "APE_CLAW_TELEMETRY_URL": "https://h.example"})
	if err != nil || c.RotateBytes != -1 || c.KeepBytes != 1<<30 || c.TelemetryURL.Value != "https://h.example" {
		t.Errorf("%v, rotate %d, keep %d", err, c.RotateBytes, c.KeepBytes)
	}
	for name, value := range map[string]string{
		"APE_CLAW_TELEMETRY_ROTATE_BYTES": "4095", "APE_CLAW_TELEMETRY_KEEP_BYTES": "0", "APE_CLAW_TELEMETRY_URL": "h.example",
	} {
		if _, err := load(map[string]string{name: value}); fault.CodeOf(err) != fault.Usage || fault.From(err).Hint == "" {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

func TestServerURLs(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"https://h.example", "http://127.0.0.1:8787/", "http://[::1]:1/base/", "HTTPS://h:65535"} {
		if !isServer(good) {
			t.Errorf("%s is refused", good)
		}
	}
	for _, bad := range []string{"h.example", "https://", "https://:8787", "ftp://h", "https://h:99999", "https://h:0", "https://h:x", "https://bot:canary@h", "https://bot@h",
		"https://h?token=canary", "https://h/#x", "https://h/?", "http://h\n"} {
		if isServer(bad) {
			t.Errorf("%s passes", bad)
		}
	}
}

// What is wrong with a setting is told in the words of where it stands.
func TestSettingsAreNamedByTheirSource(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, flag, env, says, hint string }{
		{file: "telemetry: {rotateBytes: 5}", says: `telemetry.rotateBytes "5"`, hint: "rotateBytes: 64MiB under telemetry in the config file"},
		{file: "telemetry: {rotateBytes: [1, 2]}", says: `"telemetry.rotatebytes" is no single value`, hint: "one text or number"},
		{file: "agent-id: [a, b]", says: `"agent-id" is no single value`, hint: "one text or number"},
		{file: "rpc: 2026-01-01", says: `"rpc" is no single value`, hint: "in quotes"},
		{file: "telemetry: {url: 'https://u:canary@h'}", says: "telemetry.url is not", hint: "url: https://HOST under telemetry"},
		{env: "APE_CLAW_TELEMETRY_URL=https://h:99999", says: "APE_CLAW_TELEMETRY_URL is not", hint: "export APE_CLAW_TELEMETRY_URL=https://HOST"},
		{file: "agent-id: A", says: `agent-id "A"`, hint: "agent-id: my-agent-1 in the config file"},
		{flag: "--agent-id=A", says: `--agent-id "A"`, hint: "--agent-id my-agent-1"},
		{env: "APE_CLAW_TRACE_ID=a b", says: "APE_CLAW_TRACE_ID", hint: "export APE_CLAW_TRACE_ID=my-trace-1"},
		{file: "log-level: loud", says: `log-level "loud"`, hint: "log-level: debug in the config file"},
		{file: "profile: x", says: `profile "x"`, hint: "profile: sandbox in the config file"},
		{file: "rpc: nowhere", says: "rpc is not", hint: "rpc: https://HOST in the config file"},
		{env: "RPC_URL_33139=http://h:99999", says: "RPC_URL_33139 is not", hint: "export RPC_URL_33139=https://HOST"},
	} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(tt.file), 0o600); err != nil {
			t.Fatal(err)
		}
		name, value, _ := strings.Cut(tt.env, "=")
		d := newDeps(Host{Env: func(k string) (string, bool) {
			switch k {
			case "APE_CLAW_HOME":
				return home, true
			case name:
				return value, name != ""
			}
			return "", false
		}, Now: testClock})
		root := newTree(d, nil)
		if err := root.ParseFlags(strings.Fields(tt.flag)); err != nil {
			t.Fatal(err)
		}
		_, err := d.Config()
		if f := fault.From(err); err == nil || f.Code != fault.Usage || !strings.Contains(f.Message, tt.says) || !strings.Contains(f.Hint, tt.hint) || strings.Contains(f.Message, "canary") {
			t.Errorf("%+v: %v (%s)", tt, err, f.Hint)
		}
	}
}
