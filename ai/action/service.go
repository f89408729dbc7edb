package action

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// New returns a Service.
func New(o Options) *Service {
	if o.Timeout == 0 {
		o.Timeout = 120 * time.Second
	}
	if o.Beat == 0 {
		o.Beat = 2 * time.Second
	}
	return &Service{o: o, owner: store.NewID("proc_")}
}

var errLater = fault.New(fault.Internal, "actions are not kept yet")

// Propose implements ai.Proposer: it previews, checks and stores what a person is
// to decide. The same proposal while it is open gives the same action.
func (s *Service) Propose(ctx context.Context, p ai.Proposal) (ai.Proposed, error) {
	return ai.Proposed{}, errLater
}

// Status implements ai.Proposer.
func (s *Service) Status(ctx context.Context, scope ai.Scope, id string) (any, error) {
	return nil, errLater
}

// Pending implements ai.Proposer.
func (s *Service) Pending(ctx context.Context, scope ai.Scope) (any, error) { return nil, errLater }

// List returns actions, the newest first, after Expire and Reconcile.
func (s *Service) List(ctx context.Context, f Filter) ([]Action, error) { return nil, errLater }

// Show returns one action as it is stored, after Expire and Reconcile.
func (s *Service) Show(ctx context.Context, id string) (Action, error) { return Action{}, errLater }

// Challenge computes the facts anew and returns the card to decide by; for a high
// grade with a new challenge, bound to session, which replaces the session's
// earlier one of the action.
func (s *Service) Challenge(ctx context.Context, id, session string) (Card, error) {
	return Card{}, errLater
}

// Approve carries an action out: Begin and the execution that it returns. Its error
// is a refusal; an execution that failed is no error, and in the action's outcome.
// The execution goes on when ctx ends, up to its own limit.
func (s *Service) Approve(ctx context.Context, id string, c Confirmation) (Action, error) {
	a, run, err := s.Begin(ctx, id, c)
	if err != nil {
		return a, err
	}
	return run(ctx)
}

// Begin makes an action executing, once every check and confirmation is passed, and
// returns what executes it: exactly one caller of all processes gets that far. It is
// for whoever has to answer before the execution ends; run must be called.
func (s *Service) Begin(ctx context.Context, id string, c Confirmation) (Action, func(context.Context) (Action, error), error) {
	return Action{}, nil, errLater
}

// Reject refuses an action. The model is not called: it sees the reason in its next
// turn.
func (s *Service) Reject(ctx context.Context, id, resolver, reason string) (Action, error) {
	return Action{}, errLater
}

// CancelAll cancels everything that is open, for the kill switch, and says how many.
func (s *Service) CancelAll(ctx context.Context, by, reason string) (int, error) { return 0, errLater }

// CancelRoom cancels what is open of a conversation that ends.
func (s *Service) CancelRoom(ctx context.Context, roomID, by, reason string) (int, error) {
	return 0, errLater
}

// Expire ends what was open for too long, and says how many.
func (s *Service) Expire(ctx context.Context) (int, error) { return 0, errLater }

// Reconcile ends executions whose process is gone, and looks into the log for what
// became of those with an unknown outcome. It says how many it changed.
func (s *Service) Reconcile(ctx context.Context) (int, error) { return 0, errLater }

// Unreported are the ended actions of a conversation that its model was not told of,
// the oldest first.
func (s *Service) Unreported(ctx context.Context, roomID string) ([]Action, error) {
	return nil, errLater
}

// MarkReported claims to tell the model of an action's end: true for one caller only.
func (s *Service) MarkReported(ctx context.Context, id string) (bool, error) { return false, errLater }

// Told is an action's end as its model may see it: a tool result, fenced as data.
func (s *Service) Told(a Action) any { return nil }

// Permit is what an approval allowed.
type Permit struct {
	ID          string            `json:"id"`
	ActionID    string            `json:"actionId"`
	Subject     string            `json:"subject"`
	ArgsHash    string            `json:"argsHash"`
	Permission  string            `json:"permission"`
	Identifiers map[string]string `json:"identifiers"`
	Limits      []ai.Amount       `json:"limits"`
	UsesLeft    int               `json:"usesLeft"`
	CreatedAt   time.Time         `json:"createdAt"`
	ExpiresAt   time.Time         `json:"expiresAt"`
	RevokedAt   time.Time         `json:"revokedAt,omitzero"`
}

// Permits returns the permits of an action, or the newest of all for "".
func (s *Service) Permits(ctx context.Context, actionID string) ([]Permit, error) {
	return nil, errLater
}

// AuditRow is one line of the audit.
type AuditRow struct {
	Seq  int64     `json:"seq"`
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`
	Doc  any       `json:"doc"`
	Hash string    `json:"hash"`
}

// Audit returns the newest rows, the oldest of them first, of one action or of all
// for "", and an error when a row of the whole chain was changed or removed.
func (s *Service) Audit(ctx context.Context, actionID string, limit int) ([]AuditRow, error) {
	return nil, errLater
}

// Note adds a row to the audit, for what is no action: connection.*, auth.*,
// settings.*, turn.failed.
func (s *Service) Note(ctx context.Context, kind string, doc any) error { return errLater }
