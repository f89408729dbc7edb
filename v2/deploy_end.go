package v2

import (
	"context"
	"fmt"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// goOn says that an interrupted deployment is gone on with.
func (x *deployment) goOn(err error) error {
	f := *fault.From(err)
	f.Err = err
	f.With("network", x.plan.at.Name).With("transactionsConfirmed", x.out.Sent)
	next := x.d.CLI + " " + cmdDeploy + " goes on where it stopped"
	if f.Hint != "" {
		next = f.Hint + "; then " + next
	}
	return f.Hintf("%s", next)
}

func (x *deployment) finish(ctx context.Context) (DeployOut, error) {
	p, out := x.plan, x.out
	all := map[string]string{}
	for _, t := range p.pieces {
		all[string(t.piece.Name)] = lower(t.piece.Address)
	}
	out.FeeApe, out.FeeWei = x.fee.JSON(units.APEDecimals), &x.fee
	out.Message = fmt.Sprintf("all %d contracts are on %s, with the code and arguments that they should have", len(p.pieces), p.at.Name)
	if out.Sent > 0 {
		out.Message = fmt.Sprintf("deployed in %d transactions: all %d contracts are on %s", out.Sent, len(p.pieces), p.at.Name)
	}
	return out, x.d.Recorder.Record(ctx, telemetry.Draft{
		Type: "v2.deploy.completed", ChainID: p.at.ID, Payload: map[string]any{"network": p.at.Name},
		Result: map[string]any{"contracts": all, "sent": out.Sent},
	})
}
