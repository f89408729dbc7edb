package commands

import (
	"context"
	"fmt"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

func v2IntentCommands() []Command {
	return []Command{newV2IntentCreate(), newV2IntentCancel(), newV2IntentShow()}
}

func intentsFlag(address string) v2Flag {
	return v2Flag{contracts.IntentRegistry, "--intents", address}
}

func newV2IntentCreate() Command {
	return define(Spec{Name: "v2 intent create", Short: "Record on chain what is meant to be done: a dry run, and with --execute for real",
		Long: `Hash a JSON document, in the form that does not depend on the order of its keys, and
record the hash as an intent of this account. An intent gives nobody a right to anything;
it says before the fact what was meant.

Without --execute it is simulated, and told with what it would cost and the phrase that
--confirm takes.`,
		Example: `  ape-claw v2 intent create --payload '{"buy":"gs-on-ape","max":"12.5"}'`,
		Events:  settling("v2.tx.dry_run"), Risk: RiskHigh, Permission: "v2:intent:create", AI: Exposure{Class: AITool, Grade: ai.GradeWrite, Untrusted: true, About: aboutIntentCreate}},
		func(ctx context.Context, d *Deps, in v2.IntentCreateIn) (v2.IntentCreateOut, error) {
			s, err := d.v2Asking(ctx, in.Go, intentsFlag(in.Intents))
			if err != nil {
				return v2.IntentCreateOut{}, err
			}
			return s.IntentCreate(ctx, in)
		},
		func(p *Printer, out v2.IntentCreateOut) {
			if out.DryRun {
				printSent(p, out.Sent) // the facts have all
				return
			}
			printSent(p, out.Sent, "intent", fmt.Sprint(out.IntentID), "intent hash", out.IntentHash)
		})
}

func newV2IntentCancel() Command {
	return define(Spec{Name: "v2 intent cancel", Short: "Take back an intent of this account: a dry run, and with --execute for real",
		Long: `Cancel an intent, which only its creator can. One that is over may be cancelled too: it
says that it was not carried out.`,
		Example: "  ape-claw v2 intent cancel --intent-id 3",
		Events:  settling("v2.tx.dry_run"), Risk: RiskHigh, Permission: "v2:intent:cancel", AI: Exposure{Class: AITool, Grade: ai.GradeWrite, Untrusted: true, About: aboutIntentCancel}},
		func(ctx context.Context, d *Deps, in v2.IntentCancelIn) (v2.IntentCancelOut, error) {
			s, err := d.v2Asking(ctx, in.Go, intentsFlag(in.Intents))
			if err != nil {
				return v2.IntentCancelOut{}, err
			}
			return s.IntentCancel(ctx, in)
		},
		func(p *Printer, out v2.IntentCancelOut) { printSent(p, out.Sent) })
}

func newV2IntentShow() Command {
	return define(Spec{Name: "v2 intent show", Short: "Show an intent as the chain has it",
		Example: "  ape-claw v2 intent show --intent-id 3",
		Events:  []string{"v2.intent.read"}, Risk: RiskRead, Permission: "v2:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in v2.IntentShowIn) (v2.IntentShowOut, error) {
			s, err := d.v2(ctx, intentsFlag(in.Intents))
			if err != nil {
				return v2.IntentShowOut{}, err
			}
			out, err := s.IntentShow(ctx, in)
			if err != nil {
				return out, err
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "v2.intent.read", ChainID: out.ChainID, Payload: map[string]any{"intentId": fmt.Sprint(out.IntentID)},
				Result: map[string]any{"intentId": out.IntentID, "active": out.Active, "exists": out.Exists}})
		},
		func(p *Printer, out v2.IntentShowOut) {
			if !out.Exists {
				p.Head("There is no intent %d on %s", out.IntentID, out.Network)
				p.KV("registry", out.Contract)
				return
			}
			state := "active"
			switch {
			case out.Cancelled:
				state = "cancelled"
			case !out.Active:
				state = "over"
			}
			p.Head("Intent %d is %s", out.IntentID, state)
			p.KV("intent hash", out.IntentHash, "created by", out.Creator, "over at", out.Ends(), "registry", out.Contract, "network", out.Network)
		})
}
