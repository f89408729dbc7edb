package fleet_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// entry is a line of a log.
type entry struct {
	end int64 // position after it

	EventType string
	AgentID   string
	TraceID   string
	TS        string
	EventID   string
	DryRun    bool
	OK        bool
	Payload   json.RawMessage
	Result    json.RawMessage
}

// says is what has to be the same on both sides.
func (e entry) says() string {
	return fmt.Sprintf("%s %s %s %s %t %t %s %s", e.TS, e.EventType, e.AgentID, e.TraceID, e.DryRun, e.OK, e.Payload, e.Result)
}

// readLog reads the log of a state directory, which must never have been rotated.
func readLog(t testing.TB, dir string) []entry {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var all []entry
	var at int64
	for line := range bytes.Lines(b) {
		at += int64(len(line))
		var e entry
		if json.Unmarshal(line, &e) != nil {
			t.Errorf("a bad line in %s: %.200q", dir, line)
			continue
		}
		e.end = at
		all = append(all, e)
	}
	return all
}

// outbox is what counts here of outbox.json.
type outbox struct {
	ID string `json:"outbox"`
}

func readOutbox(t testing.TB, dir string) outbox {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "outbox.json"))
	if err != nil {
		t.Fatal(err)
	}
	var o outbox
	if err := json.Unmarshal(b, &o); err != nil || o.ID == "" {
		t.Fatalf("outbox.json: %v\n%s", err, b)
	}
	return o
}

// checkArrived: the receiver's log has every event that the senders recorded since they
// report, once, in their order, under their agent, and saying the same; no other from
// elsewhere; and nothing was refused.
func checkArrived(t testing.TB, receiver string, senders ...*machine) {
	t.Helper()
	got := readLog(t, receiver)
	foreign := 0
	for _, e := range got {
		if e.EventID != "" {
			foreign++
		}
	}
	for _, m := range senders {
		box := readOutbox(t, m.state())
		if dead, err := os.ReadFile(filepath.Join(m.state(), "outbox-dead.jsonl")); err == nil && len(dead) > 0 {
			t.Errorf("%s has dead letters: %.500s", m.name, dead)
		}
		var want, have []string
		for _, e := range readLog(t, m.state()) {
			if e.EventID == "" && e.end > m.since {
				want = append(want, fmt.Sprintf("%s/%d %s", box.ID, e.end, e.says()))
			}
		}
		for _, e := range got {
			if strings.HasPrefix(e.EventID, box.ID+"/") {
				have = append(have, e.EventID+" "+e.says())
			}
		}
		foreign -= len(have)
		if len(want) == 0 {
			t.Errorf("%s recorded nothing", m.name)
		}
		if !slices.Equal(want, have) {
			t.Errorf("%s has %d events, the receiver %d of them:\n%s", m.name, len(want), len(have), firstDifference(want, have))
		}
	}
	if foreign != 0 {
		t.Errorf("the receiver has %d events that nobody here sent", foreign)
	}
}

func firstDifference(want, have []string) string {
	for i := range max(len(want), len(have)) {
		w, h := "nothing", "nothing"
		if i < len(want) {
			w = want[i]
		}
		if i < len(have) {
			h = have[i]
		}
		if w != h {
			return fmt.Sprintf("the %d. is sent as\n%s\nand kept as\n%s", i+1, w, h)
		}
	}
	return "no difference"
}
