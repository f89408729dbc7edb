package commands

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const canary = "claw_canary0123456789abcdefghijklmnopqrstuvwxyz01"

// The results of two commands carry a token, and no other's.
func TestWhichResultsShowAToken(t *testing.T) {
	t.Parallel()
	var bearers []string
	for _, c := range Specs() {
		bearer, bears := reflect.Zero(c.Out).Interface().(tokenBearer)
		holds := false
		for _, f := range reflect.VisibleFields(c.Out) {
			if f.Type == reflect.TypeFor[shownOnce]() {
				holds = true
				if bears && jsonName(f) != fieldOf(bearer) {
					t.Errorf("%s: its token is in %q", c.Name, jsonName(f))
				}
			}
		}
		if bears != holds {
			t.Errorf("%s: has a token %t, shows one %t", c.Name, holds, bears)
		}
		if bears {
			bearers = append(bearers, c.Name)
		}
	}
	if want := []string{"clawbot register", "clawbot rotate", "clawbot invite", "ai mcp token new"}; !slices.Equal(bearers, want) {
		t.Errorf("tokens are shown by %v, want %v", bearers, want)
	}
}

// Whatever else prints a new token hides it.
func TestTokenIsHiddenElsewhere(t *testing.T) {
	t.Parallel()
	once := shownOnce{canary}
	out := ClawbotRegisterOut{OK: true, AgentID: "bot-1", Token: once}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "token", once, "in", out)
	js, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{fmt.Sprint(once), fmt.Sprintf("%v %+v %#v %s %q", out, out, out, once, once), fmt.Sprint(&out), string(js), log.String()} {
		if strings.Contains(s, "canary") {
			t.Errorf("it is shown: %s", s)
		}
	}
}

// The exception is the one field of the one result: everything else the run
// writes goes on being redacted, the token included.
func TestOnlyTheResultShowsTheToken(t *testing.T) {
	t.Parallel()
	for _, asJSON := range []bool{true, false} {
		var stdout, stderr bytes.Buffer
		d := newDeps(Host{Stdout: &stdout, Stderr: &stderr, Now: time.Now, Env: func(key string) (string, bool) {
			return map[string]string{"HOME": t.TempDir(), "APE_CLAW_LOG_LEVEL": "debug"}[key], true
		}})
		d.wantJSON = asJSON
		out := ClawbotRegisterOut{OK: true, Registered: true, AgentID: "bot-1", Name: "named " + canary, Token: d.issued(canary), Note: "note " + canary}
		if err := d.printResult(newClawbotRegister(), out); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(stdout.String(), canary); n != 1 {
			t.Errorf("json %t: the result shows the token %d times: %s", asJSON, n, &stdout)
		}
		if asJSON && !strings.Contains(stdout.String(), `"token":"`+canary+`"`) {
			t.Errorf("the result: %s", &stdout)
		}
		stdout.Reset()
		d.printError(newClawbotRegister(), fault.Wrap(errors.New(canary), fault.Internal, "oh %s", canary).Hintf("try %s", canary).With("token", canary))
		d.warn("the token is %s", canary)
		d.loggerAt("debug").Debug("made", "token", canary, "text", "it is "+canary)
		if all := stdout.String() + stderr.String(); strings.Contains(all, "canary") {
			t.Errorf("json %t: it is shown: %s", asJSON, all)
		}
		if got := string(d.redactor().Bytes([]byte(`{"eventType":"x.y","payload":{"text":"` + canary + `"}}`))); strings.Contains(got, "canary") {
			t.Errorf("an event shows it: %s", got)
		}
	}
}

// A document with no place for the token, or two, shows none.
func TestShowTokenNeedsOnePlace(t *testing.T) {
	t.Parallel()
	for doc, ok := range map[string]bool{
		`{"token":"[redacted]"}`: true, `{}`: false, `{"token":"[redacted]","a":{"token":"[redacted]"}}`: false,
		`{"name":"\"token\":\"[redacted]\"","token":"[redacted]"}`: true, `{"token":"other"}`: false,
	} {
		got, err := showToken([]byte(doc), tokenField, shownOnce{canary})
		if (err == nil) != ok || strings.Contains(string(got), canary) != ok {
			t.Errorf("%s: %s, %v", doc, got, err)
		}
		if ok && !strings.HasSuffix(string(got), `"token":"`+canary+`"}`) {
			t.Errorf("%s: %s", doc, got)
		}
	}
}
