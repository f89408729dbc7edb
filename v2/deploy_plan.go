package v2

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// plan is a deployment: the whole set and its rules, and how each stands on chain.
type plan struct {
	at     place
	who    common.Address
	set    layout
	pieces []planned
	rules  []planned
	// first says that the engine's first rules are still to be set. Afterwards they are
	// its owner's: only what is asked for by name is set again.
	first bool
}

// planned is one transaction of a plan: it creates a contract, or sets a rule.
type planned struct {
	piece piece
	rule  *rule
	to    common.Address
	data  []byte
	done  bool
	fee   units.Wei // about the most that it may cost; of what is not done
}

// steps are all transactions of the plan, in their order.
func (p *plan) steps() []*planned {
	out := make([]*planned, 0, len(p.pieces)+len(p.rules))
	for i := range p.pieces {
		out = append(out, &p.pieces[i])
	}
	for i := range p.rules {
		out = append(out, &p.rules[i])
	}
	return out
}

func (p *plan) left() int {
	n := 0
	for _, t := range p.steps() {
		if !t.done {
			n++
		}
	}
	return n
}

func (p *plan) find(n Name) *planned {
	for i := range p.pieces {
		if p.pieces[i].piece.Name == n {
			return &p.pieces[i]
		}
	}
	return nil
}

// what is the transaction for a sentence.
func (t planned) what() string {
	if t.rule != nil {
		return "have the policy engine " + t.rule.String()
	}
	return "create " + string(t.piece.Name)
}

// survey looks at what of the set is there.
func (s *Service) survey(ctx context.Context, in DeployIn, who common.Address) (*plan, Chain, error) {
	c, at, err := s.where(ctx)
	if err != nil {
		return nil, nil, err
	}
	p := &plan{at: at, who: who, set: layout{Deployer: who, Label: in.Label, Mock: in.Mock || at.sandbox()}}
	if p.set.Members, err = parseMembers(in.VaultMember, who); err != nil {
		return nil, nil, err
	}
	if err := s.hasProxy(ctx, c, at); err != nil {
		return nil, nil, err
	}
	pieces, err := p.set.pieces()
	if err != nil {
		return nil, nil, err
	}
	for _, piece := range pieces {
		there, err := standing(ctx, c, piece)
		if err != nil {
			return nil, nil, err
		}
		p.pieces = append(p.pieces, planned{piece: piece, to: contracts.Deployer, data: piece.Data, done: there})
	}
	return p, c, s.planRules(ctx, c, p, in)
}

// hasProxy looks at the proxy through which everything is created.
func (s *Service) hasProxy(ctx context.Context, c Chain, at place) error {
	code, err := c.Code(ctx, contracts.Deployer)
	if err != nil || bytes.Equal(code, contracts.DeployerCode) {
		return err
	}
	f := fault.New(fault.ContractMissing, "the deterministic deployment proxy is not at %s on %s (chain %d): nothing can be deployed", contracts.Deployer.Hex(), at.Name, at.ID)
	if len(code) > 0 {
		f = fault.New(fault.ContractMismatch, "what is at %s on %s (chain %d) is not the deterministic deployment proxy: nothing is sent to it", contracts.Deployer.Hex(), at.Name, at.ID)
	}
	hint := "check the RPC URL with ape-claw doctor; the proxy is put there by the chain's operator, or once with Arachnid's signed transaction"
	if at.sandbox() {
		hint = "give the sandbox a fresh chain: ape-claw sandbox reset"
	}
	return f.Hintf("%s", hint).WithSent(fault.SentNo)
}

// standing looks whether a contract of the set is there. Its address follows from its
// code and arguments, so anything else there is a node that lies, or a chain with
// other rules.
func standing(ctx context.Context, c Chain, p piece) (bool, error) {
	code, err := c.Code(ctx, p.Address)
	switch {
	case err != nil || len(code) == 0:
		return false, err
	case !contracts.Matches(p.Name, code):
		return false, fault.New(fault.ContractMismatch, "what is at %s is not the %s that alone can be there", lower(p.Address), p.Name).
			Hintf("don't trust this RPC: check its URL with ape-claw doctor, or deploy another set with --label").
			WithSent(fault.SentNo).With("contract", string(p.Name))
	}
	return true, nil
}

