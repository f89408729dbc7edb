package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// onChain is the contract's own log of what an event tells, with the argument there
// of each fact; rules are told apart by what they are about.
var onChain = map[string]struct {
	log   string
	facts map[string]string
}{
	"v2.skill.minted":             {"SkillMinted", map[string]string{"skillId": "skillId", "owner": "owner"}},
	"v2.skill.version.published":  {"SkillVersionPublished", map[string]string{"skillId": "skillId", "versionHash": "versionHash", "contentHash": "contentHash", "publisher": "publisher"}},
	"v2.intent.created":           {"IntentCreated", map[string]string{"intentId": "intentId", "intentHash": "intentHash", "creator": "creator"}},
	"v2.intent.cancelled":         {"IntentCancelled", map[string]string{"intentId": "intentId"}},
	"v2.receipt.recorded":         {"ReceiptRecorded", map[string]string{"traceIdHash": "traceIdHash", "contentHash": "contentHash", "subjectHash": "subject", "recorder": "recorder"}},
	"v2.vault.release":            {"PaymentReleased", map[string]string{"member": "to", "amountWei": "amount"}},
	"v2.agent.execute":            {"SkillExecuted", map[string]string{"traceIdHash": "traceIdHash", "contentHash": "contentHash", "module": "module", "target": "target", "selector": "selector", "receiptRecorded": "receiptRecorded"}},
	"v2.policy.set module":        {"ModuleAllowed", map[string]string{"subject": "module", "allowed": "allowed"}},
	"v2.policy.set target":        {"TargetAllowed", map[string]string{"subject": "target", "allowed": "allowed"}},
	"v2.policy.set selector":      {"SelectorAllowed", map[string]string{"subject": "selector", "allowed": "allowed"}},
	"v2.policy.set maxValuePerTx": {"MaxValuePerTxSet", map[string]string{"valueWei": "maxValue"}},
}

// chainCheck holds the events of a trace against the chain, asked past everything that
// wrote them.
type chainCheck struct {
	s       *story
	checked int
	card    string // the hash that the skill was minted for
}

// checkChain proves that each transaction, hash and id in the events is what the chain
// says, and counts them.
func (s *story) checkChain(ctx context.Context, trace string) (checked int, err error) {
	filter, err := telemetry.ParseFilter(nil, "", trace, nil)
	if err != nil {
		return 0, err
	}
	lines, err := s.logged(filter, demoV2Trail)
	if err != nil {
		return 0, err
	}
	c := chainCheck{s: s}
	for _, line := range lines {
		var e struct {
			EventType string
			Result    map[string]any
		}
		dec := json.NewDecoder(strings.NewReader(line))
		dec.UseNumber()
		if err := dec.Decode(&e); err != nil {
			return 0, fault.Wrap(err, fault.Internal, "a line of the log can't be read back")
		}
		if err := c.event(ctx, e.EventType, e.Result); err != nil {
			return 0, err
		}
	}
	return c.checked, c.views(ctx)
}

// same compares a fact of an event with the chain's.
func (c *chainCheck) same(what string, told, chain any) error {
	t, there := strings.ToLower(fmt.Sprint(told)), strings.ToLower(fmt.Sprint(chain))
	if t != there || t == "" {
		return fault.New(fault.Internal, "the event says of %s: %s; the chain says: %s", what, t, there)
	}
	c.checked++
	return nil
}

// event holds one event against its transaction and what the contract logged in it.
func (c *chainCheck) event(ctx context.Context, name string, told map[string]any) error {
	hash := text(told, "txHash")
	if hash == "" {
		hash = text(told, "tx")
	}
	if hash == "" {
		return nil // it tells of no transaction
	}
	client := c.s.world.Client()
	r, err := client.TransactionReceipt(ctx, common.HexToHash(hash))
	if err != nil {
		return fault.Wrap(err, fault.Internal, "the chain does not know transaction %s of %s", hash, name)
	}
	if r.Status != types.ReceiptStatusSuccessful {
		return fault.New(fault.Internal, "transaction %s of %s failed", hash, name)
	}
	if err := c.same("the transaction of "+name, hash, r.TxHash.Hex()); err != nil {
		return err
	}
	for fact, chain := range map[string]any{"blockNumber": r.BlockNumber, "blockHash": r.BlockHash.Hex(), "gasUsed": r.GasUsed} {
		if told[fact] == nil {
			continue
		}
		if err := c.same(fact+" of "+name, told[fact], chain); err != nil {
			return err
		}
	}
	switch name {
	case "v2.contract.deployed":
		return c.code(ctx, contracts.Name(text(told, "contract")), common.HexToAddress(text(told, "address")))
	case "v2.policy.set":
		name += " " + text(told, "rule")
	case "v2.skill.minted":
		c.card = text(told, "contentHash")
	case "v2.skill.version.published":
		if err := c.same("the content that was minted for", c.card, text(told, "contentHash")); err != nil {
			return err
		}
	case "v2.receipt.recorded", "v2.agent.execute":
		if err := c.same("traceIdHash of "+name, told["traceIdHash"], crypto.Keccak256Hash([]byte(text(told, "traceId"))).Hex()); err != nil {
			return err
		}
	}
	want, ok := onChain[name]
	if !ok {
		return nil
	}
	args, err := logOf(r, contracts.Name(text(told, "contract")), common.HexToAddress(text(told, "address")), want.log)
	if err != nil {
		return err
	}
	for fact, arg := range want.facts {
		if err := c.same(fact+" of "+name, told[fact], plain(args[arg])); err != nil {
			return err
		}
	}
	return nil
}

