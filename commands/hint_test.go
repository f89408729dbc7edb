package commands

import (
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Whoever reads that the call or the disk is wrong reads what to do about it.
func TestHintOf(t *testing.T) {
	t.Parallel()
	query, doctor := Command{Spec: Spec{Name: "events query"}}, Command{Spec: Spec{Name: "doctor"}}
	for _, tt := range []struct {
		c    Command
		e    *fault.Error
		want string
	}{
		{query, fault.New(fault.Usage, "x").Hintf("do this"), "do this"},
		{query, fault.New(fault.Usage, "x"), "ape-claw events query --help"},
		{Command{}, fault.New(fault.Usage, "x"), "ape-claw --help"},
		{query, fault.New(fault.StateUnusable, "x"), "ape-claw doctor says what is wrong with the directories and the files in them"},
		{doctor, fault.New(fault.StateUnusable, "x"), ""},
		{query, fault.New(fault.NotFound, "x"), ""},
	} {
		if got := hintOf(tt.c, tt.e); got != tt.want {
			t.Errorf("%s, %s: %q, want %q", tt.c.Name, tt.e.Code, got, tt.want)
		}
	}
}

func TestCounted(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 events", 1: "1 event", 2: "2 events"} {
		if got := counted(n, "event"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
