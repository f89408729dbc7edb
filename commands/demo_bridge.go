package commands

import (
	"context"
	"fmt"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// DemoBridge is the last part: funds from another chain, and what they buy.
type DemoBridge struct {
	TraceID   string `json:"traceId"`
	RequestID string `json:"requestId"`
	Received  string `json:"received"` // as people read it
	TxHash    string `json:"txHash"`   // of the purchase
	Events    int    `json:"events"`
	Streamed  int    `json:"streamed"`
}

// demoBridgeTrail is what the log must hold of it under one trace.
var demoBridgeTrail = []string{"nft.quote.created", "nft.simulation.failed", "bridge.quote.created", "bridge.execute.dry_run", "bridge.execute.submitted", "bridge.tx.mined",
	"bridge.execute.confirmed", "nft.simulation.passed", "nft.buy.submitted", "nft.buy.confirmed", "v2.tx.submitted", "v2.receipt.recorded"}

// demoChange is what is left to the account for gas, in whole APE.
const demoChange = "0.5"

// playBridge takes the agent's APE away, and has it get new ones from Ethereum.
func (s *story) playBridge(ctx context.Context) error {
	s.say("%s\n\n", s.p.style(bold, "Another chain: funds that are moved, and spent where they arrive"))
	out := &DemoBridge{TraceID: telemetry.NewTraceID(s.d.host.Now())}
	s.out.Bridge, s.own = out, false
	env := s.host.Env
	s.host.Env = func(key string) (string, bool) {
		if key == "APE_CLAW_TRACE_ID" {
			return out.TraceID, true
		}
		return env(key)
	}
	if err := s.spendAll(ctx); err != nil {
		return err
	}
	quote, err := s.quoteCheapest(ctx)
	if err != nil {
		return err
	}
	token := text(quote, "tokenId")
	id := text(quote, "quoteId")
	if _, err = s.step(ctx, fault.ExitCode(fault.New(fault.SimulationFailed, "")), func(doc map[string]any) string { return text(doc, "error") },
		"nft", "simulate", "--quote", id); err != nil {
		return err
	}
	if err := s.bring(ctx, out); err != nil {
		return err
	}
	if _, err = s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("now the exact transaction would succeed, at block %s", text(doc, "blockNumber"))
	}, "nft", "simulate", "--quote", id); err != nil {
		return err
	}
	bought, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("bought for %s APE in block %s, transaction %s", text(doc, "priceApe"), text(doc, "blockNumber"), text(doc, "txHash"))
	}, "nft", "buy", "--quote", id, "--execute", "--confirm", fmt.Sprintf("BUY demo-apes #%s %s APE", token, text(quote, "priceApe")))
	out.TxHash = text(bought, "txHash")
	return err
}

// bring moves funds from the sandbox's Ethereum, as a person would.
func (s *story) bring(ctx context.Context, out *DemoBridge) error {
	moved, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("request %s: %s %s, of which the bridge keeps %s of 10000", text(doc, "requestId"), text(doc, "amount"), text(doc, "token"), text(doc, "feeBps"))
	}, "bridge", "quote", "--from", "ethereum", "--to", "apechain", "--token", "ETH", "--amount", "0.1")
	if err != nil {
		return err
	}
	out.RequestID = text(moved, "requestId")
	dry, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("%s. To move them, confirm: %s", text(doc, "message"), text(doc, "confirmPhrase"))
	}, "bridge", "execute", "--request", out.RequestID)
	if err != nil {
		return err
	}
	if _, err = s.step(ctx, fault.ExitOK, func(doc map[string]any) string { return text(doc, "message") },
		"bridge", "execute", "--request", out.RequestID, "--execute", "--confirm", text(dry, "confirmPhrase")); err != nil {
		return err
	}
	arrived, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("%s, in transaction %s of the other chain", text(doc, "message"), text(doc, "destinationTxHash"))
	}, "bridge", "status", "--request", out.RequestID, "--watch")
	if err != nil {
		return err
	}
	got, err := units.ParseBase(text(arrived, "received"))
	if err != nil || text(arrived, "status") != "completed" {
		return fault.Wrap(err, fault.Internal, "the transfer is %s", text(arrived, "status"))
	}
	out.Received = got.Decimal(units.APEDecimals) + " APE"
	return nil
}

// spendAll has the agent's APE go to somebody else, behind the product's back.
func (s *story) spendAll(ctx context.Context) error {
	client, buyer := s.world.Client(), s.world.Buyer()
	held, err := client.BalanceAt(ctx, buyer.Address(), nil)
	if err != nil {
		return err
	}
	change, err := units.Parse(demoChange, units.APEDecimals)
	if err != nil {
		return err
	}
	all, err := units.FromBig(held)
	if err == nil {
		all, err = all.Sub(change)
	}
	if err == nil {
		_, err = s.world.Send(ctx, buyer, sandbox.Tx{To: s.world.Demo().Faucet.Address(), Value: all})
	}
	return err
}
