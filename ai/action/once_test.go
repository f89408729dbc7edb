package action_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// shared is a world of several processes, with an action that waits.
func shared(t *testing.T) (w *world, s *action.Service, id string) {
	t.Helper()
	w = newWorld(t)
	w.now = time.Time{}
	w.writing()
	s = w.service(t)
	return w, s, propose(t, s, w.proposal("nft_buy", "q_1"))
}

// approving starts a process that approves an action.
func approving(t *testing.T, bin, dir, id string, env ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), bin)
	cmd.Env = append(append(os.Environ(), approverDir+"="+dir, approverID+"="+id), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// 32 goroutines and 6 processes approve one action at once: one executes it.
func TestApproveOnce(t *testing.T) {
	t.Parallel()
	w, s, id := shared(t)
	var mu sync.Mutex
	won, lost := 0, 0
	count := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		switch what {
		case string(action.Executed):
			won++
		case string(fault.ActionNotPending), string(fault.Conflict):
			lost++
		default:
			t.Errorf("an approval ended with %q", what)
		}
	}
	var confirmations []action.Confirmation
	for i := range 32 {
		session := fmt.Sprint("session_", i)
		card, err := s.Challenge(t.Context(), id, session)
		if err != nil {
			t.Fatal(err)
		}
		confirmations = append(confirmations, confirmation(card, session))
	}
	other := w.service(t)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			out, err := approving(t, os.Args[0], w.dir, id).Output()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			count(strings.TrimSpace(string(out)))
		})
	}
	for i, c := range confirmations {
		by := s
		if i%2 == 0 {
			by = other
		}
		wg.Go(func() {
			a, err := by.Approve(t.Context(), id, c)
			if err != nil {
				count(string(fault.CodeOf(err)))
				return
			}
			count(string(a.State))
		})
	}
	wg.Wait()
	if won != 1 || lost != 37 || entries(t, w.dir) != 1 {
		t.Errorf("%d won, %d lost, %d executions", won, lost, entries(t, w.dir))
	}
	if permits, err := s.Permits(t.Context(), id); err != nil || len(permits) != 1 {
		t.Errorf("permits %+v, %v", permits, err)
	}
	if _, err := s.Audit(t.Context(), "", 0); err != nil {
		t.Error(err)
	}
	n := 0
	for _, e := range w.events(t) {
		if e == "ai.action.executed" || e == "ai.grant.created" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d events of an approval and an execution, want 2", n)
	}
}

// crashing is the test binary built with crash points.
var crashing = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "action-crash")
	if err != nil {
		return "", err
	}
	crashingDir = dir
	bin := filepath.Join(dir, "action.test")
	out, err := exec.Command("go", "test", "-c", "-tags", "crashpoints", "-o", bin, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return bin, nil
})

// crashingDir is where that binary is, for TestMain to remove.
var crashingDir string

