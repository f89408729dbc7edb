package v2

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

const (
	cmdReceiptRecord = "v2 receipt record"
	cmdReceiptGet    = "v2 receipt get"
)

// ReceiptRecordIn is the input of v2 receipt record.
type ReceiptRecordIn struct {
	Trace    string `json:"trace" ai:"expose" kind:"id" help:"trace id that the receipt is of; also --trace-id"`
	Subject  string `json:"subject" ai:"expose" maxlen:"256" help:"whom it is about, in words (default: agent: and the agent's id)"`
	Payload  string `json:"payload" ai:"expose" maxlen:"8192" help:"what was done, as JSON; the hash of subject and payload goes on chain" default:"{}"`
	URI      string `json:"uri" ai:"expose" maxlen:"2048" help:"where the content can be found, with its scheme"`
	Receipts string `json:"receipts" ai:"operator" help:"address of ReceiptRegistry"`
	Go
}

// ReceiptRecorded is what came of v2 receipt record.
type ReceiptRecorded struct {
	TraceID     string `json:"traceId"`
	TraceIDHash string `json:"traceIdHash"`
	ContentHash string `json:"contentHash"`
	SubjectHash string `json:"subjectHash"`
	Recorder    string `json:"recorder,omitempty"`
}

// ReceiptRecordOut is the result of v2 receipt record.
type ReceiptRecordOut struct {
	Sent
	ReceiptRecorded
	Subject string `json:"subject"`
	URI     string `json:"uri"`
}

// receiptWrite is a receipt to record, whoever asks for it.
type receiptWrite struct {
	Trace, Subject, URI string
	Payload             []byte // JSON
	Auto                bool   // for what happened, by policy's leave
	Command             string
	Key                 string // serves once; "" makes a new one
	Go                  Go
	Authority           string
	skipPhrase          bool
}

// receiptKeep is what tells a recorded receipt in a transaction.
type receiptKeep struct {
	Trace   string      `json:"trace"`
	Content common.Hash `json:"content"`
	Subject common.Hash `json:"subject"`
	URI     string      `json:"uri"`
}

// ReceiptRecord records the hash of what was done under a trace.
func (s *Service) ReceiptRecord(ctx context.Context, in ReceiptRecordIn) (ReceiptRecordOut, error) {
	payload, err := jsonOf("--payload", in.Payload)
	if err != nil {
		return ReceiptRecordOut{}, err
	}
	if in.Trace == "" {
		return ReceiptRecordOut{}, fault.New(fault.Usage, "Required: --trace").Hintf("name the trace that the receipt is of: --trace ID").WithSent(fault.SentNo)
	}
	if in.Subject == "" {
		in.Subject = "agent:" + s.d.AgentID
	}
	w := receiptWrite{Trace: in.Trace, Subject: in.Subject, URI: in.URI, Payload: payload, Command: cmdReceiptRecord, Go: in.Go}
	d, err := s.putReceipt(ctx, w)
	if err != nil {
		return ReceiptRecordOut{}, err
	}
	k, _, err := w.keep()
	if err != nil {
		return ReceiptRecordOut{}, err
	}
	out := ReceiptRecordOut{Subject: in.Subject, URI: in.URI, ReceiptRecorded: k.recorded()}
	if err := fill(d.Result, &out.ReceiptRecorded); err != nil {
		return out, err
	}
	if !d.DryRun {
		d.Message = "the receipt of " + in.Trace + " is recorded"
	}
	out.Sent = s.sent(d)
	return out, nil
}

