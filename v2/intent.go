package v2

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/canon"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

const (
	cmdIntentCreate = "v2 intent create"
	cmdIntentCancel = "v2 intent cancel"
	cmdIntentShow   = "v2 intent show"
)

// maxUnix is the last second that RFC 3339 can write.
const maxUnix = 253402300799

// IntentCreateIn is the input of v2 intent create.
type IntentCreateIn struct {
	Payload   string `json:"payload" ai:"expose" maxlen:"8192" help:"what is meant to be done, as JSON; its hash goes on chain" required:"true"`
	ExpiresAt int64  `json:"expiresAt" ai:"expose" max:"253402300799" help:"the second (Unix time) at which the intent is over; 0 is never" default:"0"`
	Intents   string `json:"intents" ai:"operator" help:"address of IntentRegistry"`
	Go
}

// IntentCreated is what came of v2 intent create.
type IntentCreated struct {
	IntentID   uint64 `json:"intentId,omitempty"` // of a confirmed one
	IntentHash string `json:"intentHash"`
	Creator    string `json:"creator,omitempty"`
	TraceID    string `json:"traceId,omitempty"`
}

// IntentCreateOut is the result of v2 intent create.
type IntentCreateOut struct {
	Sent
	IntentCreated
	ExpiresAt int64 `json:"expiresAt"` // 0: never
}

// intentKeep is what tells a created intent in a receipt.
type intentKeep struct {
	Hash      common.Hash `json:"hash"`
	ExpiresAt uint64      `json:"expiresAt"`
}

// IntentCreate records the hash of what is meant to be done.
func (s *Service) IntentCreate(ctx context.Context, in IntentCreateIn) (IntentCreateOut, error) {
	text, err := jsonOf("--payload", in.Payload)
	if err != nil {
		return IntentCreateOut{}, err
	}
	if in.ExpiresAt < 0 || in.ExpiresAt > maxUnix {
		return IntentCreateOut{}, fault.New(fault.Usage, "--expires-at %d: a Unix time in seconds is expected, or 0", in.ExpiresAt).
			Hintf("for an hour from now: --expires-at %d", s.now().Add(time.Hour).Unix()).WithSent(fault.SentNo)
	}
	hash := crypto.Keccak256Hash(text)
	at, err := s.locateTarget(ctx, contracts.IntentRegistry)
	if err != nil {
		return IntentCreateOut{}, err
	}
	data, err := contracts.ABI(at.Name).Pack("createIntent", hash, uint64(in.ExpiresAt))
	if err != nil {
		return IntentCreateOut{}, err
	}
	d, err := s.send(ctx, call{
		Op: "intent.create", Command: cmdIntentCreate, What: "record an intent", Contract: at, Data: data, Go: in.Go,
		Facts: []Fact{
			{"payload", "payload", excerpt(string(text))}, {"intentHash", "intent hash", hash.Hex()}, {"expiresAt", "over at", instant(uint64(in.ExpiresAt))},
		},
		Payload: map[string]any{"intentHash": hash.Hex(), "expiresAt": in.ExpiresAt},
		Keep:    intentKeep{Hash: hash, ExpiresAt: uint64(in.ExpiresAt)},
	})
	if err != nil {
		return IntentCreateOut{}, err
	}
	out := IntentCreateOut{IntentCreated: IntentCreated{IntentHash: hash.Hex()}, ExpiresAt: in.ExpiresAt}
	if err := fill(d.Result, &out.IntentCreated); err != nil {
		return out, err
	}
	if !d.DryRun {
		d.Message = fmt.Sprintf("intent %d is recorded", out.IntentID)
	}
	out.Sent = s.sent(d)
	return out, nil
}

// IntentCancelIn is the input of v2 intent cancel.
type IntentCancelIn struct {
	IntentID string `json:"intentId" ai:"expose" kind:"tokenId" help:"which intent; only who created it can cancel it" required:"true"`
	Intents  string `json:"intents" ai:"operator" help:"address of IntentRegistry"`
	Go
}

// IntentCancelOut is the result of v2 intent cancel.
type IntentCancelOut struct {
	Sent
	IntentID uint64 `json:"intentId"`
}

// IntentCancel takes an intent back.
func (s *Service) IntentCancel(ctx context.Context, in IntentCancelIn) (IntentCancelOut, error) {
	id, err := intentID(in.IntentID)
	if err != nil {
		return IntentCancelOut{}, err
	}
	at, err := s.locateTarget(ctx, contracts.IntentRegistry)
	if err != nil {
		return IntentCancelOut{}, err
	}
	facts := []Fact{{"intentId", "intent", strconv.FormatUint(id, 10)}}
	if i, err := s.intent(ctx, at, id); err != nil {
		return IntentCancelOut{}, err
	} else if i.Exists {
		facts = append(facts, Fact{"intentHash", "intent hash", i.IntentHash}, Fact{"creator", "created by", i.Creator}, Fact{"expiresAt", "over at", instant(i.ExpiresAt)})
	}
	data, err := contracts.ABI(at.Name).Pack("cancelIntent", new(big.Int).SetUint64(id))
	if err != nil {
		return IntentCancelOut{}, err
	}
	d, err := s.send(ctx, call{
		Op: "intent.cancel", Command: cmdIntentCancel, What: fmt.Sprintf("cancel intent %d", id), Contract: at, Data: data, Go: in.Go, Facts: facts,
		Payload: map[string]any{"intentId": strconv.FormatUint(id, 10)}, Keep: id,
	})
	if err != nil {
		return IntentCancelOut{}, err
	}
	if !d.DryRun {
		d.Message = fmt.Sprintf("intent %d is cancelled", id)
	}
	return IntentCancelOut{Sent: s.sent(d), IntentID: id}, nil
}

