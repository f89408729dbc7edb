package action

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// life is how long an action waits for a person.
	life = 10 * time.Minute
	// The most that may wait at once: of one MCP client, and of one conversation.
	openPerClient, openPerRoom = 3, 5
	// How long a permit lives, unless the proposal says less or more.
	permitTTL, longestPermit = 120 * time.Second, 600 * time.Second
)

// Propose implements ai.Proposer: it previews, checks and stores what a person is
// to decide. The same proposal while it is open gives the same action.
func (s *Service) Propose(ctx context.Context, p ai.Proposal) (ai.Proposed, error) {
	if err := s.alive(); err != nil {
		return ai.Proposed{}, err
	}
	if p.Tool.Grade != ai.GradeWrite && p.Tool.Grade != ai.GradeHigh || p.Tool.Preview == nil || p.Tool.Execute == nil {
		return ai.Proposed{}, fault.New(fault.InvalidArguments, "%s is nothing that a person approves", p.Tool.Name).WithSent(fault.SentNo)
	}
	if err := s.permissions(p); err != nil {
		return ai.Proposed{}, err
	}
	if _, err := s.Expire(ctx); err != nil {
		return ai.Proposed{}, err
	}
	a := Action{ID: store.NewID("act_"), State: Proposed, Version: 1, Tool: p.Tool.Name, Grade: p.Tool.Grade,
		Origin: p.Scope.AgentID, RoomID: p.RoomID, ArgsHash: argsHash(p.Tool.Name, compact(p.Args))}
	db, err := s.o.State(ctx)
	if err != nil {
		return ai.Proposed{}, err
	}
	// Before the preview, which asks chains and marketplaces, and makes plans.
	if same, err := s.room(ctx, db, a); err != nil || same.ActionID != "" {
		return same, err
	}
	d, preview, err := s.preview(ctx, p.Tool, compact(p.Args), p.Scope)
	if err != nil {
		return ai.Proposed{}, err
	}
	if err := limits(p.Limits, d.Spends); err != nil {
		return ai.Proposed{}, err
	}
	now := s.o.Now()
	a.CreatedAt, a.ExpiresAt = now, now.Add(life)
	if !preview.Expires.IsZero() && preview.Expires.Before(a.ExpiresAt) {
		a.ExpiresAt = preview.Expires
	}
	if !a.ExpiresAt.After(now) {
		return ai.Proposed{}, fault.New(fault.QuoteExpired, "what %s is about has expired", p.Tool.Name).WithSent(fault.SentNo)
	}
	if a.TraceID = p.Scope.TraceID; a.TraceID == "" {
		a.TraceID = preview.TraceID
	}
	if a.TraceID == "" {
		a.TraceID = telemetry.NewTraceID(now)
	}
	if err := s.complete(ctx, db, &a, &d, p); err != nil {
		return ai.Proposed{}, err
	}
	a.FactsHash = factsHash(a.Tool, a.Grade, d)
	return s.insert(ctx, a, d)
}

// complete adds what a preview does not decide: the claim and what is wrong with
// it, and what a person should know beside.
func (s *Service) complete(ctx context.Context, db *sql.DB, a *Action, d *doc, p ai.Proposal) error {
	d.Claim = Cut(s.o.Redactor.String(p.Claim), MaxClaim)
	d.Taint = []string{}
	for _, source := range p.Taint {
		d.Taint = append(d.Taint, Cut(source, 80))
	}
	d.Limits, d.TurnID, d.SessionID, d.Source = p.Limits, p.TurnID, p.Scope.SessionID, p.Scope.Source
	d.PermitTTL = int64(permitTTL / time.Second)
	if p.TTL > 0 {
		d.PermitTTL = int64(min(max(p.TTL, time.Second), longestPermit) / time.Second)
	}
	open, err := query(ctx, db, `WHERE state = ? AND `+outcomeIs+` AND created_at > ? AND tool = ?
		AND (args_hash = ? OR (? <> '' AND json_valid(doc) AND json_extract(doc, '$.reference') = ?)) ORDER BY created_at DESC LIMIT 3`,
		string(Failed), OutcomeUnknown, a.CreatedAt.Add(-unknownFor).UnixMilli(), a.Tool, a.ArgsHash, d.Reference, d.Reference)
	if err != nil {
		return err
	}
	for _, o := range open {
		d.Warnings = append(d.Warnings, "the outcome of "+o.ID+", the same thing, is unknown: it may have happened, and this would be a second time")
	}
	d.fill(a)
	d.Check = CheckClaim(p.Claim, *a)
	*d = roundTrip(*d)
	d.fill(a)
	return nil
}

