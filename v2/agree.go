package v2

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/v2/canon"
)

// Agreement is whether the local log has what a receipt on chain is of.
type Agreement struct {
	Agrees *bool      `json:"agrees"` // null: it can't be told
	Why    string     `json:"why"`    // for people
	Lines  []LogLine  `json:"lines,omitempty"`
	Found  Provenance `json:"found,omitempty"`
}

// Provenance is where the content was found that the receipt is held against.
type Provenance string

// Where the content of a receipt is from.
const (
	FromRecord  Provenance = "record"    // the event that tells that the receipt was recorded
	FromRebuilt Provenance = "events"    // put together from the purchase's events again
	FromAgent   Provenance = "execution" // the event of the agent account's execution that recorded it
)

// LogLine is a line of the log that a receipt lists.
type LogLine struct {
	Type  string `json:"type"`
	TS    string `json:"ts"`
	Hash  string `json:"hash"`
	State string `json:"state"`
}

// What became of a line.
const (
	LinePresent = "present"
	LineMissing = "missing"
	LineAltered = "altered" // a line of this type and time is there, and another was hashed
	LineCopied  = "copied"  // a copy of it is there, written in another way than what was hashed
)

// maxRecords bounds how many events about one receipt are looked at.
const maxRecords = 16

// agree holds a receipt on chain against the local log: whether the log tells of
// this receipt with a content of that hash and subject, and, where the content
// lists lines of the log, whether each is there as it was hashed. It says what it
// found in words; an error is that the log can't be read.
func (s *Service) agree(ctx context.Context, chainID int64, traceID string, r OnChainReceipt) (Agreement, error) {
	if s.d.Log == nil {
		return Agreement{Why: "there is no local log to hold it against"}, nil
	}
	log, err := s.d.Log(ctx)
	if err != nil {
		return Agreement{}, err
	}
	c := comparison{
		log: s.search(log), content: common.HexToHash(r.ContentHash), subject: common.HexToHash(r.Subject), recorder: common.HexToAddress(r.Recorder),
	}
	told, copied, cut, err := recordsOf(ctx, c.log, chainID, traceID, c.content)
	if err != nil {
		return Agreement{}, err
	}
	if len(told) == 0 {
		a, err := c.rebuilt(ctx, chainID, traceID, cut)
		if copied && a.Agrees == nil && err == nil {
			a.Found, a.Why = FromAgent, "only events from elsewhere tell of the agent account's execution, and anybody can say what is on chain"
		}
		return a, err
	}
	for _, t := range told {
		switch {
		case t.hash != c.content:
		case t.by != nil:
			return c.executed(t), nil
		default:
			return c.matched(ctx, t.receiptContent, FromRecord)
		}
	}
	if slices.ContainsFunc(told, func(t record) bool { return strings.Contains(string(t.text), telemetry.Redacted) }) {
		return Agreement{Why: "the log holds the receipt's content with a secret left out", Found: FromRecord}, nil
	}
	found := FromRecord
	if told[0].by != nil {
		found = FromAgent
	}
	return Agreement{Agrees: answer(false), Found: found,
		Why: "the log tells of this receipt with another content than the one whose hash is on chain"}, nil
}

func answer(yes bool) *bool { return &yes }

// receiptContent is what a receipt may be of, with its hash.
type receiptContent struct {
	text    []byte // canonical
	hash    common.Hash
	Subject string `json:"subject"`
	Payload struct {
		QuoteID string     `json:"quoteId"`
		TxHash  string     `json:"txHash"`
		Events  []lineHash `json:"events"`
	} `json:"payload"`
}

// lineHash is a line of the log in a receipt.
type lineHash struct {
	Type string `json:"type"`
	TS   string `json:"ts"`
	Hash string `json:"hash"`
}

