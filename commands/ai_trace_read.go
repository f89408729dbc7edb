package commands

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// tracing puts a story together.
type tracing struct {
	d   *Deps
	db  *sql.DB // the state database; nil: there is none
	out *AITraceOut

	rooms   []string // whose messages are told from the rows
	actions []string // that are told from the rows
	uses    []use    // tool calls as the model wrote them, of turns that the log may not tell of
}

// use is a tool call in a message.
type use struct {
	at                  time.Time
	turn, trace, author string
	block               chat.Block
}

// How much of a story is told at the most.
const traceRows, traceEvents = 1000, 4000

// texts reads a column and closes the rows.
func texts(rows *sql.Rows) (out []string, err error) {
	defer func() { err = errors.Join(err, store.DBFault(rows.Close(), store.StateFile)) }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, store.DBFault(err, store.StateFile)
		}
		out = append(out, s)
	}
	return out, store.DBFault(rows.Err(), store.StateFile)
}

// each runs a query over the traces.
func (t *tracing) each(ctx context.Context, query string, row func(*sql.Rows) error) (err error) {
	list, err := json.Marshal(t.out.Traces)
	if err != nil {
		return err
	}
	rows, err := t.db.QueryContext(ctx, query+fmt.Sprintf(" LIMIT %d", traceRows), string(list))
	if err != nil {
		return store.DBFault(err, store.StateFile)
	}
	defer func() { err = errors.Join(err, store.DBFault(rows.Close(), store.StateFile)) }()
	n := 0
	for ; rows.Next(); n++ {
		if err := row(rows); err != nil {
			return store.DBFault(err, store.StateFile)
		}
	}
	if n == traceRows {
		t.note(fmt.Sprintf("there is more than the %d rows that are told", traceRows))
	}
	return store.DBFault(rows.Err(), store.StateFile)
}

// rows tells messages, turns and actions.
func (t *tracing) rows(ctx context.Context) error {
	if t.db == nil {
		return nil
	}
	const of = ` WHERE trace_id IN (SELECT value FROM json_each(?)) ORDER BY `
	err := t.each(ctx, `SELECT room_id, role, author, blocks, status, turn_id, trace_id, created_at FROM ai_messages`+of+`room_id, seq`, t.message)
	if err != nil {
		return err
	}
	if err := t.each(ctx, `SELECT id, participant, cause, state, trace_id, tool_calls, coalesce(error, ''), started_at, coalesce(ended_at, 0) FROM ai_turns`+of+`started_at, rowid`, t.turn); err != nil {
		return err
	}
	var ids []string
	if err := t.each(ctx, `SELECT id FROM ai_actions`+of+`created_at, rowid`, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}); err != nil || len(ids) == 0 {
		return err
	}
	s, err := t.d.aiActions(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		a, err := s.Show(ctx, id)
		if err != nil {
			t.note(fmt.Sprintf("action %s can't be read: %s", shownFact(id), fault.From(err).Message))
			continue
		}
		t.action(a)
	}
	return nil
}

func (t *tracing) message(rows *sql.Rows) error {
	var room, role, author, doc, status, turn, trace string
	var at int64
	if err := rows.Scan(&room, &role, &author, &doc, &status, &turn, &trace, &at); err != nil {
		return err
	}
	if !slices.Contains(t.rooms, room) {
		t.rooms = append(t.rooms, room)
	}
	var blocks []chat.Block
	// A row that makes no sense tells nothing; its place shows that it is there.
	_ = json.Unmarshal([]byte(doc), &blocks)
	e := AITraceEntry{At: time.UnixMilli(at), Kind: kindMessage, Who: cmp.Or(author, role), TurnID: turn, TraceID: trace}
	if status != chat.StatusOK {
		e.Status = status
	}
	var said []string
	for _, b := range blocks {
		switch b.Type {
		case chat.BlockText, chat.BlockNotice, chat.BlockError:
			said = append(said, b.Text)
			e.Code = cmp.Or(e.Code, b.Code)
		case chat.BlockUse:
			if author == chat.Program {
				continue // how the model is told of an outcome
			}
			t.uses = append(t.uses, use{e.At, turn, trace, author, b})
		case chat.BlockOutcome:
			t.add(AITraceEntry{At: e.At, Kind: kindCallback, Who: e.Who, Text: "the model is told: " + cmp.Or(b.State, "resolved"), ActionID: b.ActionID, TurnID: turn, TraceID: trace})
		}
	}
	if e.Text = strings.TrimSpace(strings.Join(said, " ")); e.Text != "" || len(blocks) == 0 || e.Status != "" {
		t.add(e)
	}
	return nil
}

