package pod_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/pod"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

var noon = time.Date(2026, 2, 18, 12, 0, 0, 0, time.UTC)

// inited is an open workspace in a directory of its own.
func inited(t *testing.T) *pod.Workspace {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pod")
	if _, err := pod.Init(dir, false, noon); err != nil {
		t.Fatal(err)
	}
	return opened(t, dir)
}

func opened(t *testing.T, dir string) *pod.Workspace {
	t.Helper()
	w, err := pod.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func put(t *testing.T, w *pod.Workspace, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir(), name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, w *pod.Workspace, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(w.Dir(), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// stepper is a Stepper of a function.
type stepper func(ctx context.Context, in pod.Context) (pod.Step, error)

func (stepper) Name() string { return "test" }
func (s stepper) Step(ctx context.Context, in pod.Context) (pod.Step, error) {
	return s(ctx, in)
}

// world is what a run of a test is told, and tells.
type world struct {
	mu     sync.Mutex
	halted []string
	events []telemetry.Draft
}

func (x *world) options(w *pod.Workspace, s pod.Stepper) pod.Options {
	return pod.Options{Workspace: w, Stepper: s, Now: func() time.Time { return noon }, Every: time.Millisecond, Ticks: 3, DryRun: true,
		Halted: func() []string { x.mu.Lock(); defer x.mu.Unlock(); return x.halted },
		Record: func(_ context.Context, d telemetry.Draft) error {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.events = append(x.events, d)
			return nil
		}}
}

func (x *world) types() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var out []string
	for _, d := range x.events {
		out = append(out, d.Type)
	}
	return out
}

func (x *world) count(event string) (n int) {
	for _, typ := range x.types() {
		if typ == event {
			n++
		}
	}
	return n
}

func TestInit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pod")
	made, err := pod.Init(dir, false, noon)
	if err != nil || len(made.Created) != 11 || len(made.Kept) != 0 {
		t.Fatalf("%+v, %v", made, err)
	}
	for _, name := range []string{"AGENTS.md", "SOUL.md", "USER.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "MEMORY.md", "REVENUE_SHARING.md",
		"memory/active-tasks.md", "memory/lessons.md", "memory/self-review.md", "journal", "executions"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	w := opened(t, dir)
	put(t, w, "memory/lessons.md", "mine\n")
	if err := os.Remove(filepath.Join(dir, "SOUL.md")); err != nil {
		t.Fatal(err)
	}
	made, err = pod.Init(dir, false, noon)
	if err != nil || !slices.Equal(made.Created, []string{"SOUL.md"}) || len(made.Kept) != 10 || made.Backup != "" || read(t, w, "memory/lessons.md") != "mine\n" {
		t.Errorf("again: %+v, %v", made, err)
	}
	made, err = pod.Init(dir, true, noon)
	if err != nil || made.Backup == "" || read(t, w, made.Backup+"/memory/lessons.md") != "mine\n" || read(t, w, "memory/lessons.md") == "mine\n" {
		t.Errorf("with force: %+v, %v", made, err)
	}
	lock, err := w.TakeTurn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pod.Init(dir, true, noon); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("while it runs: %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestHostilePlaces(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	link := filepath.Join(base, "link")
	if err := os.Symlink(base, link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(base, "open")
	if err := errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o777)); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		dir  string
		code fault.Code
	}{
		"empty":            {"", fault.Usage},
		"NUL":              {base + "/a\x00b", fault.Usage},
		"newline":          {base + "/a\nb", fault.Usage},
		"not UTF-8":        {base + "/a\xff", fault.Usage},
		"up":               {base + "/x/../y", fault.Usage},
		"up, relative":     {"../pod", fault.Usage},
		"root":             {"/", fault.Usage},
		"link":             {link, fault.StateUnusable},
		"file":             {file, fault.StateUnusable},
		"everybody writes": {open, fault.StateUnusable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := pod.Init(tt.dir, true, noon); fault.CodeOf(err) != tt.code || fault.From(err).Hint == "" {
				t.Errorf("init: %v", err)
			}
			if _, err := pod.Open(tt.dir); fault.CodeOf(err) != tt.code {
				t.Errorf("open: %v", err)
			}
		})
	}
	if _, err := pod.Open(filepath.Join(base, "none")); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("nothing there: %v", err)
	}
	if os.Geteuid() != 0 {
		return
	}
	foreign := filepath.Join(base, "foreign")
	if err := errors.Join(os.Mkdir(foreign, 0o700), os.Chown(foreign, 12345, -1)); err != nil {
		t.Fatal(err)
	}
	if _, err := pod.Open(foreign); fault.CodeOf(err) != fault.StateUnusable || !strings.Contains(err.Error(), "12345") {
		t.Errorf("another user's: %v", err)
	}
}

