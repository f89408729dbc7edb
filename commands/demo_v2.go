package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// DemoV2 is the third part: what is put on chain beside the purchases.
type DemoV2 struct {
	TraceID   string            `json:"traceId"`
	Contracts map[string]string `json:"contracts"`
	SkillID   string            `json:"skillId"`
	IntentID  string            `json:"intentId"`
	Receipt   string            `json:"receipt"` // the trace of the receipt that the purchase left by itself
	Checked   int               `json:"checked"` // facts of the events that were held against the chain
	Events    int               `json:"events"`
	Streamed  int               `json:"streamed"`
}

// demoV2Trail is what the log must hold of it under one trace.
var demoV2Trail = slices.Concat(
	[]string{"v2.deploy.planned"},
	slices.Repeat([]string{"v2.tx.submitted", "v2.contract.deployed"}, len(contracts.Names())),
	slices.Repeat([]string{"v2.tx.submitted", "v2.policy.set"}, demoRules),
	[]string{"v2.deploy.completed",
		"v2.tx.dry_run", "v2.tx.submitted", "v2.skill.minted", "v2.tx.submitted", "v2.skill.version.published", "v2.skill.read",
		"v2.tx.submitted", "v2.intent.created", "v2.tx.submitted", "v2.intent.cancelled", "v2.intent.read",
		"v2.tx.submitted", "v2.agent.execute", "policy.blocked", // four of them, one after the other
		"v2.tx.submitted", "v2.vault.release", "v2.vault.read",
		"nft.quote.created", "nft.simulation.passed", "nft.buy.submitted", "nft.buy.confirmed", "v2.tx.submitted", "v2.receipt.recorded", "v2.receipt.read",
		"v2.tx.submitted", "v2.receipt.recorded", "v2.receipt.read"})

// demoRules is how many rules a new policy engine gets on the sandbox: three modules,
// the target for practice and four functions of it, and the most a call may carry.
const demoRules = 9

// demoCard is the skill that is minted and published.
const demoCard = `{
  "slug": "floor-watcher",
  "name": "Floor watcher",
  "version": "1.0.0",
  "description": "Buys the cheapest Demo Ape below a price.",
  "constraints": {"riskTier": 1},
  "provenance": {"publisher": "demo-agent", "sourceUrl": "https://example.com/skills/floor-watcher.v1.0.0.json"}
}
`

// playV2 deploys the contracts and uses each of them once.
func (s *story) playV2(ctx context.Context) error {
	s.say("%s\n\n", s.p.style(bold, "Skills, intents, receipts: what is on chain for everybody to check"))
	out := &DemoV2{TraceID: telemetry.NewTraceID(s.d.host.Now()), Contracts: map[string]string{}}
	s.out.V2, s.own = out, false
	env := s.host.Env
	s.host.Env = func(key string) (string, bool) {
		if key == "APE_CLAW_TRACE_ID" {
			return out.TraceID, true
		}
		return env(key)
	}
	for _, part := range []func(context.Context, *DemoV2) error{s.v2Deploy, s.v2Skill, s.v2Intent, s.v2Agent, s.v2Vault, s.v2Receipts} {
		if err := part(ctx, out); err != nil {
			return err
		}
	}
	return nil
}

// v2Deploy puts the contracts there: three of four shares of the vault are the
// agent's.
func (s *story) v2Deploy(ctx context.Context, out *DemoV2) error {
	args := []string{"v2", "deploy", "--vault-member", s.world.Buyer().Address().Hex() + ":3", "--vault-member", s.world.Demo().Faucet.Address().Hex() + ":1"}
	dry, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("dry run: nothing was sent. To deploy, confirm: %s", text(doc, "confirmPhrase"))
	}, args...)
	if err != nil {
		return err
	}
	done, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string { return text(doc, "message") },
		append(args, "--execute", "--confirm", text(dry, "confirmPhrase"))...)
	if err != nil {
		return err
	}
	list, _ := done["contracts"].([]any)
	for _, c := range list {
		c, _ := c.(map[string]any)
		out.Contracts[text(c, "name")] = text(c, "address")
	}
	if len(out.Contracts) != len(contracts.Names()) {
		return fault.New(fault.Internal, "%d contracts were deployed, not %d", len(out.Contracts), len(contracts.Names()))
	}
	return nil
}

