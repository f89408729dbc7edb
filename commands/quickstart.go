package commands

import (
	"context"
	"slices"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
)

// QuickstartIn has no flags.
type QuickstartIn struct{}

// QuickstartOut is where a newcomer stands and what comes next.
type QuickstartOut struct {
	OK                  bool     `json:"ok"`
	Status              string   `json:"status"` // ready, read-only or needs-attention
	Summary             string   `json:"summary"`
	RecommendedCommands []string `json:"recommendedCommands"`
	NextSteps           []string `json:"nextSteps"`
	Warnings            []string `json:"warnings"`
}

func newQuickstart() Command {
	return define(Spec{Name: "quickstart", Short: "Say what is set up and which commands come next",
		Events: []string{"quickstart.ran"}, Risk: RiskRead, Permission: "system:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}, Anywhere: true},
		quickstart,
		func(p *Printer, out QuickstartOut) {
			p.Head("%s", out.Summary)
			p.List(cyan, "Try", out.RecommendedCommands)
			p.List(yellow, "To go further", out.NextSteps)
		})
}

func quickstart(ctx context.Context, d *Deps, _ QuickstartIn) (QuickstartOut, error) {
	doc := d.examine(ctx)
	out := QuickstartOut{OK: true, NextSteps: doc.NextSteps, Warnings: doc.Warnings}
	sandboxed := ""
	if doc.Profile == ProfileSandbox {
		sandboxed = " --profile sandbox"
	}
	switch {
	case !doc.OK:
		out.Status, out.Summary = "needs-attention", "Something is wrong: run ape-claw doctor"
		out.NextSteps = append([]string{"ape-claw doctor"}, doc.NextSteps...)
		out.RecommendedCommands = []string{"ape-claw doctor", "ape-claw demo"}
	case doc.Execution.ExecuteReady:
		out.Status, out.Summary = "ready", "Ready to quote, simulate and buy"
		out.RecommendedCommands = []string{
			"ape-claw" + sandboxed + " market collections",
			"ape-claw" + sandboxed + " market listings --collection SLUG",
			"ape-claw" + sandboxed + " nft quote --collection SLUG --token-id ID --max-price APE",
			"ape-claw" + sandboxed + " nft simulate --quote QUOTE",
			"ape-claw" + sandboxed + " nft buy --quote QUOTE",
		}
	default:
		out.Status, out.Summary = "read-only", "Reading works; buying is not set up yet"
		if !doc.Market.OpenSeaAPIKeyProvided && !doc.Market.Proxied || !doc.Execution.RPCOK {
			out.Summary = "Practising works; live listings and buying are not set up yet"
		}
		out.RecommendedCommands = []string{"ape-claw demo", "ape-claw sandbox up --detach", "ape-claw --profile sandbox quickstart", "ape-claw market collections", "ape-claw serve"}
	}
	out.NextSteps = slices.DeleteFunc(out.NextSteps, func(s string) bool { return slices.Contains(out.RecommendedCommands, s) })
	return out, d.Record(ctx, telemetry.Draft{Type: "quickstart.ran", Result: map[string]any{"completed": true, "status": out.Status}})
}