// putReceipt records a receipt, through the one path of a write.
func (s *Service) putReceipt(ctx context.Context, w receiptWrite) (done, error) {
	k, content, err := w.keep()
	if err != nil {
		return done{}, err
	}
	at, err := s.locateTarget(ctx, contracts.ReceiptRegistry)
	if err != nil {
		return done{}, err
	}
	data, err := contracts.ABI(at.Name).Pack("recordReceipt", TraceIDHash(k.Trace), k.Content, k.Subject, k.URI)
	if err != nil {
		return done{}, err
	}
	return s.send(ctx, call{
		Op: "receipt.record", Command: w.Command, What: "record the receipt of " + w.Trace, Contract: at, Data: data, Go: w.Go,
		Facts: []Fact{
			{"traceId", "trace", w.Trace}, {"subject", "subject", excerpt(w.Subject)}, {"content", "content", excerpt(string(content))},
			{"contentHash", "content hash", k.Content.Hex()}, {"uri", "uri", excerpt(cmp.Or(w.URI, "none"))},
		},
		Payload:   map[string]any{"traceId": w.Trace, "subject": w.Subject, "uri": w.URI, "content": json.RawMessage(content), "auto": w.Auto},
		Keep:      k,
		Key:       w.Key,
		Authority: w.Authority, skipPhrase: w.skipPhrase,
	})
}

// keep checks what is to be recorded, and hashes it.
func (w receiptWrite) keep() (k receiptKeep, content []byte, err error) {
	if err := traceOf("--trace", w.Trace); err != nil {
		return k, nil, err
	}
	if err := subjectOf(w.Subject); err != nil {
		return k, nil, err
	}
	if err := checkURI(w.URI); err != nil {
		return k, nil, err
	}
	if content, err = ReceiptContent(w.Subject, w.Payload); err != nil {
		return k, nil, err
	}
	return receiptKeep{Trace: w.Trace, Content: crypto.Keccak256Hash(content), Subject: SubjectHash(w.Subject), URI: w.URI}, content, nil
}

func (k receiptKeep) recorded() ReceiptRecorded {
	return ReceiptRecorded{TraceID: k.Trace, TraceIDHash: TraceIDHash(k.Trace).Hex(), ContentHash: k.Content.Hex(), SubjectHash: k.Subject.Hex()}
}

// traceOf refuses what is no trace id: what is hashed by a typing error is found by
// nobody.
func traceOf(flag, trace string) error {
	if err := telemetry.CheckID("trace id", trace); trace == "" || err != nil || strings.ContainsFunc(trace, notInID) {
		return fault.New(fault.Usage, "%s %q is no trace id: letters, digits and ._:@- are expected, 128 at the most", flag, fault.Excerpt(trace, 60)).
			Hintf("%s my-trace-1", flag).WithSent(fault.SentNo)
	}
	return nil
}

func notInID(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._:@-", r))
}

// subjectOf refuses what names nobody.
func subjectOf(subject string) error {
	if n := len(subject); n == 0 || n > 256 || fault.Excerpt(subject, 256) != subject {
		return fault.New(fault.Usage, "--subject %q: 1 to 256 printable characters are expected", fault.Excerpt(subject, 60)).
			Hintf("--subject agent:my-agent-1").WithSent(fault.SentNo)
	}
	return nil
}

// ReceiptGetIn is the input of v2 receipt get.
type ReceiptGetIn struct {
	Trace    string `json:"trace" ai:"expose" kind:"id" help:"trace id that the receipt is of; also --trace-id"`
	Receipts string `json:"receipts" ai:"operator" help:"address of ReceiptRegistry"`
}

// OnChainReceipt is a receipt as the chain has it.
type OnChainReceipt struct {
	TraceIDHash string `json:"traceIdHash"`
	ContentHash string `json:"contentHash"`
	Subject     string `json:"subject"` // its hash
	URI         string `json:"uri"`
	RecordedAt  string `json:"recordedAt"` // Unix time
	Recorder    string `json:"recorder"`
}

// At is when it was recorded, in words.
func (r OnChainReceipt) At() string {
	unix, err := strconv.ParseUint(r.RecordedAt, 10, 64)
	if err != nil {
		return r.RecordedAt
	}
	return instant(unix)
}

