package commands

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/pod"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// PodRunIn says who works, and how often.
type PodRunIn struct {
	PodIn
	Command    []string `json:"command" arg:"command" help:"after --: the program that each tick starts, and its arguments"`
	Connection string   `json:"connection" complete:"connections" help:"the model that each tick asks, or scripted:FILE for answers from a file"`
	Model      string   `json:"model" help:"the model that answers, of those that the connection lists"`
	Every      string   `json:"every" default:"2m" help:"the time from the end of a tick to the next, such as 30s or 10m"`
	Ticks      int      `json:"ticks" help:"end after so many; 0: go on until it is stopped"`
	Timeout    string   `json:"timeout" default:"10m" help:"the most that one tick may take"`
	PassEnv    []string `json:"passEnv" help:"variables that the program gets beside PATH, HOME, LANG, TMPDIR and those that say where it is"`
	Execute    bool     `json:"execute" help:"let the program send transactions within the policy, and the model propose them"`
}

// Check refuses two that work, and none.
func (in PodRunIn) Check() error {
	if (len(in.Command) > 0) == (in.Connection != "") {
		return fault.New(fault.Usage, "either a program or a connection works in the workspace").
			Hintf("ape-claw pod run --connection <name>, or: ape-claw pod run -- ./agent.sh").WithSent(fault.SentNo)
	}
	return nil
}

// PodRunOut is a line of the stream: an action, or how the run ended.
type PodRunOut struct {
	Type    string       `json:"type"` // result
	OK      bool         `json:"ok"`
	Status  string       `json:"status"` // stopped
	Reason  string       `json:"reason"` // ticks, stopped, halted, signal
	Why     string       `json:"why,omitempty"`
	DryRun  bool         `json:"dryRun"`
	Ticks   int          `json:"ticks"`
	Failed  int          `json:"failed"`
	Stuck   bool         `json:"stuck"`
	Resumed []pod.Record `json:"resumed"` // what an earlier run was cut off in
}

// podLine is an action that is over, as a line of the stream.
type podLine struct {
	Type string `json:"type"` // action
	pod.Record
}

func newPodRun() Command {
	return define(Spec{Name: "pod run", Short: "Keep an agent going: a step a tick, until it is stopped", Streams: true,
		Long: `Work in the workspace, tick by tick. Each tick is one action: it is written into
memory/active-tasks.md and executions/ before it begins; then the program, or the model of a
connection, gets the agent's memory as text (active tasks, soul, user, the logs of today and
yesterday, then the rest) and answers. Of the answer, lines that begin with DONE, TASK or NOTE
change the tasks and the log of the day. Then a line goes into journal/.

It ends within a second of stop.flag ("ape-claw pod stop"), of the halt ("ape-claw policy
halt") and of Ctrl-C. After a kill the next run finds the action that was cut off, repeats
nothing, and has the agent find out what became of it.

It is a dry run unless --execute is given: a model then has only tools that read, and the
program's ape-claw refuses --execute. With it, a model's proposals still wait for a person,
and a program's transactions pass the policy as ever.`,
		Example: "  ape-claw pod run --connection main\n  ape-claw pod run --ticks 3 --every 1s --connection scripted:answers.json\n  ape-claw pod run --every 10m -- ./agent.sh",
		Events:  append([]string{"pod.run.started", "pod.heartbeat", "pod.action.completed", "pod.action.interrupted", "pod.stuck", "pod.run.stopped"}, chatEvents...),
		Risk:    RiskHigh, Permission: "pod:start", AI: Exposure{Class: AINever}},
		podRun, printPodRun)
}

func printPodRun(p *Printer, out PodRunOut) {
	why := map[string]string{pod.EndTicks: "it did what it was told to", pod.EndFlag: "its flag is raised", pod.EndHalted: "spending is halted", pod.EndSignal: "it was interrupted"}[out.Reason]
	p.Head("Ended after %s: %s", counted(out.Ticks, "tick"), why)
	p.KV("because", clean(out.Why), "failed", fmt.Sprint(out.Failed), "stuck", yesNo(out.Stuck))
	for _, r := range out.Resumed {
		p.Line("An earlier run was cut off in %s: %s", r.ID, clean(r.About))
	}
}

func podRun(ctx context.Context, d *Deps, in PodRunIn) (PodRunOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return PodRunOut{}, err
	}
	if err := d.notChild("start a harness"); err != nil {
		return PodRunOut{}, err
	}
	every, err := podTime("every", in.Every, 0)
	if err != nil {
		return PodRunOut{}, err
	}
	patience, err := podTime("timeout", in.Timeout, time.Second)
	if err != nil {
		return PodRunOut{}, err
	}
	w, err := d.podIn(in.Dir)
	if err != nil {
		return PodRunOut{}, err
	}
	lock, err := w.TakeTurn(ctx)
	if err != nil {
		return PodRunOut{}, err
	}
	d.onClose(lock.Unlock)
	stepper, err := d.podStepper(ctx, in, w, lock.File())
	if err != nil {
		return PodRunOut{}, err
	}
	res, err := pod.Run(ctx, pod.Options{
		Workspace: w, Stepper: stepper, Now: d.host.Now, Every: every, Ticks: in.Ticks, DryRun: !in.Execute, StepTime: patience,
		Halted: func() []string { return policy.Halted(cfg.Home) }, Record: d.Record, Redact: d.redactor().String, PID: os.Getpid(),
		Told: func(r pod.Record) { d.tellAction(r) },
	})
	out := PodRunOut{Type: "result", OK: err == nil, Status: pod.Stopped, Reason: res.Ended, Why: res.Why, DryRun: !in.Execute,
		Ticks: res.Ticks, Failed: res.Failed, Stuck: res.Stuck, Resumed: append([]pod.Record{}, res.Resumed...)}
	return out, err
}

