package chain

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Intent is a transaction that somebody wants sent, once.
type Intent struct {
	Key     string // idempotency key, "nft.buy:<quoteId>": it serves once
	ChainID int64
	To      common.Address
	Value   units.Wei
	Data    []byte
	// FeeCeiling is the most that gas may cost in all; zero means
	// DefaultFeeCeiling. It is absolute: a multiple of what the node suggests
	// would trust the node.
	FeeCeiling units.Wei
	Story      Story
}

// TxInfo is what is known of a transaction once it has a nonce.
type TxInfo struct {
	ChainID  int64
	Hash     common.Hash
	Nonce    uint64
	From, To common.Address
	Value    units.Wei
	GasLimit uint64
	MaxFee   units.Wei // per gas
	MaxTip   units.Wei // per gas
	FeeCap   units.Wei // GasLimit * MaxFee: the most that gas can cost
}

// Story is how a domain package tells what became of its transaction. Its
// methods make the events; the sender decides when they are true.
type Story interface {
	// Kind names the story, "nft.buy"; Context is what SenderOptions.Restore
	// needs, beside the kind, to tell it in another process. It holds no secret.
	Kind() string
	Context() (json.RawMessage, error)

	// Submitted tells that the signed bytes were handed to a node.
	Submitted(TxInfo) telemetry.Draft
	// Confirmed checks that a successful transaction did what it was for, and
	// tells so. It should decide from the receipt's logs where it can: the
	// state may have moved on by the time another process asks. An upstream
	// error is tried again; any other error means that the outcome is not what
	// was wanted, and the transaction stays open as unknown.
	Confirmed(context.Context, TxInfo, Receipt) (telemetry.Draft, error)
	// Reverted tells that it was mined and failed.
	Reverted(tx TxInfo, receipt Receipt, reason string) telemetry.Draft
	// Unknown tells that nobody waits any longer, whether it was sent (yes or
	// maybe) and why.
	Unknown(tx TxInfo, sent, why string) telemetry.Draft
}

// Contradicter is a Story that may know better than a receipt: a node that says
// "failed" of a purchase that succeeded would erase the spend.
type Contradicter interface {
	// Contradicts returns what on the chain shows that the transaction did not
	// fail, "" if nothing does. An upstream error is tried again; with any error
	// the transaction stays open as unknown.
	Contradicts(ctx context.Context, tx TxInfo, receipt Receipt) (why string, err error)
}

// RevertReader is a Story that knows the errors of the contract that it calls.
type RevertReader interface {
	// ReasonOf says in words what a revert returned, of which there is something.
	ReasonOf(data []byte) string
}

// DefaultFeeCeiling is what gas of one transaction may cost in all when the
// intent says nothing: 1 whole native token, some hundred times what a purchase
// costs on ApeChain.
func DefaultFeeCeiling() units.Wei { return units.FromUint64(1_000_000_000_000_000_000) }

// gasMargin is added to a gas estimate, rounded up: on Arbitrum chains the
// estimate folds in the parent chain's data fee, which moves by 20 to 30 %.
const gasMargin units.BPS = 2_500

// Fees are the gas terms of a transaction, all of them upper bounds.
type Fees struct {
	GasLimit uint64
	MaxFee   units.Wei // per gas: twice the base fee, plus the tip
	MaxTip   units.Wei // per gas: the node's suggestion, 0 on Arbitrum chains
	FeeCap   units.Wei // GasLimit * MaxFee
}

// Fees estimates the gas terms of msg. Twice the base fee holds for six full
// blocks of the fastest rise (EIP-1559: an eighth a block). A revert is a
// *RevertError, as EstimateGas's.
func (c *Client) Fees(ctx context.Context, msg CallMsg, o Overrides) (Fees, error) {
	gas, err := c.EstimateGas(ctx, msg, o)
	if err != nil {
		return Fees{}, err
	}
	head, err := c.Head(ctx)
	if err != nil {
		return Fees{}, err
	}
	tip, err := c.SuggestTip(ctx)
	if err != nil {
		return Fees{}, err
	}
	f := Fees{GasLimit: gas + (gas*uint64(gasMargin)+uint64(units.WholeBPS)-1)/uint64(units.WholeBPS), MaxTip: tip}
	f.MaxFee, err = head.BaseFee.Mul(2)
	if err == nil {
		f.MaxFee, err = f.MaxFee.Add(tip)
	}
	if err == nil {
		f.FeeCap, err = f.MaxFee.Mul(f.GasLimit)
	}
	if err != nil {
		return Fees{}, c.garbage("eth_maxPriorityFeePerGas", err)
	}
	return f, nil
}

