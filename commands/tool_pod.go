package commands

import (
	"context"
	"encoding/json"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/store"
)

// podProposer is what models may propose to do to the workspace.
type podProposer struct{ c Command }

func (p podProposer) preview(_ context.Context, d *Deps, args json.RawMessage) (ai.Preview, error) {
	cfg, err := d.Config()
	if err != nil {
		return ai.Preview{}, err
	}
	var in struct{ Reason string }
	if err := json.Unmarshal(args, &in); err != nil {
		return ai.Preview{}, badArgument("reason", err)
	}
	dir := store.Display(cfg.PodDir.Value)
	out := ai.Preview{
		Facts:   []ai.Fact{{Name: "workspace", Label: "workspace", Value: dir}},
		Binding: map[string]string{"profile": cfg.Profile, "workspace": dir},
		Args:    args,
	}
	switch p.c.Name {
	case "pod init":
		out.Title, out.Impact = "Make the agent's workspace", "Files that are missing are written. Nothing that is there is changed."
	case "pod stop":
		out.Title, out.Impact = "Stop the agent's run", "The run ends within a second, and none begins until a person takes the flag away. What left already goes on."
		reason := d.redactor().String(in.Reason)
		if reason == "" {
			reason = "none given"
		}
		out.Facts = append(out.Facts, ai.Fact{Name: "reason", Label: "reason", Value: reason},
			ai.Fact{Name: "undo", Label: "undone by", Value: d.cli() + " pod start"})
	default:
		out.Title, out.Impact = "Give a sign of life in the agent's workspace", "The workspace shows as running for five minutes."
	}
	return out, nil
}

func (p podProposer) execute(ctx context.Context, d *Deps, args json.RawMessage, _ ai.Approval) (any, error) {
	return p.c.call(ctx, d, args)
}
