package commands

import (
	"context"
	"fmt"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/pod"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func podCommands() []Command {
	return []Command{newPodInit(), newPodStatus(), newPodTasks(), newPodRun(), newPodStop(), newPodStart(), newPodHeartbeat()}
}

// podDir is the workspace's directory, by flag or setting.
func (d *Deps) podDir(flag string) (string, error) {
	cfg, err := d.Config()
	if err != nil {
		return "", err
	}
	if flag != "" {
		return flag, nil
	}
	return cfg.PodDir.Value, nil
}

// podIn opens the workspace that a command is about, until the command is over.
func (d *Deps) podIn(flag string) (*pod.Workspace, error) {
	dir, err := d.podDir(flag)
	if err != nil {
		return nil, err
	}
	w, err := pod.Open(dir)
	if err != nil {
		return nil, err
	}
	d.onClose(w.Close)
	return w, nil
}

// PodInitIn says where.
type PodInitIn struct {
	Dir   string `json:"dir" ai:"operator" help:"the workspace's directory (default ./pod-workspace) [$APE_CLAW_POD_DIR]"`
	Force bool   `json:"force" ai:"operator" help:"write the templates anew over what is there, after a copy of that to backups/"`
}

// PodInitOut is what was made.
type PodInitOut struct {
	OK        bool     `json:"ok"`
	TargetDir string   `json:"targetDir"` // absolute: a program goes on from it
	Created   []string `json:"created"`
	Kept      []string `json:"kept"`
	Backup    string   `json:"backup,omitempty"` // below targetDir
}

func newPodInit() Command {
	return define(Spec{Name: "pod init", Short: "Make a workspace for an agent, or put back what is missing in one",
		Long: `Write AGENTS, SOUL, USER, IDENTITY, TOOLS, HEARTBEAT, MEMORY and REVENUE_SHARING.md and
memory/ into a directory, with journal/ and executions/ beside them. What is there stays as
it is: to run it again does no harm. With --force the templates come anew, after a copy of
what they replace went to backups/; the logs of days are never touched.`,
		Example: "  ape-claw pod init\n  ape-claw pod init --dir ~/agents/mara",
		Events:  []string{"pod.init.completed"}, Offline: true, Risk: RiskWrite, Permission: "pod:init", AI: Exposure{Class: AITool, Grade: ai.GradeWrite,
			About: "Propose to make this agent's workspace: the files that its memory, tasks and log are kept in. What is there stays as it is."}},
		podInit,
		func(p *Printer, out PodInitOut) {
			p.Head("The workspace is in %s", store.Display(out.TargetDir))
			p.KV("created", fmt.Sprint(len(out.Created)), "kept", fmt.Sprint(len(out.Kept)), "copied to", out.Backup)
			p.List(cyan, "Next", []string{"say in USER.md whom it works for, and in memory/active-tasks.md what to do", "ape-claw pod run --connection <name>"})
		})
}

func podInit(ctx context.Context, d *Deps, in PodInitIn) (PodInitOut, error) {
	dir, err := d.podDir(in.Dir)
	if err != nil {
		return PodInitOut{}, err
	}
	made, err := pod.Init(dir, in.Force, d.host.Now())
	if err != nil {
		return PodInitOut{}, err
	}
	out := PodInitOut{OK: true, TargetDir: made.Dir, Created: made.Created, Kept: made.Kept, Backup: made.Backup}
	return out, d.Record(ctx, telemetry.Draft{Type: "pod.init.completed", Result: map[string]any{
		"workspacePath": store.Display(made.Dir), "initialized": true, "created": made.Created, "kept": len(made.Kept), "backup": made.Backup}})
}

// PodIn says which workspace.
type PodIn struct {
	Dir string `json:"dir" ai:"operator" help:"the workspace's directory (default ./pod-workspace) [$APE_CLAW_POD_DIR]"`
}

// PodStatusOut is how the workspace stands.
type PodStatusOut struct {
	pod.Status
	Workspace string `json:"workspace"`
}

