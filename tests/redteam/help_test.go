package redteam_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

func errors(text string) func(*http.Request) string {
	return func(*http.Request) string { return `{"errors":[` + quoted(text) + `]}` }
}

func report(t *testing.T, through map[string][]string) {
	b, err := json.Marshal(through)
	if err == nil {
		err = os.WriteFile(*quiet, b, 0o600)
	}
	if err != nil {
		t.Error(err)
	}
}

// cleanName is the name of a client as its agent id has it, spelled out for the names
// that cases use: the product's own rule is what is tested.
func cleanName(s string) string {
	switch s {
	case "conn:main":
		return "conn-main"
	case "\x1b[31mMCP:\u202eksed\n\u200bdesk\x00":
		return "31mmcp-ksed-desk"
	case strings.Repeat("a/", 32<<10):
		return strings.TrimSuffix(strings.Repeat("a-", 16), "-")
	case "\u200b":
		return "unnamed"
	}
	return s
}
