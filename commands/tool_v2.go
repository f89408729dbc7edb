package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
)

const (
	aboutIntentCreate = "Propose to record on chain what is meant to be done: the hash of a JSON document, as an intent of this account. " +
		"It gives nobody a right to anything, and costs gas. The card shows the document's beginning, its hash, the contract and the cost."
	aboutIntentCancel  = "Propose to cancel an intent of this account, which only its creator can. It costs gas. Look at it first with v2_intent_show."
	aboutReceiptRecord = "Propose to record on chain what was done: the hash of subject and payload, as the receipt of a trace, which has to be named. " +
		"A trace has one receipt, whoever writes it first, and it can't be changed. It costs gas. v2_receipt_get tells whether there is one."
	aboutSkillMint = "Propose to mint a skill on chain as a token to this account, with a parent and a royalty where they are named. " +
		"It costs gas. No card goes with it: v2_skill_publish publishes the card's version."
	aboutSkillPublish = "Propose to publish a version of a skill on chain: the version and the hash of its card, which is given as text. " +
		"Only the skill's owner can, and a version can't be changed or taken back. It costs gas. The card shows the skill, the version, the hashes, the uri and the risk tier. " +
		"v2_skill_show tells which versions there are."
	aboutVaultRelease = "Propose to have the vault pay a member what it is due, in APE or in an ERC-20 token. It always goes to the member; this account pays the gas. " +
		"v2_vault_status tells who is due what."
	aboutAgentExecute = "Propose to have the agent account call a contract through a module, with value sent along from this account. " +
		"The policy engine on chain has to allow it. The card shows module, target, function, input hash, value and the cost; exactly this call is made, or none."
)

// writeProposer is a v2 command that sends one transaction. What is approved is the
// transaction itself, by its digest: chain, account, contract, value and call data.
type writeProposer struct {
	c      Command
	impact string // what can't be taken back, beside what leaves the account
}

// writeProposers are the v2 commands that models may propose.
func writeProposers() map[string]string {
	return map[string]string{
		"v2 intent create":  "The hash stays on chain for good. An intent gives nobody a right to anything.",
		"v2 intent cancel":  "A cancelled intent can't be made active again.",
		"v2 receipt record": "The receipt stays on chain for good: it can't be changed, and its trace gets no other.",
		"v2 skill mint":     "A new token comes to the same account. It can't be undone.",
		"v2 skill publish":  "The version and the hash of its card stay on chain for good: they can't be changed or taken back.",
		"v2 vault release":  "The vault pays the member what it is due at that moment. It can't be undone.",
		"v2 agent execute":  "The agent account calls the target through the module, and what the target then does is up to its code. It can't be undone.",
	}
}

// written is the result of a v2 command that sends.
type written interface{ Written() v2.Sent }

// going is the input of a v2 command that sends.
type going interface{ Carry(v2.Go) }

// digestArg is where the digest is among the arguments of what is executed.
const digestArg = "digest"

var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// splitDigest parts the digest that a preview added from the tool's own arguments.
func splitDigest(args json.RawMessage) (own map[string]json.RawMessage, digest string, err error) {
	own = map[string]json.RawMessage{}
	if err := json.Unmarshal(args, &own); err != nil {
		return nil, "", fault.Wrap(err, fault.InvalidArguments, "the arguments are no JSON object").WithSent(fault.SentNo)
	}
	if raw, ok := own[digestArg]; ok {
		if err := json.Unmarshal(raw, &digest); err != nil {
			return nil, "", badArgument(digestArg, err)
		}
		delete(own, digestArg)
	}
	return own, digest, nil
}

func (p writeProposer) preview(ctx context.Context, d *Deps, args json.RawMessage) (ai.Preview, error) {
	own, _, err := splitDigest(args) // of what would be sent now, not of what was shown before
	if err != nil {
		return ai.Preview{}, err
	}
	asked, err := rawJSON(own)
	if err != nil {
		return ai.Preview{}, err
	}
	got, err := p.c.call(ctx, d, asked)
	if err != nil {
		return ai.Preview{}, err
	}
	out, ok := got.(written)
	if !ok {
		return ai.Preview{}, fault.New(fault.Internal, "%s answers with %T", p.c.Name, got)
	}
	sent := out.Written()
	if err := writeBlocked(sent); err != nil {
		return ai.Preview{}, err
	}
	a := sent.Action
	if !sent.DryRun || a == nil || a.Phrase == "" || a.MaxFee == nil || !digestForm.MatchString(a.Digest) {
		return ai.Preview{}, fault.New(fault.PolicyBlocked, "what %s would send can't be told", p.c.Name).WithSent(fault.SentNo)
	}
	if own[digestArg], err = rawJSON(a.Digest); err != nil {
		return ai.Preview{}, err
	}
	run, err := rawJSON(own)
	if err != nil {
		return ai.Preview{}, err
	}
	return p.card(ctx, d, *a, run)
}

// writeBlocked is the refusal of the first gate that would refuse, in the words of
// tools.
func writeBlocked(sent v2.Sent) error {
	if len(sent.WouldBlock) == 0 {
		return nil
	}
	digest := ""
	if sent.Action != nil {
		digest = sent.Action.Digest
	}
	err := wouldBlock(sent.WouldBlock, digestArg, digest)
	if f := fault.From(err); f.Code == fault.SimulationFailed {
		f.Hint = "it would fail on chain: mend the cause that the message names, or do without it"
	}
	return err
}