// ReceiptGetOut is whether a trace's receipt is on chain, and whether the local log
// has what it is of.
type ReceiptGetOut struct {
	OK          bool            `json:"ok"`
	ChainID     int64           `json:"chainId"`
	Network     string          `json:"network"`
	Contract    string          `json:"contract"`
	TraceID     string          `json:"traceId"`
	TraceIDHash string          `json:"traceIdHash"`
	IsRecorded  bool            `json:"isRecorded"`
	Receipt     *OnChainReceipt `json:"receipt"` // null where there is none
	Agreement
}

// ReceiptGet reads a receipt, and holds it against the local log. It records no event.
func (s *Service) ReceiptGet(ctx context.Context, in ReceiptGetIn) (ReceiptGetOut, error) {
	if in.Trace == "" {
		return ReceiptGetOut{}, fault.New(fault.Usage, "Required: --trace").Hintf("name the trace that the receipt is of: --trace ID").WithSent(fault.SentNo)
	}
	if err := traceOf("--trace", in.Trace); err != nil {
		return ReceiptGetOut{}, err
	}
	at, err := s.locate(ctx, contracts.ReceiptRegistry)
	if err != nil {
		return ReceiptGetOut{}, err
	}
	hash := TraceIDHash(in.Trace)
	out := ReceiptGetOut{OK: true, Contract: at.Address, TraceID: in.Trace, TraceIDHash: hash.Hex()}
	if out.ChainID, out.Network, err = s.network(ctx); err != nil {
		return out, err
	}
	r, err := s.receipt(ctx, at, hash)
	if err != nil || r == nil {
		out.Why = "there is no receipt on chain"
		return out, err
	}
	out.IsRecorded, out.Receipt = true, r
	out.Agreement, err = s.agree(ctx, out.ChainID, in.Trace, *r)
	return out, err
}

// receipt reads the receipt of a trace; nil when there is none.
func (s *Service) receipt(ctx context.Context, l Located, trace common.Hash) (*OnChainReceipt, error) {
	c, err := s.d.Chain(ctx)
	if err != nil {
		return nil, err
	}
	if is, err := viewOne[bool](ctx, s, c, l, "isRecorded", trace); err != nil || !is {
		return nil, err
	}
	v, err := s.view(ctx, c, l, "getReceipt", trace)
	if err != nil {
		return nil, err
	}
	hashes := [3]common.Hash{}
	for i := range hashes {
		hashes[i], _ = at[[32]byte](v, i)
	}
	uri, _ := at[string](v, 3)
	when, _ := at[uint64](v, 4)
	recorder, _ := at[common.Address](v, 5)
	if hashes[0] != trace {
		return nil, fault.New(fault.ContractMismatch, "%s at %s gives the receipt of another trace", l.Name, l.Address).
			Hintf("check the address, which is from %s", l.From).WithSent(fault.SentNo)
	}
	return &OnChainReceipt{
		TraceIDHash: hashes[0].Hex(), ContentHash: hashes[1].Hex(), Subject: hashes[2].Hex(), URI: fault.Excerpt(uri, maxURI),
		RecordedAt: strconv.FormatUint(when, 10), Recorder: recorder.Hex(),
	}, nil
}

func receiptOps() map[string]op {
	return map[string]op{"receipt.record": {event: "v2.receipt.recorded", confirm: receiptRecorded}}
}

func receiptRecorded(_ context.Context, _ Chain, m mined) (map[string]any, error) {
	var k receiptKeep
	if err := json.Unmarshal(m.Keep, &k); err != nil {
		return nil, err
	}
	_, err := m.event("ReceiptRecorded",
		map[string]any{"traceIdHash": TraceIDHash(k.Trace), "contentHash": k.Content, "subject": k.Subject, "recorder": m.Tx.From, "uri": k.URI})
	return map[string]any{
		"traceId": k.Trace, "traceIdHash": TraceIDHash(k.Trace).Hex(), "contentHash": k.Content.Hex(), "subjectHash": k.Subject.Hex(), "recorder": lower(m.Tx.From),
	}, err
}
