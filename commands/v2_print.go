package commands

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/v2"
)

// printV2Action shows a transaction as a person confirms it.
func printV2Action(p *Printer, a v2.Action) {
	p.Head("For real: %s", clean(a.What))
	p.KV(v2Facts(a)...)
}

// v2Facts are an action's lines, as names and values.
func v2Facts(a v2.Action) []string {
	var kv []string
	for _, f := range a.Facts {
		kv = append(kv, f.Label, clean(f.Value))
	}
	contract := common.HexToAddress(a.Contract.Address).Hex() + " (" + string(a.Contract.Name) + ", from " + a.Contract.From + ")"
	if !a.Contract.Known {
		contract += ": its code is not the one that this program was built with"
	}
	kv = append(kv, "calls", contract, "account", common.HexToAddress(a.Account).Hex(), "network", fmt.Sprintf("%s (chain %d)", a.Network, a.ChainID),
		"value", a.Value.Decimal(units.APEDecimals)+" APE")
	if a.MaxFee != nil {
		kv = append(kv, "gas at most", a.MaxFee.Decimal(units.APEDecimals)+" APE")
	}
	for _, c := range a.Caps {
		kv = append(kv, "daily cap", capAfter(c, func(w units.Wei) string { return w.Decimal(units.APEDecimals) + " APE" }))
	}
	return kv
}

// printSent prints what every write has; more are names and values of the result.
func printSent(p *Printer, out v2.Sent, more ...string) {
	if len(out.WouldBlock) > 0 {
		p.Head("Dry run: --execute would be refused; nothing was signed")
	} else {
		p.Head("%s", clean(out.Message))
	}
	if !out.DryRun {
		p.KV(append(more, "transaction", out.TxHash, "block", fmt.Sprint(out.BlockNumber), "contract", out.Contract, "fee", out.FeeApe.String()+" APE")...)
		return
	}
	if out.Action != nil {
		kv := v2Facts(*out.Action)
		for i := 0; i+1 < len(more); i += 2 { // what is no fact of the action
			if !slices.Contains(kv, more[i]) {
				kv = append(kv, more[i], more[i+1])
			}
		}
		p.KV(kv...)
	}
	for _, g := range out.WouldBlock {
		p.Line("  %s %s: %s", p.style(yellow, "would refuse"), g.Name, clean(g.Reason))
		if g.Change != "" {
			p.Line("    %s", clean(g.Change))
		}
	}
	if out.ConfirmPhrase != "" && len(out.WouldBlock) == 0 {
		p.KV("phrase", out.ConfirmPhrase)
	}
	if out.Next != "" {
		p.List(cyan, "Next", []string{out.Next})
	}
}
