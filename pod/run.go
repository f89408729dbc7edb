package pod

import (
	"context"
	"errors"
	"path"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Options are what a run works with. Workspace, Stepper, Now, Halted and Record are needed.
type Options struct {
	Workspace *Workspace
	Stepper   Stepper
	Now       func() time.Time
	Every     time.Duration // between the begin of two ticks
	Ticks     int           // 0: until it is stopped
	DryRun    bool
	StepTime  time.Duration // 0: 10 min
	Halted    func() []string
	Record    func(ctx context.Context, d telemetry.Draft) error
	Redact    func(string) string
	PID       int
	Lock      *store.Lock  // of TakeTurn
	Told      func(Record) // each action that is over; may be nil
}

const (
	// lookEvery is how often a run looks whether it is to end: it does within a second.
	lookEvery = 200 * time.Millisecond
	// failedInARow and sameInARow are what makes a run stuck.
	failedInARow, sameInARow = 3, 5
	// mostWait bounds the time between two ticks of a run that fails.
	mostWait = 15 * time.Minute
)

// Why a run ended.
const (
	EndTicks   = "ticks"   // it did as many as it was told to
	EndFlag    = "stopped" // the flag was raised
	EndHalted  = "halted"  // everything that spends is halted
	EndSignal  = "signal"  // the process was told to end
	EndFailure = "failure" // the workspace or the log can't be written
)

// Result is how a run ended.
type Result struct {
	Run     string
	Ended   string
	Why     string // in words, of a flag or a halt
	Ticks   int
	Failed  int
	Resumed []Record // what an earlier run was cut off in
	Stuck   bool
}

// TakeTurn makes this process the one that runs the workspace.
func (w *Workspace) TakeTurn(ctx context.Context) (*store.Lock, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second) // a status holds it for a moment
	defer cancel()
	lock, err := store.AcquireLock(ctx, path.Join(w.dir, fileLock))
	if fault.CodeOf(err) == fault.Conflict {
		return nil, running()
	}
	return lock, err
}

// run is a run of the harness.
type run struct {
	Options
	out     Result
	failing int
	same    int
	last    string
	cutOff  []Record

	mu   sync.Mutex // guards beat
	beat Beat
}

// errEnd is why the context of a run ended.
type errEnd struct{ end, why string }

func (e errEnd) Error() string { return e.end + ": " + e.why }

// Run works tick by tick until it is told to end, and says then why it did. An error
// means that workspace or log can't be written: then nothing more is begun.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.StepTime == 0 {
		o.StepTime = 10 * time.Minute
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	r := &run{Options: o, out: Result{Run: store.NewID("run_")}}
	r.beat = Beat{Run: r.out.Run, PID: o.PID, DryRun: o.DryRun}
	err := r.all(ctx)
	if r.out.Ended == "" {
		r.out.Ended = EndFailure
	}
	// Whatever ended it, the workspace says so, if it can be written at all.
	r.beat.Ended = r.out.Ended
	err = errors.Join(err, r.Workspace.Beat(r.beat, o.Now()))
	if told := r.record(ctx, "pod.run.stopped", nil, map[string]any{"reason": r.out.Ended, "ticks": r.out.Ticks, "failed": r.out.Failed}); err == nil {
		err = told
	}
	return r.out, err
}

func (r *run) all(ctx context.Context) error {
	if !r.Workspace.has(fileAgents) {
		return fault.New(fault.NotFound, "%s is no workspace yet", store.Display(r.Workspace.dir)).Hintf("ape-claw pod init").WithSent(fault.SentNo)
	}
	if end, is := r.look(); is {
		r.out.Ended, r.out.Why = end.end, end.why
		return nil
	}
	if err := r.Workspace.reserve(); err != nil {
		return err
	}
	if err := r.resume(ctx); err != nil {
		return err
	}
	if err := r.record(ctx, "pod.run.started", map[string]any{"by": r.Stepper.Name(), "everyMs": r.Every.Milliseconds(), "ticks": r.Ticks}, map[string]any{"resumed": len(r.cutOff)}); err != nil {
		return err
	}
	watched, stop := r.watch(ctx)
	defer stop()
	for {
		err := r.tick(watched)
		if watched.Err() != nil {
			return r.ended(watched, err)
		}
		if err != nil {
			return err
		}
		if r.Ticks > 0 && r.out.Ticks == r.Ticks {
			r.out.Ended = EndTicks
			return nil
		}
		timer := time.NewTimer(r.pause())
		select {
		case <-watched.Done():
			timer.Stop()
			return r.ended(watched, nil)
		case <-timer.C:
		}
	}
}

