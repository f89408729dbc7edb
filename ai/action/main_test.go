package action_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The test binary is its own child: with approverDir set it approves an action of
// that directory, with all confirmations, and says what came of it; or it rejects it,
// or proposes one. Its clock is the machine's.
const (
	approverDir = "APE_CLAW_TEST_APPROVER_DIR"
	approverID  = "APE_CLAW_TEST_APPROVER_ACTION"
	approverDo  = "APE_CLAW_TEST_APPROVER_DO" // propose, reject; "": approve
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(approverDir); dir != "" {
		os.Exit(approver(dir, os.Getenv(approverID)))
	}
	code := m.Run()
	if crashingDir != "" {
		_ = os.RemoveAll(crashingDir) // a leftover in the temporary directory
	}
	os.Exit(code)
}

// approver prints the state of the action that it approved, or the code of the
// refusal.
func approver(dir, id string) int {
	var t testingless
	defer t.end()
	w := newWorldIn(dir)
	w.now = time.Time{}
	w.writing()
	s := w.service(&t)
	a, err := func() (action.Action, error) {
		switch os.Getenv(approverDo) {
		case "propose":
			p, err := s.Propose(context.Background(), w.proposal("nft_buy", "q_1"))
			return action.Action{State: action.State(p.State)}, err
		case "reject":
			return s.Reject(context.Background(), id, "operator", "no")
		}
		card, err := s.Challenge(context.Background(), id, "session_"+fmt.Sprint(os.Getpid()))
		if err != nil {
			return action.Action{}, err
		}
		return s.Approve(context.Background(), id, confirmation(card, "session_"+fmt.Sprint(os.Getpid())))
	}()
	var e *fault.Error
	switch {
	case err == nil:
		fmt.Println(a.State)
	case errors.As(err, &e):
		fmt.Println(e.Code)
	default:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// testingless is what a world needs of a test, in a process that runs none.
type testingless struct {
	testing.TB
	cleanups []func()
}

func (t *testingless) Helper()          {}
func (t *testingless) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }
func (t *testingless) end() {
	for _, f := range t.cleanups {
		f()
	}
}

// writing makes an execution leave a line in the world's diary, and an event.
func (w *world) writing() {
	w.execute = func(_ context.Context, c ai.Call, a ai.Approval) (any, error) {
		return json.RawMessage(`{"ok":true}`), diary(w.dir, string(c.Args)+" "+a.ActionID)
	}
}