// Prepared is an intent with its gas terms: what policy is asked to allow. It
// has no nonce yet; the sender picks that under the account's lock.
type Prepared struct {
	Intent Intent
	From   common.Address
	Fees   Fees
}

// PolicyTx is the transaction as a grant binds it.
func (p Prepared) PolicyTx() policy.Tx {
	return policy.Tx{ChainID: p.Intent.ChainID, From: p.From, To: p.Intent.To, Value: p.Intent.Value,
		Data: p.Intent.Data, FeeCap: p.Fees.FeeCap, Key: p.Intent.Key}
}

// MaxCost is the most that leaves the account: value and fee cap.
func (p Prepared) MaxCost() (units.Wei, error) { return p.Intent.Value.Add(p.Fees.FeeCap) }

// Prepare estimates an intent's gas and checks what can be checked without
// policy: the chain, the fee ceiling, the balance. A transaction that would fail
// is fault.SimulationFailed with the reason in words.
func (s *Sender) Prepare(ctx context.Context, in Intent) (Prepared, error) {
	if in.Key == "" || in.Story == nil || in.To == (common.Address{}) || in.ChainID <= 0 {
		return Prepared{}, fmt.Errorf("an intent needs a key, a story, a target and a chain: %q", in.Key)
	}
	got, err := s.client.ChainID(ctx)
	if err != nil {
		return Prepared{}, err
	}
	if got != in.ChainID {
		return Prepared{}, wrongChain(s.client, got, in.ChainID)
	}
	p := Prepared{Intent: in, From: s.signer.Address()}
	msg := CallMsg{From: p.From, To: in.To, Value: in.Value, Data: in.Data}
	if p.Fees, err = s.client.Fees(ctx, msg, nil); err != nil {
		return Prepared{}, wouldFail(err)
	}
	ceiling := in.FeeCeiling
	if ceiling.IsZero() {
		ceiling = DefaultFeeCeiling()
	}
	if p.Fees.FeeCap.Cmp(ceiling) > 0 {
		return Prepared{}, fault.New(fault.PolicyBlocked, "gas may cost up to %s and the ceiling of one transaction is %s",
			p.Fees.FeeCap.Decimal(units.APEDecimals), ceiling.Decimal(units.APEDecimals)).
			Hintf("wait until fees have fallen").WithSent(fault.SentNo).With("gate", "feeCeiling")
	}
	return p, s.affordable(ctx, p)
}

// affordable checks that the balance covers value and fee cap.
func (s *Sender) affordable(ctx context.Context, p Prepared) error {
	need, err := p.MaxCost()
	if err != nil {
		return fault.Wrap(err, fault.SimulationFailed, "value and fees are more than any account holds").WithSent(fault.SentNo)
	}
	have, err := s.client.Balance(ctx, p.From)
	if err != nil {
		return err
	}
	if have.Cmp(need) >= 0 {
		return nil
	}
	return fault.New(fault.SimulationFailed, "%s holds %s and the transaction may need up to %s (%s and fees)", p.From.Hex(),
		have.Decimal(units.APEDecimals), need.Decimal(units.APEDecimals), p.Intent.Value.Decimal(units.APEDecimals)).
		Hintf("send funds to %s", p.From.Hex()).WithSent(fault.SentNo)
}

// wouldFail puts a failed estimate into words.
func wouldFail(err error) error {
	reason, ok := FailureReason(err)
	if !ok {
		return err
	}
	return fault.Wrap(err, fault.SimulationFailed, "the transaction would fail: %s", reason).
		Hintf("mend the cause, then try again").WithSent(fault.SentNo)
}

func wrongChain(c *Client, got, want int64) error {
	return fault.New(fault.ChainMismatch, "the RPC at %s answers for chain %d, expected chain %d", c, got, want).
		Hintf("set the RPC URL of chain %d, then run ape-claw doctor", want).WithSent(fault.SentNo)
}