// planRules finds out which rules are to be set on the engine.
func (s *Service) planRules(ctx context.Context, c Chain, p *plan, in DeployIn) error {
	engine := p.find(contracts.PolicyEngine)
	p.first = true
	if engine.done {
		if err := s.begun(ctx, c, p, engine.piece.Address); err != nil {
			return err
		}
	}
	wanted, err := p.wanted(in)
	if err != nil {
		return err
	}
	for _, r := range wanted {
		data, err := r.data()
		if err != nil {
			return err
		}
		t := planned{rule: &r, to: engine.piece.Address, data: data}
		if engine.done {
			if t.done, err = r.holds(ctx, c, engine.piece.Address); err != nil {
				return err
			}
		}
		p.rules = append(p.rules, t)
	}
	if engine.done && slices.ContainsFunc(p.rules, func(t planned) bool { return !t.done }) {
		return ownedBy(ctx, c, engine.piece.Address, p.who)
	}
	return nil
}

// begun finds out whether the engine's first rules were set. The most value is set
// last of them, so that one which is not zero says so without a record.
func (s *Service) begun(ctx context.Context, c Chain, p *plan, engine common.Address) error {
	unset, err := rule{Rule: ruleMaxValue}.holds(ctx, c, engine)
	if err != nil {
		return err
	}
	r, ok, err := s.record(p.at)
	p.first = unset && !(ok && p.set.same(r) && r.Configured)
	return err
}

