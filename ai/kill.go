package ai

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// KillCause begins the lines of the home's HALT that stop models. A line of another
// cause stops what spends; turns, tool calls and proposals go on.
const KillCause = "ai"

// watchEvery is how often Watch looks: a quarter of a second, so that a turn ends
// well within the second that the switch promises. A look reads one small file.
const watchEvery = 250 * time.Millisecond

// Killed returns why models are stopped: the lines "ai: …" of <home>/HALT. A file
// that can't be read or gives no cause stops them too.
func Killed(home string) []string { return policy.HaltedBy(home, KillCause) }

// KillError is the refusal while the switch is on, and nil for no lines.
func KillError(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	return fault.New(fault.Killed, "the AI kill switch is on: %s", lines[0]).
		Hintf("a person lifts it: ape-claw ai unkill").With("halted", lines).WithSent(fault.SentNo)
}

// Watch returns a context that ends when ctx does, and within half a second of the
// kill switch being turned, whichever process turned it: its cause is then the
// refusal of KillError. The file is looked at, not waited for: a look works on any
// file system and when no notice of changes is to be had. Call stop once the work
// is over; it returns when nothing of Watch runs any more.
func Watch(ctx context.Context, home string) (watched context.Context, stop context.CancelFunc) {
	return WatchFunc(ctx, func() []string { return Killed(home) })
}

// WatchFunc is Watch with another look at the switch.
func WatchFunc(ctx context.Context, killed func() []string) (watched context.Context, stop context.CancelFunc) {
	watched, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	if err := KillError(killed()); err != nil {
		cancel(err)
		close(done)
	} else {
		go func() {
			defer close(done)
			look := time.NewTicker(watchEvery)
			defer look.Stop()
			for {
				select {
				case <-watched.Done():
					return
				case <-look.C:
					if err := KillError(killed()); err != nil {
						cancel(err)
						return
					}
				}
			}
		}()
	}
	return watched, func() {
		cancel(context.Canceled)
		<-done
	}
}

// Stopped is why a context of Watch ended: the kill switch's refusal, else ctx's
// own error.
func Stopped(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	if err := context.Cause(ctx); fault.CodeOf(err) == fault.Killed {
		return err
	}
	return ctx.Err()
}