// card is what a person decides by.
func (p writeProposer) card(ctx context.Context, d *Deps, a v2.Action, run json.RawMessage) (ai.Preview, error) {
	binding, err := d.binding(ctx)
	if err != nil {
		return ai.Preview{}, err
	}
	rules, err := d.Policy()
	if err != nil {
		return ai.Preview{}, err
	}
	most, err := a.Value.Add(*a.MaxFee)
	if err != nil {
		return ai.Preview{}, err
	}
	currency, account := rules.NativeToken, common.HexToAddress(a.Account).Hex()
	amount := func(w units.Wei) string { return w.Decimal(units.APEDecimals) + " " + currency }
	title, leaves := capital(a.What), "Gas leaves "+account+" for good, and nothing else does."
	if !a.Value.IsZero() {
		title += " with " + amount(a.Value)
		leaves = fmt.Sprintf("%s leave %s for good, and gas.", amount(a.Value), account)
	}
	facts := writeFacts(a, binding["profile"], most, amount)
	ids, err := p.identifiers(facts)
	if err != nil {
		return ai.Preview{}, err
	}
	pre := ai.Preview{
		Title: title, Impact: leaves + " " + p.impact, Facts: facts, Identifiers: ids, Phrase: a.Phrase, Binding: binding,
		Spends: []ai.Amount{nativeAmount(a.ChainID, currency, most)}, Args: run, TraceID: d.trace(), Reference: a.Digest,
	}
	if !a.Contract.Known { // what it says of itself is in the facts
		pre.Untrusted = []string{a.Contract.Address}
	}
	return pre, nil
}

func writeFacts(a v2.Action, profile string, most units.Wei, amount func(units.Wei) string) []ai.Fact {
	facts := make([]ai.Fact, 0, len(a.Facts)+10)
	for _, f := range a.Facts {
		facts = append(facts, ai.Fact{Name: f.Name, Label: f.Label, Value: f.Value})
	}
	contract := fmt.Sprintf("%s (%s, from %s)", common.HexToAddress(a.Contract.Address).Hex(), a.Contract.Name, a.Contract.From)
	if !a.Contract.Known {
		contract += ", whose code is not known here; the policy lists it"
	}
	add := func(name, label, value string, volatile bool) {
		facts = append(facts, ai.Fact{Name: name, Label: label, Value: value, Volatile: volatile})
	}
	add("contract", "calls", contract, false)
	add("account", "account", common.HexToAddress(a.Account).Hex(), false)
	add("network", "network", fmt.Sprintf("%s (chain %d)", a.Network, a.ChainID), false)
	add("profile", "profile", profile, false)
	add("value", "sent along", amount(a.Value), false)
	add("digest", "transaction", a.Digest, false)
	add("maxFee", "gas at most", amount(*a.MaxFee), true)
	add("maxTotal", "in all at most", amount(most), true)
	if a.Balance != nil {
		add("balance", "balance", amount(*a.Balance), true)
		after := "it does not cover this"
		if left, err := a.Balance.Sub(most); err == nil {
			after = "at least " + amount(left)
		}
		add("balanceAfter", "balance after", after, true)
	}
	for i, c := range a.Caps {
		add("cap"+strconv.Itoa(i+1), "daily cap", capAfter(c, amount), true)
	}
	return facts
}

// capAfter is a daily cap in words.
func capAfter(c v2.CapAfter, amount func(units.Wei) string) string {
	limit := c.Limit
	if c.LimitWei != nil {
		limit = amount(*c.LimitWei)
	}
	return fmt.Sprintf("%s: %s of %s used, at most %s after", c.Name, c.Used, limit, c.After)
}

// identifiers are what a person retypes: of a fact its first word, which is the
// address, the number or the hash, without what it is called.
func (p writeProposer) identifiers(facts []ai.Fact) (map[string]string, error) {
	known := map[string]string{}
	for _, f := range facts {
		known[f.Name], _, _ = strings.Cut(f.Value, " ")
	}
	names := p.c.AI.Identifiers
	if _, token := known["pendingToken"]; token && p.c.Name == "v2 vault release" {
		names = []string{"vault", "member", "token", "pendingToken"}
	}
	out := map[string]string{}
	for _, name := range names {
		if known[name] == "" {
			return nil, fault.New(fault.Internal, "%s tells no %s to decide by", p.c.Name, name).WithSent(fault.SentNo)
		}
		out[name] = known[name]
	}
	return out, nil
}

func (p writeProposer) execute(ctx context.Context, d *Deps, args json.RawMessage, a ai.Approval) (any, error) {
	own, digest, err := splitDigest(args)
	if err != nil || !digestForm.MatchString(digest) || a.Phrase == "" {
		return nil, fault.New(fault.ActionStale, "the action does not say which transaction was approved").WithSent(fault.SentNo)
	}
	if len(a.Most) != 1 {
		return nil, fault.New(fault.ActionStale, "the action does not say what may leave the account").WithSent(fault.SentNo)
	}
	most, err := units.ParseBase(a.Most[0].Base)
	if err != nil {
		return nil, fault.Wrap(err, fault.ActionStale, "what may leave the account can't be read").WithSent(fault.SentNo)
	}
	asked, err := rawJSON(own)
	if err != nil {
		return nil, err
	}
	return p.c.carry(ctx, d, func() (bound, error) {
		return p.c.fill(d, asked, func(in any) error {
			g, ok := in.(going)
			if !ok {
				return fault.New(fault.Internal, "%s takes %T", p.c.Name, in).WithSent(fault.SentNo)
			}
			g.Carry(v2.Go{Execute: true, Confirm: a.Phrase, Digest: digest, Most: &most, Action: a.ActionID})
			return nil
		})
	})
}

// capital is a text with a capital letter to begin with.
func capital(text string) string {
	r := []rune(text)
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}