// wanted are the rules to be set: the first ones where they are not yet, and what is
// asked for by name. The most value comes last: until then nothing can be paid.
func (p *plan) wanted(in DeployIn) ([]rule, error) {
	out, err := in.allowed()
	if err != nil {
		return nil, err
	}
	if p.first {
		out = append(p.defaults(), out...)
	}
	if p.first || in.MaxValue != "" {
		most, err := units.Parse(orElse(in.MaxValue, "1"), units.APEDecimals)
		if err != nil {
			return nil, err
		}
		out = append(out, rule{Rule: ruleMaxValue, Value: most})
	}
	return out, nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (p *plan) defaults() []rule {
	var out []rule
	for _, n := range []Name{contracts.SwapModule, contracts.BridgeModule, contracts.NftBuyModule} {
		out = append(out, rule{Rule: ruleModule, Subject: lower(p.find(n).piece.Address)})
	}
	if mock := p.find(contracts.MockTarget); mock != nil {
		out = append(out, rule{Rule: ruleTarget, Subject: lower(mock.piece.Address)})
		var sigs []string
		for _, m := range contracts.ABI(contracts.MockTarget).Methods {
			if m.StateMutability == "payable" {
				sigs = append(sigs, m.Sig)
			}
		}
		slices.Sort(sigs)
		for _, sig := range sigs {
			out = append(out, rule{Rule: ruleSelector, Subject: selectorOf(sig), Signature: sig})
		}
	}
	return out
}

// holds asks the engine whether the rule is set as wanted.
func (r rule) holds(ctx context.Context, c Chain, engine common.Address) (bool, error) {
	data, holds, err := r.read()
	if err != nil {
		return false, err
	}
	got, err := view(ctx, c, engine, data)
	return err == nil && holds(got), err
}

// view asks a contract of ours something of one word.
func view(ctx context.Context, c Chain, at common.Address, data []byte) ([]byte, error) {
	got, err := c.Call(ctx, chain.CallMsg{To: at, Data: data}, nil, nil)
	if err == nil && len(got) != 32 {
		err = fault.New(fault.Upstream, "the node's answer for the contract at %s has another shape", lower(at)).
			Hintf("check the RPC URL with ape-claw doctor").WithSent(fault.SentNo)
	}
	return got, err
}

// ownedBy refuses to set rules that only another may set.
func ownedBy(ctx context.Context, c Chain, engine, who common.Address) error {
	data, err := contracts.ABI(contracts.PolicyEngine).Pack("owner")
	if err != nil {
		return err
	}
	got, err := view(ctx, c, engine, data)
	if err != nil {
		return err
	}
	if owner := common.BytesToAddress(got); owner != who {
		return fault.New(fault.Auth, "the policy engine %s is owned by %s, and this key is that of %s: only its owner sets its rules", lower(engine), lower(owner), lower(who)).
			Hintf("use the owner's key").WithSent(fault.SentNo)
	}
	return nil
}

// digest identifies everything that the plan does, whatever of it is done already: a
// phrase holds until all of it is.
func (p *plan) digest() [32]byte {
	b := []byte("ape-claw/v2 deploy/1\x00")
	for _, t := range p.steps() {
		d := policy.WriteDigest(p.at.ID, p.who, t.to, units.Wei{}, t.data)
		b = append(b, d[:]...)
	}
	return sha256.Sum256(b)
}

// estimate foresees what is left to do. What depends on contracts that are not there
// yet can't be tried: it is bounded by its size.
func (p *plan) estimate(ctx context.Context, c Chain) (total units.Wei, sim policy.Simulation, err error) {
	balance, err := c.Balance(ctx, p.who)
	if err != nil {
		return total, sim, err
	}
	usual, err := c.Fees(ctx, chain.CallMsg{From: p.who, To: p.who}, nil)
	if err != nil {
		return total, sim, err
	}
	for _, t := range p.steps() {
		if t.done {
			continue
		}
		if p.waits(*t) {
			t.fee, err = usual.MaxFee.Mul(bound(*t))
		} else {
			var f chain.Fees
			f, err = c.Fees(ctx, chain.CallMsg{From: p.who, To: t.to, Data: t.data}, nil)
			if reason, ok := failure(err); ok {
				return total, policy.Simulation{State: policy.SimFailed, Reason: "to " + t.what() + ": " + reason}, nil
			}
			t.fee = f.FeeCap
		}
		if err == nil {
			total, err = total.Add(t.fee)
		}
		if err != nil {
			return total, sim, err
		}
	}
	if balance.Cmp(total) < 0 {
		return total, policy.Simulation{State: policy.SimFailed, Reason: fmt.Sprintf("%s holds %s APE, and gas may need up to %s APE",
			p.who.Hex(), balance.Decimal(units.APEDecimals), total.Decimal(units.APEDecimals))}, nil
	}
	return total, policy.Simulation{State: policy.SimPassed}, nil
}

// waits reports whether a transaction needs a contract that is not there yet.
func (p *plan) waits(t planned) bool {
	missing := func(names ...Name) bool {
		return slices.ContainsFunc(names, func(n Name) bool { return !p.find(n).done })
	}
	switch {
	case t.rule != nil:
		return missing(contracts.PolicyEngine)
	case t.piece.Name == contracts.SkillRegistry:
		return missing(contracts.SkillNFT)
	case t.piece.Name == contracts.AgentAccount:
		return missing(contracts.PolicyEngine, contracts.ReceiptRegistry)
	}
	return false
}

// bound is more gas than a transaction needs: for each byte of code what it costs to
// send and to keep (EIP-2028 and the yellow paper's G_codedeposit), a few slots of
// storage, and a quarter.
func bound(t planned) uint64 {
	gas := uint64(21_000 + 16*len(t.data) + 100_000)
	if t.rule == nil {
		gas += uint64(32_000 + 200*len(t.data) + 200_000)
	}
	return gas + gas/4
}

// action is the plan as a person confirms it.
func (p *plan) action(total units.Wei, balance *units.Wei) Action {
	d := p.digest()
	facts := []Fact{
		{"network", "network", fmt.Sprintf("%s (chain %d)", p.at.Name, p.at.ID)},
		{"deployer", "deployer", lower(p.who)},
	}
	if p.set.Label != "" {
		facts = append(facts, Fact{"label", "label", p.set.Label})
	}
	for _, t := range p.pieces {
		state := "to be created"
		if t.done {
			state = "is there"
		}
		facts = append(facts, Fact{"contract", string(t.piece.Name), lower(t.piece.Address) + ", " + state})
	}
	var members []string
	for _, m := range p.set.Members {
		members = append(members, m.Address+" "+m.Shares.String())
	}
	facts = append(facts, Fact{"vaultMembers", "vault shares", strings.Join(members, ", ")})
	for _, t := range p.rules {
		state := ""
		if t.done {
			state = ", is set"
		}
		facts = append(facts, Fact{"rule", "policy engine", t.rule.String() + state})
	}
	return Action{
		Command: cmdDeploy, What: fmt.Sprintf("deploy the v2 contracts in %d transactions", p.left()),
		Contract: proxyAt(), Account: lower(p.who), ChainID: p.at.ID, Network: p.at.Name, MaxFee: &total, Balance: balance, Facts: facts,
		Digest: hex.EncodeToString(d[:]), Phrase: policy.Write{Command: cmdDeploy, Digest: d}.Phrase(),
	}
}

// proxyAt is the deployment proxy as what a transaction calls.
func proxyAt() Located {
	return Located{Name: "DeploymentProxy", Address: lower(contracts.Deployer), From: "the address that it has on every chain", Known: true}
}