func (t *tracing) turn(rows *sql.Rows) error {
	var id, participant, cause, state, trace, failure string
	var calls, started, ended int64
	if err := rows.Scan(&id, &participant, &cause, &state, &trace, &calls, &failure, &started, &ended); err != nil {
		return err
	}
	e := AITraceEntry{At: time.UnixMilli(started), Kind: kindTurn, Who: participant, TurnID: id, TraceID: trace, Text: "begins: " + map[string]string{
		chat.CauseUser: "a person asked", chat.CauseCallback: "an action was resolved"}[cause]}
	t.add(e)
	if ended == 0 {
		return nil
	}
	var f chat.Failure
	if failure != "" {
		_ = json.Unmarshal([]byte(failure), &f) // as above
	}
	e.At, e.Code, e.Status = time.UnixMilli(ended), string(f.Code), state
	e.Text = fmt.Sprintf("ends after %s, %s", counted(calls, "tool call"), time.Duration(ended-started)*time.Millisecond)
	if f.Message != "" {
		e.Text += ": " + f.Message
	}
	if state == chat.TurnDone {
		e.Status = ""
	}
	t.add(e)
	return nil
}

func (t *tracing) action(a action.Action) {
	t.actions = append(t.actions, a.ID)
	e := AITraceEntry{Kind: kindAction, ActionID: a.ID, Tool: a.Tool, TurnID: a.TurnID, TraceID: a.TraceID}
	at := func(when time.Time, who, status, text string) {
		if !when.IsZero() {
			e.At, e.Who, e.Status, e.Text = when, who, status, text
			t.add(e)
		}
	}
	about := fmt.Sprintf("%s (%s, %s grade) %s", a.Title, a.Tool, a.Grade, a.ID)
	if a.Claim != "" {
		about += "; the model says: " + a.Claim
	}
	at(a.CreatedAt, a.Origin, string(action.Proposed), "proposed: "+about)
	o := action.Outcome{}
	if a.Outcome != nil {
		o = *a.Outcome
	}
	switch a.State {
	case action.Executing, action.Executed, action.Failed:
		at(a.ResolvedAt, cmp.Or(o.Resolver, "operator"), "approved", "approved: "+a.Title)
		if a.State == action.Executing {
			break
		}
		e.Code, e.TxHash = cmp.Or(o.Cause, o.Code), o.TxHash
		text := "executed"
		if a.State == action.Failed {
			text = "failed: " + o.Message
		}
		if a.Partial() {
			text = "executed in part: " + o.Message
		}
		if o.Outcome == action.OutcomeUnknown {
			text += "; the outcome is unknown"
		}
		if o.Reconciled {
			text += "; found in the log afterwards"
		}
		if o.TxHash != "" {
			text += " " + o.TxHash
		}
		at(a.ExecutedAt, cmp.Or(o.Resolver, "operator"), string(a.State), text)
	case action.Rejected, action.Cancelled, action.Expired:
		text := string(a.State)
		if o.Reason != "" {
			text += ": " + o.Reason
		}
		at(a.ResolvedAt, cmp.Or(o.Resolver, "clock"), string(a.State), text)
	}
}

// transactions tells what the journal of the home has.
func (t *tracing) transactions(ctx context.Context) error {
	cfg, err := t.d.Config()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(cfg.Home, store.MoneyFile)); errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was ever sent from here, and looking makes no file
	}
	db, err := t.d.moneyDB(ctx)
	if err != nil {
		return err
	}
	list, err := chain.TracedTx(ctx, db, t.d.host.Now, t.out.Traces)
	if err != nil {
		return err
	}
	for _, tx := range list {
		text := fmt.Sprintf("transaction of %s, nonce %d, %s wei", tx.Account.Hex(), tx.Nonce, tx.Value.String())
		if tx.Reason != "" {
			text += ": " + tx.Reason
		}
		t.add(AITraceEntry{At: tx.Created, Kind: kindTransaction, Who: "journal", Text: text + " " + tx.Hash, Status: tx.State, TxHash: tx.Hash})
	}
	return nil
}

