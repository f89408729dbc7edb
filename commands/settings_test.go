package commands

import (
	"math"
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