func readContent(raw []byte) (receiptContent, error) {
	var c receiptContent
	text, err := canon.JSON(raw)
	if err != nil {
		return c, err
	}
	c.text, c.hash = text, crypto.Keccak256Hash(text)
	// A payload of another shape, as people's own are, lists no lines.
	var whole receiptContent
	if json.Unmarshal(text, &whole) == nil {
		c.Subject, c.Payload = whole.Subject, whole.Payload
	} else {
		var s struct{ Subject string }
		_ = json.Unmarshal(text, &s) // "" where it is no text
		c.Subject = s.Subject
	}
	return c, nil
}

// record is what the log tells of a recorded receipt.
type record struct {
	receiptContent
	by *common.Address // the agent account that recorded it, with no content but its hash; else nil
}

// recordLine is what is read of a line that tells of a recorded receipt.
type recordLine struct {
	EventType string
	EventID   string
	ChainID   int64
	Payload   struct {
		TraceID, Subject string
		Content          json.RawMessage
	}
	Result struct {
		TraceID, TraceIDHash, ContentHash, Address string
		ReceiptRecorded                            bool
	}
}

// record reads what a line tells of the receipt of a trace; ok is false where it tells
// of none.
func (l recordLine) record(chainID int64, traceID string) (r record, ok bool) {
	if l.ChainID != chainID {
		return r, false
	}
	switch l.EventType {
	case "v2.receipt.recorded":
		if l.Result.TraceID != traceID && l.Payload.TraceID != traceID {
			return r, false
		}
		c, err := readContent(l.Payload.Content)
		return record{receiptContent: c}, err == nil
	case "v2.agent.execute":
		if !l.Result.ReceiptRecorded || l.Result.TraceID != traceID || common.HexToHash(l.Result.TraceIDHash) != TraceIDHash(traceID) {
			return r, false
		}
		by := common.HexToAddress(l.Result.Address)
		return record{receiptContent{hash: common.HexToHash(l.Result.ContentHash), Subject: l.Payload.Subject}, &by}, true
	}
	return r, false
}

// recordsOf is what the log tells of a receipt, up to the telling that has the wanted
// content. Of what came from elsewhere only a content proves itself, by its hash: another
// one says nothing of this log, and an execution is told by a hash that anybody reads on
// the chain (copied).
func recordsOf(ctx context.Context, log search, chainID int64, traceID string, wanted common.Hash) (all []record, copied, cut bool, err error) {
	trace := []byte(traceID)
	_, cut, err = log.back(ctx, maxRecords, func(raw []byte) (take, last bool) {
		var line recordLine
		if !bytes.Contains(raw, trace) || !bytes.Contains(raw, []byte(`"v2.`)) || json.Unmarshal(raw, &line) != nil {
			return false, false
		}
		r, ok := line.record(chainID, traceID)
		if ok && isCopy(line.EventID) && (r.by != nil || r.hash != wanted) {
			copied = copied || r.by != nil && r.hash == wanted
			return false, false
		}
		if ok {
			all = append(all, r)
		}
		return ok, ok && r.hash == wanted
	})
	return all, copied, cut, err
}

// comparison is a receipt on chain that is held against a content.
type comparison struct {
	log              search
	content, subject common.Hash
	recorder         common.Address
}

// executed is an execution of an agent account whose content has the receipt's hash.
// The contract made that from what the target returned, which no log has.
func (c comparison) executed(t record) Agreement {
	a := Agreement{Found: FromAgent, Agrees: answer(false)}
	switch {
	case SubjectHash(t.Subject) != c.subject:
		a.Why = "the receipt on chain names another subject than the event of the execution does"
	case *t.by != c.recorder:
		a.Why = "the receipt on chain was recorded by another account than the one that the log says made the execution"
	default:
		a.Agrees, a.Why = answer(true), "the log tells of the agent account's execution, and the hash of it that the account recorded is on chain"
	}
	return a
}

