package commands

import (
	"context"
	"fmt"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

func v2AgentCommands() []Command { return []Command{newV2AgentExecute()} }

func newV2AgentExecute() Command {
	return define(Spec{Name: "v2 agent execute", Short: "Run a module through the agent account: a dry run, and with --execute for real",
		Long: `Have the agent account call a contract through a module. Its policy engine on chain
allows the call, or not, by module, target, selector and value; the gates of this machine
come before, and count the value.

--value is sent along from this account. What the call gives back stays in the agent
account. With --trace a receipt is recorded under that trace, if it has none yet.`,
		Example: "  ape-claw v2 agent execute --module swap --target 0x… --data 0x… --value 0.5\n  ape-claw v2 agent execute --module 0x… --input 0x…",
		Events:  settling("v2.tx.dry_run"), Risk: RiskHigh, Permission: "v2:agent:execute", AI: Exposure{Class: AITool, Grade: ai.GradeHigh, Identifiers: []string{"agentAccount", "module", "value", "inputHash"}, Untrusted: true, About: aboutAgentExecute}},
		func(ctx context.Context, d *Deps, in v2.AgentExecuteIn) (v2.AgentExecuteOut, error) {
			s, err := d.v2Asking(ctx, in.Go, v2Flag{contracts.AgentAccount, "--agent-account", in.AgentAccount})
			if err != nil {
				return v2.AgentExecuteOut{}, err
			}
			in.Trace = d.receiptTrace(in.Trace)
			return s.AgentExecute(ctx, in)
		},
		func(p *Printer, out v2.AgentExecuteOut) {
			if out.DryRun {
				printSent(p, out.Sent, "returned", clean(out.Returned))
				return
			}
			printSent(p, out.Sent, "module", out.Module, "target", out.Target, "selector", out.Selector, "content hash", out.ContentHash,
				"receipt", fmt.Sprint(out.ReceiptRecorded))
		})
}