// roundTrip is a document as the database gives it back.
func roundTrip(d doc) doc {
	var out doc
	if b, err := json.Marshal(d); err == nil && json.Unmarshal(b, &out) == nil {
		return out
	}
	return d
}

// preview computes what an action would do, with what this process acts with.
func (s *Service) preview(ctx context.Context, t ai.Tool, args json.RawMessage, scope ai.Scope) (doc, ai.Preview, error) {
	p, err := t.Preview(ctx, ai.Call{Args: args, Scope: scope})
	if err != nil {
		return doc{}, p, err
	}
	var host map[string]string
	if s.o.Host != nil {
		if host, err = s.o.Host(ctx); err != nil {
			return doc{}, p, err
		}
	}
	return roundTrip(doc{Args: args}.describe(t, p, host)), p, nil
}

// room says whether there is room for one more: the same that is open already is
// returned, and too many are refused.
func (s *Service) room(ctx context.Context, q querier, a Action) (ai.Proposed, error) {
	open, err := query(ctx, q, "WHERE state = ? AND origin = ?", string(Proposed), a.Origin)
	if err != nil {
		return ai.Proposed{}, err
	}
	inRoom := 0
	for _, o := range open {
		if o.RoomID == a.RoomID && o.Tool == a.Tool && o.ArgsHash == a.ArgsHash {
			return proposed(o, true), nil
		}
		if o.RoomID == a.RoomID {
			inRoom++
		}
	}
	if strings.HasPrefix(a.Origin, "mcp:") && len(open) >= openPerClient {
		return ai.Proposed{}, full(len(open), "this client")
	}
	if inRoom >= openPerRoom {
		return ai.Proposed{}, full(inRoom, "this conversation")
	}
	return ai.Proposed{}, nil
}

func full(n int, whose string) error {
	return fault.New(fault.RateLimited, "%d proposals of %s wait for a person already", n, whose).
		Hintf("wait until some are decided: a person sees them with ape-claw ai actions list").WithSent(fault.SentNo)
}

func proposed(a Action, existing bool) ai.Proposed {
	return ai.Proposed{ActionID: a.ID, State: string(a.State), ExpiresAt: a.ExpiresAt, Existing: existing, Warnings: a.Warnings}
}