// IntentShowIn is the input of v2 intent show.
type IntentShowIn struct {
	IntentID string `json:"intentId" ai:"expose" kind:"tokenId" help:"which intent" required:"true"`
	Intents  string `json:"intents" ai:"operator" help:"address of IntentRegistry"`
}

// IntentShowOut is an intent as the chain has it.
type IntentShowOut struct {
	OK         bool   `json:"ok"`
	ChainID    int64  `json:"chainId"`
	Network    string `json:"network"`
	Contract   string `json:"contract"`
	IntentID   uint64 `json:"intentId"`
	Exists     bool   `json:"exists"`
	Active     bool   `json:"active"` // exists, is not cancelled and not over
	IntentHash string `json:"intentHash,omitempty"`
	Creator    string `json:"creator,omitempty"`
	ExpiresAt  uint64 `json:"expiresAt"` // Unix time; 0: never
	Cancelled  bool   `json:"cancelled"`
}

// Ends is when the intent is over, in words.
func (o IntentShowOut) Ends() string { return instant(o.ExpiresAt) }

// IntentShow reads an intent. It records no event.
func (s *Service) IntentShow(ctx context.Context, in IntentShowIn) (IntentShowOut, error) {
	id, err := intentID(in.IntentID)
	if err != nil {
		return IntentShowOut{}, err
	}
	at, err := s.locate(ctx, contracts.IntentRegistry)
	if err != nil {
		return IntentShowOut{}, err
	}
	out, err := s.intent(ctx, at, id)
	if err != nil {
		return IntentShowOut{}, err
	}
	out.ChainID, out.Network, err = s.network(ctx)
	return out, err
}

func (s *Service) intent(ctx context.Context, l Located, id uint64) (IntentShowOut, error) {
	out := IntentShowOut{OK: true, Contract: l.Address, IntentID: id}
	c, err := s.d.Chain(ctx)
	if err != nil {
		return out, err
	}
	n := new(big.Int).SetUint64(id)
	v, err := s.view(ctx, c, l, "intents", n)
	if err != nil {
		return out, err
	}
	hash, _ := at[[32]byte](v, 0)
	creator, _ := at[common.Address](v, 1)
	out.ExpiresAt, _ = at[uint64](v, 2)
	out.Cancelled, _ = at[bool](v, 3)
	if out.Exists = creator != (common.Address{}); !out.Exists {
		return out, nil
	}
	out.IntentHash, out.Creator = common.Hash(hash).Hex(), creator.Hex()
	out.Active, err = viewOne[bool](ctx, s, c, l, "isActive", n)
	return out, err
}

// intentID reads the id of an intent, which is never 0.
func intentID(given string) (uint64, error) {
	id, err := strconv.ParseUint(given, 10, 63)
	if err != nil || id == 0 {
		return 0, fault.New(fault.Usage, "--intent-id %q is no id of an intent: a whole number from 1 up is expected", fault.Excerpt(given, 40)).
			Hintf("v2 intent create tells the id").WithSent(fault.SentNo)
	}
	return id, nil
}

func intentOps() map[string]op {
	return map[string]op{
		"intent.create": {event: "v2.intent.created", confirm: intentCreated},
		"intent.cancel": {event: "v2.intent.cancelled", confirm: intentCancelled},
	}
}

func intentCreated(_ context.Context, _ Chain, m mined) (map[string]any, error) {
	var k intentKeep
	if err := json.Unmarshal(m.Keep, &k); err != nil {
		return nil, err
	}
	got, err := m.event("IntentCreated", map[string]any{"intentHash": k.Hash, "expiresAt": k.ExpiresAt, "creator": m.Tx.From})
	if err != nil {
		return nil, err
	}
	id, err := countOf(got["intentId"])
	if err != nil {
		return nil, err
	}
	return map[string]any{"intentId": id, "traceId": m.TraceID, "intentHash": k.Hash.Hex(), "creator": lower(m.Tx.From)}, nil
}

func intentCancelled(_ context.Context, _ Chain, m mined) (map[string]any, error) {
	var id uint64
	if err := json.Unmarshal(m.Keep, &id); err != nil {
		return nil, err
	}
	_, err := m.event("IntentCancelled", map[string]any{"intentId": new(big.Int).SetUint64(id), "creator": m.Tx.From})
	return map[string]any{"intentId": id}, err
}

// jsonOf is the canonical form of a flag's JSON.
func jsonOf(flag, given string) ([]byte, error) {
	if len(given) > maxPayload {
		return nil, fault.New(fault.Usage, "%s is longer than %d bytes", flag, maxPayload).Hintf("give the hash of what is longer, as a text of the JSON").WithSent(fault.SentNo)
	}
	text, err := canon.JSON([]byte(given))
	if err != nil {
		return nil, fault.Wrap(err, fault.Usage, "%s: %s", flag, fault.From(err).Message).Hintf(`%s '{"do":"this"}'`, flag).WithSent(fault.SentNo)
	}
	return text, nil
}

// maxPayload is the longest JSON that a flag takes: the event log keeps it whole.
const maxPayload = 8 << 10

// excerpt is a text as a fact shows it.
func excerpt(text string) string { return fault.Excerpt(text, 160) }

// instant is a second of a contract in words.
func instant(unix uint64) string {
	switch {
	case unix == 0:
		return "never"
	case unix > maxUnix:
		return "the end of time"
	}
	return time.Unix(int64(unix), 0).UTC().Format("2006-01-02 15:04:05 UTC")
}

// ape is an amount in words.
func ape(w units.Wei) string { return w.Decimal(units.APEDecimals) + " APE" }
