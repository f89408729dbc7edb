package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/sandbox/model"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// DemoPod is the last part: a skill that agents read, and an agent that is kept going.
type DemoPod struct {
	TraceID   string `json:"traceId"`
	SkillPath string `json:"skillPath"`
	SkillID   string `json:"skillId"` // of the card that was minted in one go
	Ticks     int    `json:"ticks"`   // of the model
	CutOff    string `json:"cutOff"`  // the action that the run was killed in
	Events    int    `json:"events"`
	Streamed  int    `json:"streamed"`
}

// demoPodTrail is what the log must hold of it under one trace.
var demoPodTrail = []string{"skill.install.ran", "skill.card.checked", "v2.tx.dry_run", "v2.tx.submitted", "v2.skill.minted", "v2.tx.dry_run", "v2.tx.submitted", "v2.skill.version.published",
	"pod.init.completed", "pod.run.started", "pod.heartbeat", "pod.action.completed", "pod.run.stopped", "pod.stop.requested", "pod.run.stopped", "pod.stop.cleared",
	"pod.run.started", "pod.heartbeat", // and killed
	"pod.action.interrupted", "pod.run.started", "pod.heartbeat", "pod.action.completed", "pod.run.stopped", "pod.tasks.read"}

// demoPodCard is a card that its agent wrote, minted and published in one go.
const demoPodCard = `{
  "slug": "quote-keeper",
  "name": "Quote keeper",
  "version": "1.0.0",
  "description": "Keeps a quote of the cheapest Demo Ape, and tries what buying it would do.",
  "bindings": [{"type": "cli", "command": "ape-claw nft quote --collection demo-apes --token-id ID --max-price 20 --json"}],
  "constraints": {"riskTier": 1}
}
`

// demoTask is what the agent is to do.
const demoTask = "quote the cheapest Demo Ape, and try what buying it would do"

// demoPodScript is what the model of the pod answers. Each tick is a conversation of its
// own: in the first two it quotes and simulates, in the third it calls its task done.
func demoPodScript() model.Script {
	return model.Script{Steps: []model.Step{
		{When: &model.When{User: "Tick 3"}, Say: "DONE " + demoTask + "\nTASK look at the floor again"},
		model.Use("market_listings", `{"collection":"demo-apes","limit":3}`),
		model.Use("nft_quote", `{"collection":"demo-apes","tokenId":"$.market_listings.listings.0.tokenId","maxPrice":"{$.market_listings.listings.0.priceApe}"}`),
		model.Use("nft_simulate", `{"quote":"$.nft_quote.quoteId"}`),
		{Say: "NOTE Demo Apes #{$.nft_quote.tokenId} costs {$.nft_quote.priceApe} APE, and the purchase would succeed: {$.nft_quote.quoteId}"},
	}}
}

// playPod installs what an agent reads, and keeps one going through a stop and a kill.
func (s *story) playPod(ctx context.Context) error {
	s.say("%s\n\n", s.p.style(bold, "A skill that agents read, and an agent that is kept going"))
	out := &DemoPod{TraceID: telemetry.NewTraceID(s.d.host.Now())}
	s.out.Pod, s.own = out, false
	env := s.host.Env
	s.host.Env = func(key string) (string, bool) {
		if key == "APE_CLAW_TRACE_ID" {
			return out.TraceID, true
		}
		return env(key)
	}
	home := s.world.Current().Home
	if err := s.podSkill(ctx, home, out); err != nil {
		return err
	}
	dir := filepath.Join(home, "pod-workspace")
	if err := s.podTicks(ctx, home, dir, out); err != nil {
		return err
	}
	if err := s.podStopped(ctx, dir); err != nil {
		return err
	}
	return s.podKilled(ctx, home, dir, out)
}

// podSkill installs the core skill, and mints a card.
func (s *story) podSkill(ctx context.Context, home string, out *DemoPod) error {
	installed, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("%s %s, where an agent reads it: %s", text(doc, "slug"), text(doc, "version"), text(doc, "skillPath"))
	}, "skill", "install", "--skills-dir", filepath.Join(home, "skills"))
	if err != nil {
		return err
	}
	out.SkillPath = text(installed, "skillPath")
	card := filepath.Join(home, "quote-keeper.v1.0.0.json")
	if err := store.WriteFile(card, []byte(demoPodCard)); err != nil {
		return err
	}
	if _, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("a valid card, with nothing in it to look at; its content has the hash %s", text(doc, "contentHash"))
	}, "skill", "validate", card, "--strict"); err != nil {
		return err
	}
	dry, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("dry run: nothing was sent. To mint and publish it, confirm: %s", text(doc, "confirmPhrase"))
	}, "skill", "mint", "--file", card)
	if err != nil {
		return err
	}
	minted, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string { return text(doc, "message") },
		"skill", "mint", "--file", card, "--execute", "--confirm", text(dry, "confirmPhrase"))
	out.SkillID = text(minted, "skillId")
	return err
}