// Links inside a workspace lead nowhere, in or out of it: nothing is read, written or
// replaced through one.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	if err := errors.Join(os.Mkdir(outside, 0o700), os.WriteFile(filepath.Join(outside, "secret"), []byte("canary"), 0o600)); err != nil {
		t.Fatal(err)
	}
	swap := func(t *testing.T, w *pod.Workspace, name, target string) {
		t.Helper()
		path := filepath.Join(w.Dir(), name)
		if err := errors.Join(os.RemoveAll(path), os.Symlink(target, path)); err != nil {
			t.Fatal(err)
		}
	}
	for name, spoil := range map[string]func(t *testing.T, w *pod.Workspace){
		"tasks are a link out":     func(t *testing.T, w *pod.Workspace) { swap(t, w, "memory/active-tasks.md", outside+"/secret") },
		"tasks are a link inside":  func(t *testing.T, w *pod.Workspace) { swap(t, w, "memory/active-tasks.md", "../SOUL.md") },
		"memory is a link out":     func(t *testing.T, w *pod.Workspace) { swap(t, w, "memory", outside) },
		"memory is a link inside":  func(t *testing.T, w *pod.Workspace) { swap(t, w, "memory", "journal") },
		"executions is a link out": func(t *testing.T, w *pod.Workspace) { swap(t, w, "executions", outside) },
		"journal is a link out":    func(t *testing.T, w *pod.Workspace) { swap(t, w, "journal", outside) },
		"heartbeat is a link out":  func(t *testing.T, w *pod.Workspace) { swap(t, w, "heartbeat.json", outside+"/secret") },
		"the day's log is a link":  func(t *testing.T, w *pod.Workspace) { swap(t, w, "journal/2026-02-18.jsonl", outside+"/secret") },
		"tasks have another name": func(t *testing.T, w *pod.Workspace) {
			if err := os.Link(filepath.Join(w.Dir(), "memory/active-tasks.md"), filepath.Join(w.Dir(), "other")); err != nil {
				t.Fatal(err)
			}
		},
		"tasks are too large": func(t *testing.T, w *pod.Workspace) {
			put(t, w, "memory/active-tasks.md", strings.Repeat("x", 300<<10))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := inited(t)
			spoil(t, w)
			x := &world{}
			steps := 0
			_, err := pod.Run(t.Context(), x.options(w, stepper(func(context.Context, pod.Context) (pod.Step, error) {
				steps++
				return pod.Step{Text: "NOTE seen"}, nil
			})))
			if fault.CodeOf(err) != fault.StateUnusable {
				t.Errorf("%v after %d steps", err, steps)
			}
			if b, _ := os.ReadFile(filepath.Join(outside, "secret")); string(b) != "canary" {
				t.Errorf("outside it reads %q", b)
			}
			if all, _ := os.ReadDir(outside); len(all) != 1 {
				t.Errorf("outside there is more: %v", all)
			}
		})
	}
	t.Run("a file of the context is a link", func(t *testing.T) {
		t.Parallel()
		w := inited(t)
		swap(t, w, "SOUL.md", outside+"/secret")
		_, err := pod.Run(t.Context(), (&world{}).options(w, stepper(func(_ context.Context, in pod.Context) (pod.Step, error) {
			if strings.Contains(in.Text(), "canary") {
				t.Error("it was read")
			}
			return pod.Step{}, nil
		})))
		if err != nil {
			t.Error(err)
		}
	})
}