func newPodStatus() Command {
	return define(Spec{Name: "pod status", Short: "Show whether an agent's workspace is running, stale or stopped",
		Long: `Show the state of the workspace: not-initialized, running (its last heartbeat is at most
five minutes old), stale (it is older, or its run was killed), or stopped (by its flag, or
because its run ended), with its last actions.`,
		Example: "  ape-claw pod status\n  ape-claw pod status --json",
		Events:  []string{"pod.status.read"}, Offline: true, Risk: RiskRead, Permission: "pod:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		podStatus,
		func(p *Printer, out PodStatusOut) {
			p.Head("%s: %s", clean(out.Workspace), podState(out.Status))
			last, stuck := "never", ""
			if out.LastHeartbeat != nil {
				last = *out.LastHeartbeat
			}
			if out.Stuck {
				stuck = p.style(red, "yes")
			}
			p.KV("heartbeat", last, "tick", fmt.Sprint(out.Tick), "open tasks", fmt.Sprint(out.OpenTasks), "stop flag", clean(out.StopReason), "stuck", stuck)
			var rows [][]string
			for _, a := range out.Actions {
				rows = append(rows, []string{a.Began, a.State, clean(a.By), clean(fault.Excerpt(a.About, 40)), clean(fault.Excerpt(a.Text+a.Error, 60))})
			}
			if len(rows) > 0 {
				p.Table([]string{"BEGAN", "STATE", "BY", "ABOUT", "WHAT"}, rows)
			}
		})
}

// podState is the state in words.
func podState(s pod.Status) string {
	switch {
	case s.Status == pod.NotInitialized:
		return "not a workspace yet: ape-claw pod init"
	case s.Status == pod.Running && s.Stopped:
		return "running, about to stop"
	case s.Status == pod.Running && s.DryRun:
		return "running, as a dry run"
	case s.Status == pod.Stale:
		return "stale: its harness gives no sign of life"
	case s.Stopped:
		return "stopped by its flag: ape-claw pod start takes it away"
	}
	return s.Status
}

func podStatus(ctx context.Context, d *Deps, in PodIn) (PodStatusOut, error) {
	dir, err := d.podDir(in.Dir)
	if err != nil {
		return PodStatusOut{}, err
	}
	out := PodStatusOut{Status: pod.None(), Workspace: store.Display(dir)}
	w, err := d.podIn(in.Dir)
	if err == nil {
		out.Status, err = w.Status(d.host.Now())
	}
	if err != nil && !isCode(err, fault.NotFound) {
		return out, err
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "pod.status.read", Result: map[string]any{
		"status": out.Status.Status, "stopped": out.Stopped, "openTasks": out.OpenTasks}})
}

// PodTasksOut is the list of tasks.
type PodTasksOut struct {
	OK    bool       `json:"ok"`
	Count int        `json:"count"`
	Open  int        `json:"open"`
	Tasks []pod.Task `json:"tasks"`
}

func newPodTasks() Command {
	return define(Spec{Name: "pod tasks", Short: "List the tasks of an agent's workspace",
		Example: "  ape-claw pod tasks",
		Events:  []string{"pod.tasks.read"}, Offline: true, Risk: RiskRead, Permission: "pod:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in PodIn) (PodTasksOut, error) {
			w, err := d.podIn(in.Dir)
			if err != nil {
				return PodTasksOut{}, err
			}
			list, err := w.Tasks()
			if err != nil {
				return PodTasksOut{}, err
			}
			out := PodTasksOut{OK: true, Count: len(list), Tasks: append([]pod.Task{}, list...)}
			for _, t := range list {
				if t.State == pod.TaskOpen {
					out.Open++
				}
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "pod.tasks.read", Result: map[string]any{"count": out.Count, "open": out.Open}})
		},
		func(p *Printer, out PodTasksOut) {
			p.Head("%s, %d open", counted(out.Count, "task"), out.Open)
			var rows [][]string
			for _, t := range out.Tasks {
				rows = append(rows, []string{t.State, clean(t.Text), t.Action})
			}
			if len(rows) > 0 {
				p.Table([]string{"STATE", "TASK", "ACTION"}, rows)
			}
		})
}

// PodStopIn says why.
type PodStopIn struct {
	PodIn
	Reason string `json:"reason" ai:"expose" maxlen:"200" help:"why, for whoever finds it stopped"`
}

// PodStopOut is that it will stop.
type PodStopOut struct {
	OK      bool   `json:"ok"`
	Action  string `json:"action"` // stop
	Already bool   `json:"already"`
	Undo    string `json:"undo"`
}

func newPodStop() Command {
	return define(Spec{Name: "pod stop", Short: "Raise the flag that ends an agent's run within a second",
		Long: `Write stop.flag into the workspace. A run ends within a second, also in the middle of a
step, and none begins while the flag is there. It is not the halt of what spends, which is
"ape-claw policy halt": what left already goes on.`,
		Example: "  ape-claw pod stop --reason 'looks wrong'",
		Events:  []string{"pod.stop.requested"}, Offline: true, Risk: RiskWrite, Late: true, Permission: "pod:run", AI: Exposure{Class: AITool, Grade: ai.GradeWrite}},
		func(ctx context.Context, d *Deps, in PodStopIn) (PodStopOut, error) { return podStop(ctx, d, in, "") },
		func(p *Printer, out PodStopOut) {
			if out.Already {
				p.Line("It was told to stop already.")
				return
			}
			p.Head("%s", p.style(red, "Its run ends within a second"))
			p.List(cyan, "To let it run again", []string{out.Undo})
		})
}