// podTicks makes a workspace, and has a model work in it for three ticks.
func (s *story) podTicks(ctx context.Context, home, dir string, out *DemoPod) error {
	if _, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		files, _ := doc["created"].([]any)
		return fmt.Sprintf("a workspace of %d files", len(files))
	}, "pod", "init", "--dir", dir); err != nil {
		return err
	}
	if err := store.WriteFile(filepath.Join(dir, "memory", "active-tasks.md"), []byte("# Active tasks\n\n- [ ] "+demoTask+"\n")); err != nil {
		return err
	}
	script, err := json.Marshal(demoPodScript())
	if err != nil {
		return err
	}
	path := filepath.Join(home, "pod-script.json")
	if err := store.WriteFile(path, script); err != nil {
		return err
	}
	ran, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("%s ticks as a dry run, %s failed: the model quoted, simulated, and called its task done", text(doc, "ticks"), text(doc, "failed"))
	}, "pod", "run", "--dir", dir, "--ticks", "3", "--every", "1ms", "--connection", "scripted:"+path)
	if err != nil {
		return err
	}
	if text(ran, "ticks") != "3" || text(ran, "failed") != "0" {
		return fault.New(fault.Internal, "the pod ran %s ticks, of which %s failed", text(ran, "ticks"), text(ran, "failed"))
	}
	out.Ticks = 3
	return nil
}

// podStopped raises the flag: no run begins while it is up.
func (s *story) podStopped(ctx context.Context, dir string) error {
	if _, err := s.step(ctx, fault.ExitOK, func(map[string]any) string { return "the flag is up: a run ends within a second, and none begins" },
		"pod", "stop", "--dir", dir, "--reason", "a look at it first"); err != nil {
		return err
	}
	ran, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("ended after %s ticks: %s", text(doc, "ticks"), text(doc, "reason"))
	}, "pod", "run", "--dir", dir, "--ticks", "3", "--every", "1ms", "--", "true")
	if err != nil {
		return err
	}
	if text(ran, "ticks") != "0" || text(ran, "reason") != "stopped" {
		return fault.New(fault.Internal, "a run began although the flag was up")
	}
	_, err = s.step(ctx, fault.ExitOK, func(map[string]any) string { return "the flag is gone" }, "pod", "start", "--dir", dir)
	return err
}

// podKilled has a run killed in the middle of an action, by no signal that could be
// caught, and another one find what it was at.
func (s *story) podKilled(ctx context.Context, home, dir string, out *DemoPod) error {
	pid := filepath.Join(home, "agent.pid")
	args := []string{"pod", "run", "--dir", dir, "--ticks", "1", "--every", "1ms", "--", "/bin/sh", "-c", "echo $$ > '" + pid + "'; exec sleep 60"}
	if err := s.kill(ctx, pid, args); err != nil {
		return err
	}
	line := "ape-claw " + quoteArgs(args)
	s.out.Steps = append(s.out.Steps, DemoStep{Command: line, Exit: 137, Tells: "killed in the middle of an action (SIGKILL)", Result: json.RawMessage("null")})
	s.say("%s %s\n  %s  killed in the middle of an action (SIGKILL)\n\n", s.p.style(dim, "$"), s.p.style(bold, line), s.p.style(yellow, "killed"))
	resumed, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("it found %s in memory/active-tasks.md, repeated nothing, and told the agent", cutOff(doc))
	}, "pod", "run", "--dir", dir, "--ticks", "1", "--every", "1ms", "--", "/bin/sh", "-c", "grep -q 'cut off' && echo NOTE looked at what was cut off")
	if err != nil {
		return err
	}
	if out.CutOff = cutOff(resumed); out.CutOff == "" {
		return fault.New(fault.Internal, "the next run found nothing that was cut off")
	}
	_, err = s.step(ctx, fault.ExitOK, func(doc map[string]any) string { return text(doc, "count") + " tasks, " + text(doc, "open") + " open" }, "pod", "tasks", "--dir", dir)
	return err
}

// cutOff is the action that a run was killed in, as the next one tells.
func cutOff(doc map[string]any) string {
	list, _ := doc["resumed"].([]any)
	if len(list) != 1 {
		return ""
	}
	r, _ := list[0].(map[string]any)
	return text(r, "id")
}

// kill starts a command as its own process, waits until the program that it starts has
// written its pid, and kills both.
func (s *story) kill(ctx context.Context, pidFile string, args []string) error {
	cmd := exec.CommandContext(ctx, s.d.host.Executable, args...)
	cmd.Env = s.d.childEnv()
	for _, name := range []string{"HOME", "APE_CLAW_HOME", "APE_CLAW_PROFILE", "APE_CLAW_STATE_DIR", "APE_CLAW_TRACE_ID", "APE_CLAW_AGENT_ID", "APE_CLAW_SESSION_ID"} {
		if v, ok := s.host.Env(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	if err := cmd.Start(); err != nil {
		return fault.Wrap(err, fault.Internal, "this program can't be started anew")
	}
	pid, err := waitForPID(ctx, pidFile)
	_ = cmd.Process.Kill() // it may have ended, which the next step notices
	_ = cmd.Wait()         // it was killed
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	return err
}

// podPatience is how long a program may take to begin.
const podPatience = 30 * time.Second

func waitForPID(ctx context.Context, path string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, podPatience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if b, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(b), "\n") {
			return strconv.Atoi(strings.TrimSpace(string(b)))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return 0, fault.Wrap(ctx.Err(), fault.Internal, "the program of the pod did not begin")
		}
	}
}