// insert stores a proposal, unless the same got there first, and tells of it.
func (s *Service) insert(ctx context.Context, a Action, d doc) (ai.Proposed, error) {
	if err := s.alive(); err != nil {
		return ai.Proposed{}, err
	}
	text, err := json.Marshal(d)
	if err != nil {
		return ai.Proposed{}, fault.Wrap(err, fault.InvalidArguments, "the proposal can't be stored")
	}
	var same ai.Proposed
	err = s.tx(ctx, func(q querier) error {
		if same, err = s.room(ctx, q, a); err != nil || same.ActionID != "" {
			return err
		}
		_, err := q.ExecContext(ctx, `INSERT INTO ai_actions (id, state, tool, grade, origin, room_id, trace_id, args_hash, facts_hash, doc, created_at, expires_at, untold)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, a.ID, string(Proposed), a.Tool, string(a.Grade), a.Origin, a.RoomID, a.TraceID, a.ArgsHash,
			a.FactsHash, string(text), a.CreatedAt.UnixMilli(), a.ExpiresAt.UnixMilli(), toldProposed)
		if err != nil {
			return err
		}
		return s.audit(ctx, q, "action.propose", map[string]any{"actionId": a.ID, "tool": a.Tool, "grade": a.Grade, "origin": a.Origin,
			"argsHash": a.ArgsHash, "factsHash": a.FactsHash, "traceId": a.TraceID})
	})
	if err != nil || same.ActionID != "" {
		return same, err
	}
	store.CrashPoint("action.proposed.stored")
	if err := s.tell(ctx, a.ID, toldProposed); err != nil {
		// Nobody would know of it: what is not recorded is not proposed.
		_, cancelErr := s.cancel(context.WithoutCancel(ctx), "id = ?", []any{a.ID}, "engine", "the event log can't be written")
		return ai.Proposed{}, errors.Join(err, cancelErr)
	}
	store.CrashPoint("action.proposed.recorded")
	return proposed(a, false), nil
}

// permissions checks the permissions that a model names against the tool, in both
// directions.
func (s *Service) permissions(p ai.Proposal) error {
	if p.Permits == nil {
		return nil
	}
	var known []string
	if s.o.Permissions != nil {
		known = s.o.Permissions()
	}
	refuse := func(code fault.Code, format string, args ...any) error {
		return fault.New(code, format, args...).Hintf("%s needs exactly %s", p.Tool.Name, p.Tool.Permission).WithSent(fault.SentNo)
	}
	for i, named := range p.Permits {
		switch {
		case named == p.Tool.Permission && slices.Index(p.Permits, named) < i:
			return refuse(fault.PermissionExcess, "permission %s is named twice", named)
		case named == p.Tool.Permission:
		case !slices.Contains(known, named):
			return refuse(fault.PermissionUnknown, "there is no permission %q", Cut(named, 60))
		case !slices.Contains(p.Permits, p.Tool.Permission):
			return refuse(fault.PermissionWrong, "permission %s does not belong to %s", named, p.Tool.Name)
		default:
			return refuse(fault.PermissionExcess, "%s does not need permission %s", p.Tool.Name, named)
		}
	}
	if !slices.Contains(p.Permits, p.Tool.Permission) {
		return refuse(fault.PermissionMissing, "%s needs a permission that is not named", p.Tool.Name)
	}
	return nil
}

// limits checks the limits that a model sets itself against what would be spent.
func limits(named, spends []ai.Amount) error {
	refuse := func(format string, args ...any) error {
		return fault.New(fault.LimitInvalid, format, args...).
			Hintf("name each asset that is spent once, in base units, with at least what it costs; or leave the limits out").WithSent(fault.SentNo)
	}
	seen := map[string]units.Wei{}
	for _, l := range named {
		w, err := units.ParseBase(l.Base)
		if err != nil {
			return refuse("the limit of %q is no number of base units", Cut(l.Asset, 40))
		}
		if _, twice := seen[l.Asset]; twice {
			return refuse("%q has two limits", Cut(l.Asset, 40))
		}
		if w.IsZero() {
			return refuse("the limit of %q is 0", Cut(l.Asset, 40))
		}
		if !slices.Contains(assets(spends), l.Asset) {
			return refuse("nothing of %q is spent here", Cut(l.Asset, 40))
		}
		seen[l.Asset] = w
	}
	total, err := totals(spends)
	if err != nil {
		return err
	}
	for asset, l := range seen {
		if l.Cmp(total[asset]) < 0 {
			return refuse("the limit of %q is less than the action costs", asset)
		}
	}
	return nil
}

// totals adds up what leaves the account, by asset.
func totals(spends []ai.Amount) (map[string]units.Wei, error) {
	out := map[string]units.Wei{}
	for _, sp := range spends {
		w, err := units.ParseBase(sp.Base)
		if err == nil {
			w, err = out[sp.Asset].Add(w)
		}
		if err != nil {
			return nil, fault.Wrap(err, fault.Internal, "an amount of the preview can't be read").WithSent(fault.SentNo)
		}
		out[sp.Asset] = w
	}
	return out, nil
}