// code holds the code at an address against what the compiler made.
func (c *chainCheck) code(ctx context.Context, n contracts.Name, at common.Address) error {
	code, err := c.s.world.Client().CodeAt(ctx, at, nil)
	if err != nil {
		return err
	}
	if !contracts.Matches(n, code) {
		return fault.New(fault.Internal, "the code at %s is not %s's", at, n)
	}
	c.checked++
	return nil
}

// views asks the contracts for what is left in the end.
func (c *chainCheck) views(ctx context.Context) error {
	out, buyer := c.s.out.V2, c.s.world.Buyer().Address()
	vault := common.HexToAddress(out.Contracts[string(contracts.PodVault)])
	ask := func(n contracts.Name, method string, args ...any) ([]any, error) {
		data, err := contracts.ABI(n).Pack(method, args...)
		if err != nil {
			return nil, err
		}
		at := common.HexToAddress(out.Contracts[string(n)])
		b, err := c.s.world.Client().CallContract(ctx, ethereum.CallMsg{To: &at, Data: data}, nil)
		if err != nil {
			return nil, err
		}
		return contracts.ABI(n).Unpack(method, b)
	}
	skill, err := wholeNumber(out.SkillID)
	if err != nil {
		return err
	}
	intent, err := wholeNumber(out.IntentID)
	if err != nil {
		return err
	}
	receipt := [32]byte(crypto.Keccak256Hash([]byte(out.Receipt)))
	for _, v := range []struct {
		what   string
		name   contracts.Name
		method string
		args   []any
		value  int // which of what it returns
		want   any
	}{
		{"the skill's owner", contracts.SkillNFT, "ownerOf", []any{skill}, 0, buyer.Hex()},
		{"who gets its royalty", contracts.SkillNFT, "royaltyInfo", []any{skill, skill}, 0, vault.Hex()},
		{"its versions", contracts.SkillRegistry, "versionCount", []any{skill}, 0, 1},
		{"that the intent is cancelled", contracts.IntentRegistry, "intents", []any{intent}, 3, true},
		{"the purchase's receipt", contracts.ReceiptRegistry, "isRecorded", []any{receipt}, 0, true},
		{"what the agent is due", contracts.PodVault, "pendingNative", []any{buyer}, 0, 0},
		{"how often the target was called", contracts.MockTarget, "calls", nil, 0, 1},
	} {
		got, err := ask(v.name, v.method, v.args...)
		if err != nil {
			return fault.Wrap(err, fault.Internal, "%s can't be asked for", v.what)
		}
		if err := c.same(v.what, v.want, plain(got[v.value])); err != nil {
			return err
		}
	}
	return nil
}

// logOf is what a contract logged in a transaction, by argument.
func logOf(r *types.Receipt, n contracts.Name, at common.Address, event string) (map[string]any, error) {
	parsed := contracts.ABI(n)
	for _, l := range r.Logs {
		if l.Address == at && len(l.Topics) > 0 && bytes.Equal(l.Topics[0].Bytes(), parsed.Events[event].ID.Bytes()) {
			args := map[string]any{}
			return args, bind.NewBoundContract(at, parsed, nil, nil, nil).UnpackLogIntoMap(args, event, *l)
		}
	}
	return nil, fault.New(fault.Internal, "transaction %s has no %s of %s", r.TxHash, event, n)
}

// plain is a value of a contract as events write it.
func plain(v any) any {
	switch v := v.(type) {
	case [32]byte:
		return hexutil.Encode(v[:])
	case [4]byte:
		return hexutil.Encode(v[:])
	case common.Address:
		return v.Hex()
	}
	return v
}

func wholeNumber(s string) (*big.Int, error) {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		return nil, fault.New(fault.Internal, "%q is no id", s)
	}
	return n, nil
}