// ended is why the watched context is over. An error of the tick that it cut off
// stands beside it.
func (r *run) ended(ctx context.Context, err error) error {
	var end errEnd
	cause := context.Cause(ctx)
	switch {
	case errors.As(cause, &end):
		r.out.Ended, r.out.Why = end.end, end.why
	case errors.Is(cause, context.Canceled):
		r.out.Ended = EndSignal
	default:
		return errors.Join(err, cause) // a heartbeat could not be written
	}
	return err
}

// look says whether the run is to end, and why.
func (r *run) look() (errEnd, bool) {
	if lines := r.Halted(); len(lines) > 0 {
		return errEnd{EndHalted, lines[0]}, true
	}
	if flag := r.Workspace.stopped(); flag != "" {
		return errEnd{EndFlag, flag + ": " + r.Workspace.stopReason()}, true
	}
	return errEnd{}, false
}

// watch returns a context that ends with ctx, with the flag or the halt, or when no
// heartbeat can be written. It beats now and every two minutes.
func (r *run) watch(ctx context.Context) (context.Context, func()) {
	watched, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		look, beat := time.NewTicker(lookEvery), time.NewTicker(BeatEvery)
		defer look.Stop()
		defer beat.Stop()
		if err := r.heartbeat(watched); err != nil {
			cancel(err)
		}
		for {
			select {
			case <-watched.Done():
				return
			case <-look.C:
				if end, is := r.look(); is {
					cancel(end)
				}
			case <-beat.C:
				if err := r.heartbeat(watched); err != nil {
					cancel(err)
				}
			}
		}
	})
	return watched, func() { cancel(nil); wg.Wait() }
}

func (r *run) heartbeat(ctx context.Context) error {
	r.mu.Lock()
	b := r.beat
	r.mu.Unlock()
	if err := r.Workspace.Beat(b, r.Now()); err != nil {
		return err
	}
	return r.record(ctx, "pod.heartbeat", nil, map[string]any{"tick": b.Tick, "stuck": b.Stuck, "by": r.Stepper.Name()})
}

func (r *run) record(ctx context.Context, event string, payload, result map[string]any) error {
	return r.Record(context.WithoutCancel(ctx), telemetry.Draft{Type: event, DryRun: r.DryRun, Payload: payload, Result: result})
}

// resume finishes what an earlier run left.
func (r *run) resume(ctx context.Context) error {
	cut, err := r.Workspace.recover(r.Now())
	if err != nil {
		return err
	}
	r.cutOff, r.out.Resumed = cut, cut
	for _, a := range cut {
		if err := r.record(ctx, "pod.action.interrupted", map[string]any{"actionId": a.ID}, map[string]any{"about": a.About, "tick": a.Tick}); err != nil {
			return err
		}
	}
	return nil
}

// pause is the time to the next tick: longer while steps fail.
func (r *run) pause() time.Duration {
	if r.failing == 0 {
		return r.Every
	}
	return min(r.Every<<min(r.failing, 4), max(mostWait, r.Every))
}