func podTime(name, value string, least time.Duration) (time.Duration, error) {
	t, err := time.ParseDuration(value)
	if err != nil || t < least || t < 0 {
		return 0, fault.New(fault.Usage, "--%s %q is no duration", name, shownArg(value)).Hintf("--%s 30s", name).WithSent(fault.SentNo)
	}
	return t, nil
}

// tellAction shows an action that is over.
func (d *Deps) tellAction(r pod.Record) {
	err := showNow(d, podLine{"action", r}, func(p *Printer, l podLine) {
		state := l.State
		if state != pod.ActionDone {
			state = p.style(red, state)
		}
		p.Line("%d  %s  %s  %s", l.Tick, state, clean(fault.Excerpt(l.About, 50)), clean(fault.Excerpt(l.Text+l.Error, 100)))
	})
	if err != nil {
		d.warn("standard output can't be written: what happened is in the workspace and the log")
	}
}

func (d *Deps) podStepper(ctx context.Context, in PodRunIn, w *pod.Workspace, held *os.File) (pod.Stepper, error) {
	if len(in.Command) > 0 {
		env, err := d.podEnv(in, w)
		if err != nil {
			return nil, err
		}
		program, err := podProgram(in.Command[0])
		if err != nil {
			return nil, err
		}
		return pod.Command{Args: append([]string{program}, in.Command[1:]...), Env: env, Dir: w.Dir(), Held: held,
			Trace: func() string { return telemetry.NewTraceID(d.host.Now()) }}, nil
	}
	d.chat = &chatRun{reads: !in.Execute}
	if path, ok := strings.CutPrefix(in.Connection, scriptPrefix); ok {
		var err error
		if d.chat.script, d.chat.name, err = d.startScript(ctx, path); err != nil {
			return nil, err
		}
		in.Connection, d.chat.file = scriptName, path
	}
	s, err := d.aiChat()
	if err != nil {
		return nil, err
	}
	return chatStepper{s, in.Connection, in.Model}, nil
}

// podProgram is the program that a person named, as a shell would find it where they
// are: the workspace, in which it runs, is not where it comes from.
func podProgram(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", fault.New(fault.NotFound, "%q is no program that can be run from here", shownArg(name)).
			Hintf("name one that this user may run: ape-claw pod run -- ./agent.sh").WithSent(fault.SentNo)
	}
	return path, nil
}

// podEnv is what the program knows: where it is, and no secret but those that were
// named.
func (d *Deps) podEnv(in PodRunIn, w *pod.Workspace) ([]string, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	state, err := filepath.Abs(cfg.StateDir)
	if err != nil {
		return nil, err
	}
	env := append(d.childEnv(), "APE_CLAW_POD_DIR="+w.Dir(), "APE_CLAW_HOME="+cfg.UserHome, "APE_CLAW_STATE_DIR="+state,
		"APE_CLAW_PROFILE="+cfg.Profile, "APE_CLAW_AGENT_ID="+cfg.Agent.Value, "APE_CLAW_SESSION_ID="+cfg.SessionID.Value)
	for _, name := range append([]string{"APE_CLAW_POLICY", "APE_CLAW_CONFIG"}, in.PassEnv...) {
		if v, ok := d.host.Env(name); ok {
			env = append(env, name+"="+v)
		}
	}
	if !in.Execute {
		env = append(env, envAIChild+"=1") // what runs below sends and approves nothing
	}
	return env, nil
}

// chatStepper asks a model, in a conversation of its own for each tick: what it is to
// remember stands in the workspace.
type chatStepper struct {
	s                 *chat.Service
	connection, model string
}

// Name is the connection's.
func (c chatStepper) Name() string { return c.connection }

// Step is one turn of the model, with its tools.
func (c chatStepper) Step(ctx context.Context, in pod.Context) (pod.Step, error) {
	about := in.About
	if about == "" {
		about = "no open task"
	}
	turn, err := c.s.Send(ctx, chat.SendIn{Text: fmt.Sprintf("Tick %d: %s", in.Tick, about), Expanded: in.Text(), Connection: c.connection, Model: c.model}, nil)
	return pod.Step{Text: turn.Text, TraceID: turn.TraceID}, err
}

// presetHere is what a connection may use in this run.
func (d *Deps) presetHere(p ai.Preset) ai.Preset {
	t := d.talking()
	if t == nil || !t.reads {
		return p
	}
	switch p.Name {
	case ai.PresetAll, ai.PresetReadWrite, ai.PresetReadOnly:
		return ai.Preset{Name: ai.PresetReadOnly}
	case ai.PresetCustom:
		r, err := d.aiRegistry()
		if err != nil {
			return ai.Preset{Name: ai.PresetNone}
		}
		out := ai.Preset{Name: ai.PresetCustom}
		for _, tool := range r.Tools(p) {
			if tool.Grade == ai.GradeRead {
				out.Enabled = append(out.Enabled, tool.Name)
			}
		}
		return out
	}
	return p
}