// podStop raises the flag in the name of by, the agent of this run unless it is named.
func podStop(ctx context.Context, d *Deps, in PodStopIn, by string) (PodStopOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return PodStopOut{}, err
	}
	w, err := d.podIn(in.Dir)
	if err != nil {
		return PodStopOut{}, err
	}
	if by == "" {
		by = cfg.Agent.Value
		if d.caller.AgentID != "" {
			by = d.caller.AgentID
		}
	}
	reason := d.redactor().String(in.Reason)
	already, err := w.Stop(by, reason, d.host.Now())
	if err != nil {
		return PodStopOut{}, err
	}
	// That it can't be recorded is no reason to go on.
	if err := d.Record(ctx, telemetry.Draft{Type: "pod.stop.requested", Result: map[string]any{"by": by, "reason": reason, "already": already}}); err != nil {
		d.warn("%s: the flag is raised and not recorded", fault.From(err).Message)
	}
	return PodStopOut{OK: true, Action: "stop", Already: already, Undo: d.cli() + " pod start"}, nil
}

// PodStartOut is which flags were there.
type PodStartOut struct {
	OK      bool     `json:"ok"`
	Removed []string `json:"removed"`
	Next    string   `json:"next"`
}

func newPodStart() Command {
	return define(Spec{Name: "pod start", Short: "Take away the flag that keeps an agent from running",
		Long:   `Remove stop.flag, and STOP, from the workspace. It starts nothing by itself: "ape-claw pod run" does.`,
		Events: []string{"pod.stop.cleared"}, Offline: true, Risk: RiskWrite, Permission: "pod:start", AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in PodIn) (PodStartOut, error) {
			if err := d.notChild("let a workspace run again"); err != nil {
				return PodStartOut{}, err
			}
			w, err := d.podIn(in.Dir)
			if err != nil {
				return PodStartOut{}, err
			}
			removed, err := w.Start()
			if err != nil {
				return PodStartOut{}, err
			}
			return PodStartOut{OK: true, Removed: removed, Next: d.cli() + " pod run"}, d.Record(ctx, telemetry.Draft{Type: "pod.stop.cleared", Result: map[string]any{"removed": removed}})
		},
		func(p *Printer, out PodStartOut) {
			if len(out.Removed) == 0 {
				p.Line("No flag was raised.")
			} else {
				p.Line("The flag is gone.")
			}
			p.List(cyan, "Next", []string{out.Next})
		})
}

// PodHeartbeatIn is what a harness of one's own says of itself.
type PodHeartbeatIn struct {
	PodIn
	Tick int `json:"tick" ai:"expose" max:"1000000" help:"how many ticks it did"`
}

// PodHeartbeatOut is how the workspace stands then.
type PodHeartbeatOut struct {
	OK      bool   `json:"ok"`
	Status  string `json:"status"`
	Stopped bool   `json:"stopped"` // it is to end
}

func newPodHeartbeat() Command {
	return define(Spec{Name: "pod heartbeat", Short: "Give a sign of life, for a harness of one's own",
		Long: `Write a heartbeat into the workspace, as "ape-claw pod run" does every two minutes by itself.
The answer's "stopped" says whether the flag is raised: then the harness is to end.`,
		Example: "  ape-claw pod heartbeat --tick 12 --json",
		Events:  []string{"pod.heartbeat"}, Offline: true, Risk: RiskWrite, Permission: "pod:run", AI: Exposure{Class: AITool, Grade: ai.GradeWrite}},
		func(ctx context.Context, d *Deps, in PodHeartbeatIn) (PodHeartbeatOut, error) {
			w, err := d.podIn(in.Dir)
			if err != nil {
				return PodHeartbeatOut{}, err
			}
			st, err := w.Status(d.host.Now())
			if err != nil {
				return PodHeartbeatOut{}, err
			}
			if st.Status == pod.NotInitialized {
				return PodHeartbeatOut{}, fault.New(fault.NotFound, "there is no workspace here yet").Hintf("ape-claw pod init")
			}
			if lock, err := w.TakeTurn(ctx); err == nil {
				err = w.Beat(pod.Beat{Tick: in.Tick}, d.host.Now())
				if unlock := lock.Unlock(); err == nil {
					err = unlock
				}
				if err != nil {
					return PodHeartbeatOut{}, err
				}
			} else if !isCode(err, fault.Conflict) { // a run is there, and beats by itself
				return PodHeartbeatOut{}, err
			}
			if st, err = w.Status(d.host.Now()); err != nil {
				return PodHeartbeatOut{}, err
			}
			return PodHeartbeatOut{OK: true, Status: st.Status, Stopped: st.Stopped}, d.Record(ctx, telemetry.Draft{Type: "pod.heartbeat", Result: map[string]any{"tick": in.Tick}})
		},
		func(p *Printer, out PodHeartbeatOut) {
			if out.Stopped {
				p.Line("It is to stop: the flag is raised.")
				return
			}
			p.Line("Noted.")
		})
}
