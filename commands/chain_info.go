package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// rpcProbeTimeout is how long doctor and chain info wait for the RPC.
const rpcProbeTimeout = 3 * time.Second

// ChainInfoIn has no flags.
type ChainInfoIn struct{}

// ChainInfoOut is the chain's state in the active profile.
type ChainInfoOut struct {
	chain.Info
	Profile string `json:"profile"`
}

func newChainInfo() Command {
	return define(Spec{Name: "chain info", Short: "Show the chain, its latest block and whether the RPC answers",
		Events: []string{"chain.info.read"}, Risk: RiskRead, Permission: "chain:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		chainInfo,
		func(p *Printer, out ChainInfoOut) {
			block := "unknown"
			if out.LatestBlock != nil {
				block = fmt.Sprint(*out.LatestBlock)
			}
			state := p.style(green, "answers")
			if !out.RPCOK {
				state = p.style(red, "no: ") + clean(out.Reason)
			}
			p.Head("Chain %d (%s)", out.ChainID, out.Profile)
			p.KV("latest block", block, "gas token", out.NativeGasToken)
			p.Line("  RPC           %s", state)
		})
}

func chainInfo(ctx context.Context, d *Deps, _ ChainInfoIn) (ChainInfoOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return ChainInfoOut{}, err
	}
	info, _, err := d.probe(ctx)
	if err != nil {
		return ChainInfoOut{}, err
	}
	result := map[string]any{"chainId": info.ChainID, "rpcOk": info.RPCOK, "blockNumber": info.LatestBlock}
	return ChainInfoOut{info, cfg.Profile}, d.Record(ctx, telemetry.Draft{Type: "chain.info.read", Result: result})
}

// probe asks the RPC for its head. That it does not answer is in the Info;
// mismatch says that it answers for another chain. An error is one of
// configuration or policy.
func (d *Deps) probe(ctx context.Context) (info chain.Info, mismatch bool, err error) {
	pol, err := d.Policy()
	if err != nil {
		return info, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, rpcProbeTimeout)
	defer cancel()
	info = chain.Info{ChainID: pol.ChainID, NativeGasToken: pol.NativeToken}
	client, err := d.client(ctx)
	if err != nil {
		info.Reason = fault.From(err).Message
	} else {
		err = info.Probe(ctx, client)
	}
	if err == nil {
		return info, false, nil
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		info.Reason = fmt.Sprintf("no answer within %s", rpcProbeTimeout)
	}
	return info, isCode(err, fault.ChainMismatch), nil
}