// Three ticks: what a step says is kept, one record and one journal line an action.
func TestRun(t *testing.T) {
	t.Parallel()
	w := inited(t)
	put(t, w, "memory/active-tasks.md", "# Active tasks\n\n- [ ] look at the floor\n- [ ] write it down\n")
	put(t, w, "memory/2026-02-17.md", "- yesterday it rained\n")
	x := &world{}
	var seen []string
	said := []string{"I looked.\nDONE look at the floor\nNOTE the floor is 10 APE\nTASK: look again tomorrow", "DONE write it", "Nothing to do.\x1b[31m"}
	out, err := pod.Run(t.Context(), x.options(w, stepper(func(_ context.Context, in pod.Context) (pod.Step, error) {
		seen = append(seen, in.Text())
		if tasks := read(t, w, "memory/active-tasks.md"); !strings.Contains(tasks, "- [~] "+in.Action) {
			t.Errorf("while it works the list is %q", tasks)
		}
		if rec := read(t, w, "executions/"+in.Action+".json"); !strings.Contains(rec, `"state": "running"`) {
			t.Errorf("while it works the record is %s", rec)
		}
		return pod.Step{Text: said[in.Tick-1]}, nil
	})))
	if err != nil || out.Ended != pod.EndTicks || out.Ticks != 3 {
		t.Fatalf("%+v, %v", out, err)
	}
	if got, want := read(t, w, "memory/active-tasks.md"), "# Active tasks\n\n- [x] look at the floor\n- [x] write it down\n- [ ] look again tomorrow\n"; got != want {
		t.Errorf("the list is %q", got)
	}
	order := []string{"=== memory/active-tasks.md", "=== SOUL.md", "=== USER.md", "=== memory/2026-02-18.md", "=== journal/2026-02-18.jsonl", "=== memory/2026-02-17.md", "=== AGENTS.md"}
	at := -1
	for _, name := range order {
		i := strings.Index(seen[1], name)
		if i <= at {
			t.Errorf("%s stands at %d, after %d", name, i, at)
		}
		at = i
	}
	if len(seen[1]) > 15<<10 {
		t.Errorf("the context has %d bytes", len(seen[1]))
	}
	if lines := strings.Split(strings.TrimSpace(read(t, w, "journal/2026-02-18.jsonl")), "\n"); len(lines) != 3 {
		t.Errorf("the journal has %d lines", len(lines))
	} else {
		for _, line := range lines {
			var r pod.Record
			if err := json.Unmarshal([]byte(line), &r); err != nil || r.State != pod.ActionDone || !r.DryRun {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	list, err := w.Actions(10)
	if err != nil || len(list) != 3 || list[0].Text != "" && strings.Contains(list[0].Text, "\x1b") {
		t.Errorf("%v, %v", list, err)
	}
	if got, want := x.types(), []string{"pod.run.started", "pod.action.completed", "pod.action.completed", "pod.action.completed", "pod.run.stopped"}; !slices.Equal(slices.DeleteFunc(got, func(s string) bool { return s == "pod.heartbeat" }), want) {
		t.Errorf("%v", got)
	}
	if n := x.count("pod.heartbeat"); n != 1 {
		t.Errorf("%d heartbeats", n)
	}
	st, err := w.Status(noon)
	if err != nil || st.Status != pod.Stopped || st.Ended != pod.EndTicks || st.Stopped || st.OpenTasks != 1 || len(st.Actions) != 3 {
		t.Errorf("%+v, %v", st, err)
	}
}

// A run ends within a second of the flag or the halt, also in the middle of a step.
func TestStops(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stop func(t *testing.T, w *pod.Workspace, x *world)
		want string
	}{
		"stop.flag": {func(t *testing.T, w *pod.Workspace, _ *world) {
			if already, err := w.Stop("a test", "enough", noon); already || err != nil {
				t.Error(already, err)
			}
		}, pod.EndFlag},
		"STOP": {func(t *testing.T, w *pod.Workspace, _ *world) { put(t, w, "STOP", "") }, pod.EndFlag},
		"a link called stop.flag": {func(t *testing.T, w *pod.Workspace, _ *world) {
			if err := os.Symlink("nowhere", filepath.Join(w.Dir(), "stop.flag")); err != nil {
				t.Error(err)
			}
		}, pod.EndFlag},
		"halt": {func(_ *testing.T, _ *pod.Workspace, x *world) {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.halted = []string{"policy: strange"}
		}, pod.EndHalted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, x := inited(t), &world{}
			o := x.options(w, stepper(func(ctx context.Context, _ pod.Context) (pod.Step, error) {
				tt.stop(t, w, x)
				<-ctx.Done()
				return pod.Step{Text: "DONE half"}, ctx.Err()
			}))
			begin := time.Now()
			out, err := pod.Run(t.Context(), o)
			if err != nil || out.Ended != tt.want || out.Ticks != 1 {
				t.Errorf("%+v, %v", out, err)
			}
			if took := time.Since(begin); took > time.Second {
				t.Errorf("it took %s", took)
			}
			list, err := w.Actions(1)
			if err != nil || len(list) != 1 || list[0].State != pod.ActionStopped {
				t.Errorf("%+v, %v", list, err)
			}
			if strings.Contains(read(t, w, "memory/active-tasks.md"), "[~] act") {
				t.Error("the list still says that it goes on")
			}
			// A run that is to end does not begin.
			if out, err := pod.Run(t.Context(), o); err != nil || out.Ticks != 0 || out.Ended != tt.want {
				t.Errorf("again: %+v, %v", out, err)
			}
			if tt.want != pod.EndFlag {
				return
			}
			if removed, err := w.Start(); err != nil || len(removed) != 1 {
				t.Errorf("%v, %v", removed, err)
			}
			if st, err := w.Status(noon); err != nil || st.Stopped {
				t.Errorf("%+v, %v", st, err)
			}
		})
	}
}

func TestStuckIsToldOnce(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]stepper{
		"fails": func(context.Context, pod.Context) (pod.Step, error) { return pod.Step{}, errors.New("no") },
		"same":  func(context.Context, pod.Context) (pod.Step, error) { return pod.Step{Text: "I think about it."}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, x := inited(t), &world{}
			put(t, w, "memory/active-tasks.md", "- [ ] think\n")
			o := x.options(w, step)
			o.Ticks, o.Every = 9, time.Nanosecond
			out, err := pod.Run(t.Context(), o)
			if err != nil || !out.Stuck || x.count("pod.stuck") != 1 {
				t.Errorf("%+v, %v, told %d times", out, err, x.count("pod.stuck"))
			}
		})
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	w := inited(t)
	state := func(at time.Time) string {
		st, err := w.Status(at)
		if err != nil {
			t.Fatal(err)
		}
		return st.Status
	}
	if got := state(noon); got != pod.Stopped {
		t.Errorf("never begun: %s", got)
	}
	if err := w.Beat(pod.Beat{}, noon); err != nil {
		t.Fatal(err)
	}
	for age, want := range map[time.Duration]string{0: pod.Running, 4 * time.Minute: pod.Running, 6 * time.Minute: pod.Stale, -30 * time.Second: pod.Running, -2 * time.Minute: pod.Stale} {
		if got := state(noon.Add(age)); got != want {
			t.Errorf("after %s it is %s", age, got)
		}
	}
	lock, err := w.TakeTurn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Beat(pod.Beat{Run: "run_x"}, noon); err != nil {
		t.Fatal(err)
	}
	if got := state(noon); got != pod.Running {
		t.Errorf("held: %s", got)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if got := state(noon); got != pod.Stale {
		t.Errorf("its run was killed: %s", got)
	}
	put(t, w, "heartbeat.json", "{")
	if got := state(noon); got != pod.Stopped {
		t.Errorf("nonsense: %s", got)
	}
	empty := t.TempDir()
	if err := os.Chmod(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	st, err := opened(t, empty).Status(noon)
	if err != nil || st.Status != pod.NotInitialized || st.HasAgentsMd {
		t.Errorf("%+v, %v", st, err)
	}
}
