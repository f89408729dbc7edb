package commands

import (
	"context"
	"fmt"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/v2"
)

func v2DeployCommands() []Command { return []Command{newV2Deploy()} }

func newV2Deploy() Command {
	return define(Spec{Name: "v2 deploy", Short: "Put the v2 contracts on the chain: a dry run, and with --execute for real",
		Long: `Deploy skills, intents, receipts, the policy engine with its modules, the agent account
and the vault, and set the engine's first rules. Without --execute it tells what is
there, what is missing, and what that would cost about.

Addresses follow from the deployer's account, the label and the contracts themselves, so
that a deployment which was interrupted is gone on with, never begun twice, and one that
is there is found without a record. The first rules are set once; later, only what
--max-value, --allow-target and --allow-selector name. Where everything is stands in the
deployment record, which other v2 commands read.`,
		Example: "  ape-claw v2 deploy\n  ape-claw v2 deploy --execute --confirm 'EXECUTE v2 deploy …'\n  ape-claw v2 deploy --vault-member 0x…:3 --vault-member 0x…:1 --max-value 0.5",
		Events:  settling("v2.deploy.planned", "v2.deploy.completed"),
		Risk:    RiskHigh, Permission: "v2:deploy", AI: Exposure{Class: AIOperator}},
		func(ctx context.Context, d *Deps, in v2.DeployIn) (v2.DeployOut, error) {
			s, err := d.v2Asking(ctx, in.Go)
			if err != nil {
				return v2.DeployOut{}, err
			}
			return s.Deploy(ctx, in)
		},
		printDeploy)
}

func printDeploy(p *Printer, out v2.DeployOut) {
	p.Head("%s", clean(out.Message))
	rows := make([][]string, 0, len(out.Contracts)+len(out.Rules))
	for _, c := range out.Contracts {
		rows = append(rows, []string{string(c.Name), c.Address, c.State, c.TxHash})
	}
	for _, r := range out.Rules {
		what := r.Subject
		switch {
		case r.Subject == "":
			what = r.Value.Decimal(units.APEDecimals) + " APE"
		case r.Signature != "":
			what += " " + clean(r.Signature)
		}
		rows = append(rows, []string{r.Rule, what, r.State, r.TxHash})
	}
	p.Table([]string{"WHAT", "WHERE", "STATE", "TRANSACTION"}, rows)
	shares := ""
	for i, m := range out.VaultMembers {
		if i > 0 {
			shares += ", "
		}
		shares += m.Address + " " + m.Shares.String()
	}
	p.KV("network", fmt.Sprintf("%s (chain %d)", out.Network, out.ChainID), "deployer", out.Deployer, "vault shares", shares, "record", out.Record, "old record", out.SetAside)
	if !out.DryRun {
		p.KV("fee", out.FeeApe.String()+" APE")
		return
	}
	for _, g := range out.WouldBlock {
		p.Line("  %s %s: %s", p.style(yellow, "would refuse"), g.Name, clean(g.Reason))
		if g.Change != "" {
			p.Line("    %s", clean(g.Change))
		}
	}
	p.KV("phrase", out.ConfirmPhrase)
	if out.Next != "" {
		p.List(cyan, "Next", []string{out.Next})
	}
}