// matched is a content that has the receipt's hash: what is left is its subject and
// the lines that it lists.
func (c comparison) matched(ctx context.Context, t receiptContent, from Provenance) (Agreement, error) {
	a := Agreement{Found: from}
	if SubjectHash(t.Subject) != c.subject {
		a.Agrees, a.Why = answer(false), "the receipt on chain names another subject than its content does"
		return a, nil
	}
	if t.Payload.QuoteID == "" || len(t.Payload.Events) == 0 {
		a.Agrees, a.Why = answer(true), "the log has the receipt's content, and its hash is on chain"
		return a, nil
	}
	lines, cut, err := look(ctx, c.log, t.Payload.Events)
	if err != nil {
		return a, err
	}
	a.Lines = lines
	for _, l := range lines {
		switch {
		case l.State == LineAltered:
			a.Agrees, a.Why = answer(false), fmt.Sprintf("the log's line %s of %s was altered after the receipt was recorded", l.Type, l.TS)
			return a, nil
		case l.State == LineCopied:
			a.Why = fmt.Sprintf("the log has a copy of the line %s of %s, and only the log that it is from has what was hashed", l.Type, l.TS)
			return a, nil
		case l.State == LineMissing && cut:
			a.Why = fmt.Sprintf("the log is too long to be searched whole, and its line %s of %s was not found", l.Type, l.TS)
			return a, nil
		case l.State == LineMissing:
			a.Agrees, a.Why = answer(false), fmt.Sprintf("the log's line %s of %s is missing", l.Type, l.TS)
			return a, nil
		}
	}
	a.Agrees, a.Why = answer(true), fmt.Sprintf("each of the %d lines that the receipt lists is in the log as it was hashed", len(lines))
	return a, nil
}

// look finds the listed lines in the log.
func look(ctx context.Context, log search, listed []lineHash) (lines []LogLine, cut bool, err error) {
	byHash, byTime := map[common.Hash][]int{}, map[[2]string][]int{}
	times := map[string]bool{}
	for i, l := range listed {
		lines = append(lines, LogLine{l.Type, l.TS, l.Hash, LineMissing})
		byHash[common.HexToHash(l.Hash)] = append(byHash[common.HexToHash(l.Hash)], i)
		byTime[[2]string{l.Type, l.TS}] = append(byTime[[2]string{l.Type, l.TS}], i)
		times[l.TS] = true
	}
	mark := func(which []int, state string) {
		for _, i := range which {
			if s := lines[i].State; s == LineMissing || s == LineCopied || state == LinePresent {
				lines[i].State = state
			}
		}
	}
	_, cut, err = log.back(ctx, len(byHash), func(raw []byte) (take, last bool) {
		var head struct{ EventType, TS, EventID string }
		if !times[string(timeOf(raw))] || json.Unmarshal(raw, &head) != nil {
			return false, false
		}
		if which, ok := byHash[crypto.Keccak256Hash(original(raw, head.EventID))]; ok {
			again := lines[which[0]].State == LinePresent // a line that is there twice counts once
			mark(which, LinePresent)
			return !again, false
		}
		which := byTime[[2]string{head.EventType, head.TS}]
		if !isCopy(head.EventID) {
			mark(which, LineAltered)
			return false, false
		}
		for _, i := range which {
			if lines[i].State == LineMissing {
				lines[i].State = LineCopied
			}
		}
		return false, false
	})
	return lines, cut, err
}

// rebuilt holds a receipt of which the log does not tell against the purchase that
// its trace names.
func (c comparison) rebuilt(ctx context.Context, chainID int64, traceID string, cut bool) (Agreement, error) {
	unknown := Agreement{Why: "the local log does not tell of this receipt"}
	if cut {
		unknown.Why = "the log is too long to be searched whole, and does not tell of this receipt in what was searched"
	}
	_, quoteID, ok := cutLast(traceID, ".")
	if !ok {
		return unknown, nil
	}
	p, ok, cut, err := purchaseOf(ctx, c.log, chainID, quoteID)
	if err != nil || !ok || cut || p.trace != traceID {
		return unknown, err
	}
	t, err := p.content()
	if err != nil {
		return unknown, err
	}
	if t.hash != c.content {
		return Agreement{Agrees: answer(false), Found: FromRebuilt, Why: "the log tells of this purchase, and what is on chain is of something else, or lines of it were altered since"}, nil
	}
	return c.matched(ctx, t, FromRebuilt)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