// v2Skill mints a skill, whose royalties go to the vault, and publishes its card.
func (s *story) v2Skill(ctx context.Context, out *DemoV2) error {
	card := filepath.Join(s.world.Current().Home, "floor-watcher.v1.0.0.json")
	if err := store.WriteFile(card, []byte(demoCard)); err != nil {
		return err
	}
	mint := []string{"v2", "skill", "mint", "--file", card, "--royalty-receiver", "vault", "--royalty-bps", "500"}
	dry, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("dry run: nothing was sent. To mint, confirm: %s", text(doc, "confirmPhrase"))
	}, mint...)
	if err != nil {
		return err
	}
	minted, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("%s, owned by %s; %s of 10000 of a sale go to the vault", text(doc, "message"), text(doc, "owner"), text(doc, "royaltyBps"))
	}, append(mint, "--execute", "--confirm", text(dry, "confirmPhrase"))...)
	if err != nil {
		return err
	}
	out.SkillID = text(minted, "skillId")
	if err := s.write(ctx, func(doc map[string]any) string {
		return text(doc, "message") + ": its content has the hash " + text(doc, "contentHash")
	},
		"v2", "skill", "publish", "--skill-id", out.SkillID, "--file", card); err != nil {
		return err
	}
	shown, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("%s version, royalty %s of 10000 to %s", text(doc, "versions"), text(doc, "royaltyBps"), text(doc, "royaltyReceiver"))
	}, "v2", "skill", "show", "--skill-id", out.SkillID)
	if err == nil && text(shown, "royaltyReceiver") != out.Contracts[string(contracts.PodVault)] {
		return fault.New(fault.Internal, "the royalty goes to %s, not to the vault", text(shown, "royaltyReceiver"))
	}
	return err
}

// v2Intent says what is meant to be done, and takes it back.
func (s *story) v2Intent(ctx context.Context, out *DemoV2) error {
	message := func(doc map[string]any) string { return text(doc, "message") }
	created, err := s.step(ctx, fault.ExitOK, message, "v2", "intent", "create", "--payload", `{"buy":"demo-apes","max":"12.5"}`, "--execute", "--autonomous")
	if err != nil {
		return err
	}
	out.IntentID = text(created, "intentId")
	if err := s.write(ctx, message, "v2", "intent", "cancel", "--intent-id", out.IntentID); err != nil {
		return err
	}
	shown, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string { return "cancelled: " + text(doc, "cancelled") },
		"v2", "intent", "show", "--intent-id", out.IntentID)
	if err == nil && text(shown, "cancelled") != "true" {
		return fault.New(fault.Internal, "the intent is not cancelled")
	}
	return err
}

// v2Agent has the agent account run a module, and then do four things that its policy
// engine on chain forbids.
func (s *story) v2Agent(ctx context.Context, out *DemoV2) error {
	target, vault := out.Contracts[string(contracts.MockTarget)], out.Contracts[string(contracts.PodVault)]
	ping, err := contracts.ABI(contracts.MockTarget).Pack("ping", [32]byte(common.RightPadBytes([]byte("ape-claw"), 32)))
	if err != nil {
		return err
	}
	data := hexutil.Encode(ping)
	call := func(module, target, data, value string) []string {
		return []string{"v2", "agent", "execute", "--module", module, "--target", target, "--data", data, "--value", value}
	}
	err = s.write(ctx, func(doc map[string]any) string { return text(doc, "message") }, append(call("swap", target, data, "0.5"), "--trace", out.TraceID+".agent")...)
	if err != nil {
		return err
	}
	for _, no := range []struct {
		args   []string
		reason string
	}{
		{call("swap", target, "0x12345678", "0"), "does not allow the function 0x12345678"},
		{call("swap", vault, data, "0"), "does not allow the target"},
		{call(target, target, data, "0"), "does not allow the module"},
		{call("swap", target, data, "1.5"), "allows 1 APE a call at the most"},
	} {
		doc, err := s.step(ctx, fault.ExitCode(fault.New(fault.SimulationFailed, "")), func(doc map[string]any) string { return text(doc, "error") },
			append(no.args, "--execute", "--autonomous")...)
		if err != nil {
			return err
		}
		if !strings.Contains(text(doc, "error"), no.reason) || text(doc, "sent") != "no" {
			return fault.New(fault.Internal, "it was refused for another reason than %q: %v", no.reason, doc["error"])
		}
	}
	return nil
}