// A process that is killed between any two steps of an approval leaves an action
// that is still open, was executed once, or failed with an unknown outcome; it is
// never run a second time, whoever tries.
func TestKilledBetweenSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a binary")
	}
	t.Parallel()
	bin, err := crashing()
	if err != nil {
		t.Fatal(err)
	}
	// What is passed, by a run that is not killed.
	w, _, id := shared(t)
	list := filepath.Join(w.dir, "points")
	if out, err := approving(t, bin, w.dir, id, "APE_CLAW_CRASH_LOG="+list).Output(); err != nil || strings.TrimSpace(string(out)) != "executed" {
		t.Fatalf("%s, %v", out, err)
	}
	b, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	points := strings.Fields(string(b))
	if len(points) < 10 {
		t.Fatalf("only %d points: %q", len(points), points)
	}
	for i, point := range points {
		t.Run(fmt.Sprintf("%d %s", i+1, point), func(t *testing.T) {
			w, s, id := shared(t)
			if err := approving(t, bin, w.dir, id, fmt.Sprintf("APE_CLAW_CRASH_AT=#%d", i+1)).Run(); err == nil {
				t.Fatal("it was not killed")
			}
			ran := entries(t, w.dir)
			before, err := s.List(t.Context(), action.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			w.set(func() { w.now = time.Now().Add(time.Minute) }) // longer than a sign of life may fail to appear
			a := show(t, s, id)
			switch {
			case a.State == action.Proposed:
				if ran != 0 {
					t.Errorf("it ran and is open")
				}
				a, err := s.Approve(t.Context(), id, challenge(t, s, id)) // nothing was lost
				if err != nil || a.State != action.Executed || entries(t, w.dir) != 1 {
					t.Errorf("then %s, %v, %d executions", a.State, err, entries(t, w.dir))
				}
				return
			case a.State == action.Executed && ran == 1:
			case a.State == action.Failed && a.Outcome.Outcome == action.OutcomeUnknown && a.Outcome.Code == action.Interrupted:
			default:
				t.Errorf("%s %+v after %d executions; before it was %s", a.State, a.Outcome, ran, before[0].State)
			}
			_, err = s.Approve(t.Context(), id, challenge2(s, id))
			wantCode(t, err, fault.ActionNotPending)
			if n := entries(t, w.dir); n != ran || n > 1 {
				t.Errorf("%d executions, %d before", n, ran)
			}
			if _, err := s.Audit(t.Context(), "", 0); err != nil {
				t.Error(err)
			}
			// The log may tell what came of it; then it is no longer unknown, and never was run again.
			if a.State == action.Failed {
				w.set(func() { w.settled = action.Settled{State: action.Executed, TxHash: "0x" + strings.Repeat("cd", 32)} })
				if a := show(t, s, id); a.State != action.Executed || !a.Outcome.Reconciled || a.Outcome.Outcome != "" {
					t.Errorf("reconciled: %s %+v", a.State, a.Outcome)
				}
			}
			w.events(t)
		})
	}
}

// An execution that others took for dead ends as its own process says.
func TestLateOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, other := w.service(t, func(o *action.Options) { o.Beat = time.Hour }), w.service(t)
	id := propose(t, s, w.proposal("nft_buy", "q_1"))
	a, run, err := s.Begin(t.Context(), id, challenge(t, s, id))
	if err != nil || a.State != action.Executing {
		t.Fatal(a.State, err)
	}
	w.set(func() { w.now = w.now.Add(time.Minute) })
	if a := show(t, other, id); a.State != action.Failed || a.Outcome.Outcome != action.OutcomeUnknown || a.Outcome.Code != action.Interrupted {
		t.Fatalf("%s %+v", a.State, a.Outcome)
	}
	warned, err := other.Propose(t.Context(), w.proposal("nft_buy", "q_1"))
	if err != nil || len(warned.Warnings) != 1 || !strings.Contains(warned.Warnings[0], id) {
		t.Errorf("a second time is proposed without a warning: %+v, %v", warned, err)
	}
	if a, err = run(t.Context()); err != nil || a.State != action.Executed {
		t.Errorf("%s %+v, %v", a.State, a.Outcome, err)
	}
}

// An execution that goes on gives signs of life: nobody takes it for dead.
func TestBeating(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	quick := func(o *action.Options) { o.Beat = 10 * time.Millisecond }
	s, other := w.service(t, quick), w.service(t, quick)
	id := propose(t, s, w.proposal("nft_buy", "q_1"))
	began, end := make(chan struct{}), make(chan struct{})
	w.execute = waiting(began, end)
	done := make(chan error, 1)
	c := challenge(t, s, id)
	go func() { _, err := s.Approve(t.Context(), id, c); done <- err }()
	<-began
	for range 5 {
		w.set(func() { w.now = w.now.Add(50 * time.Millisecond) }) // of 80 that may pass without one
		if !beats(t, w, other, id) {
			t.Error("it was taken for dead")
			break
		}
	}
	close(end)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if a := show(t, other, id); a.State != action.Executed {
		t.Errorf("%s %+v", a.State, a.Outcome)
	}
}
