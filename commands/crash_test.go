package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// A fault of ours is told like every other: one document, exit 1, nothing of what
// was in memory.
func TestPanicIsToldAsOneDocument(t *testing.T) {
	t.Parallel()
	for _, asJSON := range []bool{true, false} {
		var stdout, stderr bytes.Buffer
		home := t.TempDir()
		args := []string{"quickstart"}
		if asJSON {
			args = append(args, "--json")
		}
		exit := Run(context.Background(), args, Host{
			Stdout: &stdout, Stderr: &stderr, Env: func(key string) (string, bool) { return home, key == "HOME" },
			Now: func() time.Time { panic("canary in memory") },
		})
		if exit != 1 || strings.Contains(stdout.String()+stderr.String(), "canary") {
			t.Errorf("exit %d, %s%s", exit, &stdout, &stderr)
		}
		var doc map[string]any
		if asJSON && (json.Unmarshal(stdout.Bytes(), &doc) != nil || doc["code"] != "internal" || doc["sent"] != "maybe") {
			t.Errorf("%s", &stdout)
		}
		if !asJSON && !strings.Contains(stderr.String(), "internal error") {
			t.Errorf("%s", &stderr)
		}
	}
}