// v2Vault pays something into the vault and has the agent's share paid out.
func (s *story) v2Vault(ctx context.Context, out *DemoV2) error {
	vault := common.HexToAddress(out.Contracts[string(contracts.PodVault)])
	one, err := units.Parse("1", units.APEDecimals)
	if err != nil {
		return err
	}
	if err := s.world.Fund(ctx, vault, one); err != nil {
		return err
	}
	s.say("  Somebody pays 1 APE into the vault.\n\n")
	member := s.world.Buyer().Address().Hex()
	if err := s.write(ctx, func(doc map[string]any) string { return text(doc, "message") }, "v2", "vault", "release", "--member", member); err != nil {
		return err
	}
	status, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("%s APE are left, of the other member", text(doc, "balanceApe"))
	}, "v2", "vault", "status")
	if err == nil && text(status, "balanceApe") != "0.25" {
		return fault.New(fault.Internal, "%s APE are left in the vault, not 0.25", text(status, "balanceApe"))
	}
	return err
}

// v2Receipts buys once more, which leaves a receipt by itself, records one by hand,
// and finds both again.
func (s *story) v2Receipts(ctx context.Context, out *DemoV2) error {
	if err := s.autoReceipts(); err != nil {
		return err
	}
	s.say("  The policy says receipts.auto: a purchase leaves its receipt.\n\n")
	listings, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string { return text(doc, "count") + " listing" },
		"market", "listings", "--collection", "demo-apes", "--limit", "1")
	if err != nil {
		return err
	}
	token, price, err := cheapest(listings)
	if err != nil {
		return err
	}
	quote, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string { return "quote " + text(doc, "quoteId") },
		"nft", "quote", "--collection", "demo-apes", "--token-id", token, "--max-price", price)
	if err != nil {
		return err
	}
	id := text(quote, "quoteId")
	if _, err := s.step(ctx, fault.ExitOK, func(map[string]any) string { return "the exact transaction would succeed" }, "nft", "simulate", "--quote", id); err != nil {
		return err
	}
	if err := s.write(ctx, func(doc map[string]any) string { return "bought in transaction " + text(doc, "txHash") }, "nft", "buy", "--quote", id); err != nil {
		return err
	}
	out.Receipt = out.TraceID + "." + id
	if err := s.found(ctx, out.Receipt); err != nil {
		return err
	}
	byHand := out.TraceID + ".by-hand"
	if err := s.write(ctx, func(doc map[string]any) string { return text(doc, "message") },
		"v2", "receipt", "record", "--trace", byHand, "--payload", `{"done":"looked at the floor"}`); err != nil {
		return err
	}
	return s.found(ctx, byHand)
}

// found reads a receipt from the chain, which must agree with the local log.
func (s *story) found(ctx context.Context, trace string) error {
	doc, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string { return "found, and it agrees with the log: " + text(doc, "why") },
		"v2", "receipt", "get", "--trace", trace)
	if err == nil && (text(doc, "isRecorded") != "true" || text(doc, "agrees") != "true") {
		return fault.New(fault.Internal, "the receipt of %s does not agree with the log: %s", trace, text(doc, "why"))
	}
	return err
}

// write is a step that sends; policy lets the agent confirm for itself here.
func (s *story) write(ctx context.Context, tells func(doc map[string]any) string, args ...string) error {
	_, err := s.step(ctx, fault.ExitOK, tells, append(args, "--execute", "--autonomous")...)
	return err
}

// autoReceipts changes the policy file of the demo's home, as a person would.
func (s *story) autoReceipts() error {
	path := filepath.Join(s.world.Current().Home, "policy.json")
	b, err := os.ReadFile(path)
	if err != nil {
		return fault.Wrap(err, fault.StateUnusable, "the demo's policy can't be read")
	}
	var p map[string]json.RawMessage
	if err := json.Unmarshal(b, &p); err != nil {
		return fault.Wrap(err, fault.Internal, "the demo's policy can't be read")
	}
	p["receipts"] = json.RawMessage(`{"auto":true}`)
	if b, err = json.MarshalIndent(p, "", "  "); err != nil {
		return err
	}
	return store.WriteFile(path, b)
}