// events tells what the log has, the newest first when it is too much.
func (t *tracing) events(ctx context.Context) error {
	cfg, err := t.d.Config()
	if err != nil {
		return err
	}
	t.d.remoteOnlyNotice()
	log := telemetry.NewLog(cfg.StateDir, telemetry.LogOptions{MaxBack: math.MaxInt64, MaxTail: queryBytes})
	defer func() { _ = log.Close() }() // only read: nothing to lose
	filters := make([]telemetry.Filter, 0, len(t.out.Traces))
	for _, trace := range t.out.Traces {
		f, err := telemetry.ParseFilter(nil, "", trace, nil)
		if err != nil {
			return err
		}
		filters = append(filters, f)
	}
	tail, err := log.Tail(ctx, traceEvents, func(line []byte) bool {
		return slices.ContainsFunc(filters, func(f telemetry.Filter) bool { return f.Match(line) })
	})
	if err != nil {
		return err
	}
	if tail.Cut || len(tail.Lines) == traceEvents {
		t.note("the log has older events of this")
	}
	told := map[string]bool{} // turns whose tool calls the log has
	for _, l := range tail.Lines {
		t.event(l.Data, told)
	}
	for _, u := range t.uses {
		if !told[u.turn] {
			t.add(AITraceEntry{At: u.at, Kind: kindTool, Who: u.author, Text: u.block.Tool + " " + u.block.Args, Tool: u.block.Tool, TurnID: u.turn, TraceID: u.trace})
		}
	}
	return nil
}

// event tells a line of the log, unless a row says the same and more.
func (t *tracing) event(line []byte, told map[string]bool) {
	var e telemetry.Event
	// A field of another type stays empty; all that is in the log is a JSON object.
	_ = json.Unmarshal(t.d.redactor().Foreign(line), &e)
	var f struct {
		TurnID   string `json:"turnId"`
		RoomID   string `json:"roomId"`
		ActionID string `json:"actionId"`
		Tool     string `json:"tool"`
		Outcome  string `json:"outcome"`
		Code     string `json:"code"`
		TxHash   string `json:"txHash"`
		Preview  string `json:"preview"`
		On       bool   `json:"on"`
		Reason   string `json:"reason"`
	}
	for _, part := range []json.RawMessage{e.Payload, e.Result} {
		_ = json.Unmarshal(part, &f) // as above
	}
	at, _ := telemetry.TimeOf(line)
	x := AITraceEntry{At: at, Kind: kindEvent, Who: e.AgentID, EventType: e.EventType, Code: f.Code, Tool: f.Tool, TurnID: f.TurnID, ActionID: f.ActionID, TxHash: f.TxHash,
		TraceID: e.TraceID, Text: strings.TrimSpace(e.EventType + " " + eventDetail(e))}
	if !e.OK {
		x.Status = "failed"
	}
	switch {
	case !telemetry.Ours(line): // another's word takes the place of no row, and looks like none
	case e.EventType == "ai.tool.called", e.EventType == "ai.mcp.called":
		told[f.TurnID] = true
		x.Kind, x.Text, x.Status = kindTool, f.Tool, f.Outcome
		if f.Code != "" {
			x.Text += ": " + f.Code
		}
	case strings.HasPrefix(e.EventType, "ai.trace."),
		slices.Contains(t.rooms, f.RoomID) && (strings.HasPrefix(e.EventType, "ai.message.") || strings.HasPrefix(e.EventType, "ai.turn.")),
		slices.Contains(t.actions, f.ActionID) && strings.HasPrefix(e.EventType, "ai.action."):
		return
	case e.EventType == "ai.kill.changed":
		x.Text = "the kill switch is " + map[bool]string{true: "on", false: "off"}[f.On] + strings.TrimSuffix(": "+f.Reason, ": ")
	case strings.HasPrefix(e.EventType, "ai.message."):
		x.Kind, x.Text = kindMessage, f.Preview
	case strings.HasPrefix(e.EventType, "ai.turn."):
		x.Kind = kindTurn
	case e.EventType == "ai.grant.created":
		x.Kind, x.Text = kindAction, "a permit: one use, for exactly what was approved"
	case strings.HasPrefix(e.EventType, "ai.action."), strings.HasPrefix(e.EventType, "ai.grant."):
		x.Kind = kindAction
	case f.TxHash != "":
		x.Kind = kindTransaction
	}
	t.add(x)
}