// tick is one action: written down before it begins, and when it is over.
func (r *run) tick(ctx context.Context) error {
	w, now := r.Workspace, r.Now()
	tasks, err := w.Tasks()
	if err != nil {
		return err
	}
	parts, err := w.parts(now)
	if err != nil {
		return err
	}
	about := firstOpen(tasks)
	a := Record{ID: newActionID(now), Run: r.out.Run, Tick: r.out.Ticks + 1, State: ActionRunning, DryRun: r.DryRun,
		By: r.Stepper.Name(), About: about, Began: now.UTC().Format(stampLayout)}
	if a.About == "" {
		a.About = "no open task: a look around"
	}
	if err := w.save(a); err != nil {
		return err
	}
	store.CrashPoint("pod.saved")
	if err := w.changeTasks(change{begin: a.ID, about: a.About}); err != nil {
		return err
	}
	store.CrashPoint("pod.begun")
	r.mu.Lock()
	r.beat.Tick = a.Tick
	r.mu.Unlock()
	in := Context{Action: a.ID, Tick: a.Tick, DryRun: r.DryRun, Now: now, About: about, CutOff: r.cutOff, Failing: r.failing, Parts: parts}
	stepping, cancel := context.WithTimeout(ctx, r.StepTime)
	said, stepErr := r.Stepper.Step(stepping, in)
	cancel()
	store.CrashPoint("pod.stepped")
	r.finish(ctx, &a, said, stepErr)
	if err := w.again(func() error { return w.conclude(a) }); err != nil {
		f := *fault.From(err)
		// What the step said is told at least here, and the record still says that it began.
		return f.With("action", a)
	}
	r.cutOff = nil
	r.out.Ticks++
	if err := r.told(ctx, a); err != nil {
		return err
	}
	return r.judge(ctx, a, tasks)
}

// finish puts the outcome of a step into its record.
func (r *run) finish(ctx context.Context, a *Record, said Step, err error) {
	a.take(r.Redact(said.Text))
	a.TraceID, a.Ended, a.State = said.TraceID, r.Now().UTC().Format(stampLayout), ActionDone
	switch {
	case err == nil:
		return
	case ctx.Err() != nil:
		a.State, a.Error = ActionStopped, "the run was told to end"
	case errors.Is(err, context.DeadlineExceeded):
		a.State, a.Error = ActionFailed, "it took longer than "+r.StepTime.String()
	default:
		a.State, a.Error = ActionFailed, fault.Excerpt(r.Redact(fault.From(err).Message), mostText)
	}
	if a.State != ActionDone { // what it said it had finished, it may not have
		a.Done = nil
	}
}

// conclude writes an action that is over.
func (w *Workspace) conclude(a Record) error {
	if err := w.save(a); err != nil {
		return err
	}
	store.CrashPoint("pod.concluded")
	return w.settle(a)
}

func (r *run) told(ctx context.Context, a Record) error {
	if r.Told != nil {
		r.Told(a)
	}
	result := map[string]any{"state": a.State, "by": a.By, "done": len(a.Done), "tasks": len(a.Tasks), "notes": len(a.Notes), "text": fault.Excerpt(a.Text, 500)}
	return r.Record(context.WithoutCancel(ctx), telemetry.Draft{Type: "pod.action.completed", DryRun: r.DryRun, Err: a.Error,
		Payload: map[string]any{"actionId": a.ID, "tick": a.Tick, "about": a.About}, Result: result})
}

// judge says once that a run is stuck: its steps fail, or say the same again and again
// while the same tasks stay open.
func (r *run) judge(ctx context.Context, a Record, tasks []Task) error {
	open := firstOpen(tasks)
	switch {
	case a.State == ActionFailed:
		r.failing++
		r.out.Failed++
	case a.State == ActionDone:
		r.failing = 0
	}
	if now := open + "\n" + a.Text; a.State == ActionDone && open != "" && now == r.last {
		r.same++
	} else {
		r.same, r.last = 1, now
	}
	why := ""
	switch {
	case r.failing >= failedInARow:
		why = "steps fail: " + a.Error
	case r.same >= sameInARow:
		why = "steps say the same, and the task stays open"
	}
	was := r.out.Stuck
	r.out.Stuck = why != ""
	r.mu.Lock()
	r.beat.Stuck = r.out.Stuck
	r.mu.Unlock()
	if was || why == "" {
		return nil
	}
	return r.record(ctx, "pod.stuck", nil, map[string]any{"reason": why, "tick": a.Tick, "about": a.About})
}
