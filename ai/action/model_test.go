package action_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// expected is one action as a model of the state machine has it.
type expected struct {
	id, quote, origin, room string
	state                   action.State
	unknown, dead           bool // dead: its process is gone in the middle
	created, expires        time.Time
	price                   string
	runs                    int
	card                    *action.Confirmation
	cardAt                  time.Time
}

// Whatever order things come in, the states are those of a model that has no
// database, no clock of its own and no second process.
func TestStateMachine(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := &machine{t: t, w: newWorld(t), r: rand.New(rand.NewPCG(seed, 5)), price: "100"}
			m.w.execute = nothing(nil, nil)
			m.services = []*action.Service{m.w.service(t), m.w.service(t)}
			for range 60 {
				m.step()
				m.compare()
				if t.Failed() {
					t.Fatalf("after %q", m.story)
				}
			}
		})
	}
}

type machine struct {
	t        *testing.T
	w        *world
	r        *rand.Rand
	services []*action.Service
	all      []*expected
	price    string
	killed   bool
	story    []string
}

func (m *machine) service() *action.Service { return m.services[m.r.IntN(len(m.services))] }

func (m *machine) tell(format string, args ...any) {
	m.story = append(m.story, fmt.Sprintf(format, args...))
}

func (m *machine) any() *expected {
	if len(m.all) == 0 {
		return nil
	}
	return m.all[m.r.IntN(len(m.all))]
}

// settle is what looking does: what waited too long expires, and what nobody
// executes any more has an unknown outcome.
func (m *machine) settle() {
	now := m.w.clock()
	for _, e := range m.all {
		if e.state == action.Proposed && !now.Before(e.expires) {
			e.state = action.Expired
		}
		if e.state == action.Executing && e.dead && now.Sub(e.cardAt) > 16*time.Second {
			e.state, e.unknown = action.Failed, true
		}
	}
}

func (m *machine) step() {
	m.t.Helper()
	s, e := m.service(), m.any()
	switch n := m.r.IntN(12); {
	case n < 3 || e == nil:
		m.propose(s)
	case n == 3:
		d := []time.Duration{time.Second, 20 * time.Second, 4 * time.Minute}[m.r.IntN(3)]
		m.w.set(func() { m.w.now = m.w.now.Add(d) })
		m.tell("clock +%s", d)
	case n == 4:
		m.price = []string{"100", "101"}[m.r.IntN(2)]
		m.w.set(func() { m.w.preview = m.w.facts(m.price) })
		m.tell("price %s", m.price)
	case n == 5 && m.r.IntN(3) == 0:
		m.killed = !m.killed
		m.w.set(func() {
			if m.w.killed = nil; m.killed {
				m.w.killed = []string{"ai: stop"}
			}
		})
		m.tell("killed %t", m.killed)
	case n <= 6:
		m.settle()
		_, err := s.Reject(m.t.Context(), e.id, "operator", "no")
		m.tell("reject %s: %v", e.quote, err)
		m.want(err, m.pending(e))
		if e.state == action.Proposed {
			e.state = action.Rejected
		}
	case n <= 8:
		m.card(s, e)
	default:
		m.approve(s, e)
	}
}

// pending is the refusal of what is not open, "" for what is.
func (m *machine) pending(e *expected) fault.Code {
	switch e.state {
	case action.Proposed:
		return ""
	case action.Expired:
		return fault.ActionExpired
	}
	return fault.ActionNotPending
}

func (m *machine) want(err error, code fault.Code) {
	m.t.Helper()
	wantCode(m.t, err, code)
}

func (m *machine) propose(s *action.Service) {
	m.settle()
	p := m.w.proposal("nft_buy", fmt.Sprintf("q_%d", m.r.IntN(6)))
	p.Scope.AgentID = []string{"mcp:a", "conn:b"}[m.r.IntN(2)]
	p.RoomID = []string{"room_1", "room_2"}[m.r.IntN(2)]
	p.Claim = ""
	var same *expected
	open, inRoom := 0, 0
	var q struct{ Quote string }
	if err := json.Unmarshal(p.Args, &q); err != nil {
		m.t.Fatal(err)
	}
	for _, e := range m.all {
		if e.state != action.Proposed || e.origin != p.Scope.AgentID {
			continue
		}
		open++
		if e.room == p.RoomID {
			inRoom++
			if e.quote == q.Quote {
				same = e
			}
		}
	}
	got, err := s.Propose(m.t.Context(), p)
	m.tell("propose %s %s %s: %v", p.Scope.AgentID, p.RoomID, q.Quote, err)
	switch {
	case m.killed:
		m.want(err, fault.Killed)
	case same != nil:
		if err != nil || got.ActionID != same.id || !got.Existing {
			m.t.Errorf("%+v, %v; it is open as %s", got, err, same.id)
		}
	case p.Scope.AgentID == "mcp:a" && open >= 3 || inRoom >= 5:
		m.want(err, fault.RateLimited)
	default:
		m.want(err, "")
		m.all = append(m.all, &expected{id: got.ActionID, quote: q.Quote, origin: p.Scope.AgentID, room: p.RoomID, state: action.Proposed, price: m.price,
			created: m.w.clock(), expires: m.w.clock().Add(10 * time.Minute)})
	}
}

// refusal is why an action can't be decided now.
func (m *machine) refusal(e *expected) fault.Code {
	switch {
	case m.killed:
		return fault.Killed
	case m.pending(e) != "":
		return m.pending(e)
	case e.price != m.price:
		return fault.ActionStale
	}
	return ""
}

func (m *machine) card(s *action.Service, e *expected) {
	m.settle()
	card, err := s.Challenge(m.t.Context(), e.id, "session_1")
	m.tell("card %s: %v", e.quote, err)
	want := m.refusal(e)
	if m.want(err, want); want == "" {
		c := confirmation(card, "session_1")
		e.card, e.cardAt = &c, m.w.clock()
	}
}

func (m *machine) approve(s *action.Service, e *expected) {
	m.settle()
	c := action.Confirmation{Proved: true, Session: "session_1"}
	held := e.card != nil && m.w.clock().Sub(e.cardAt) < 5*time.Minute
	if e.card != nil {
		c = *e.card
	}
	good := held && m.r.IntN(4) > 0
	if !good && e.card != nil {
		c.Phrase = "yes"
	}
	dies := m.r.IntN(4) == 0
	_, run, err := s.Begin(m.t.Context(), e.id, c)
	m.tell("approve %s, rightly %t, dies %t: %v", e.quote, good, dies, err)
	want := m.refusal(e)
	if want == "" {
		if e.card = nil; !good {
			want = fault.ConfirmationMismatch
		}
	}
	if m.want(err, want); want != "" || err != nil {
		return
	}
	e.state, e.cardAt = action.Executing, m.w.clock()
	if e.dead = dies; dies {
		return // it never runs, as of a process that was killed
	}
	failing := m.r.IntN(3) == 0
	m.w.set(func() {
		m.w.execute = nothing(nil, nil)
		if failing {
			m.w.execute = nothing(nil, fault.New(fault.TxUnknown, "no receipt").WithSent(fault.SentMaybe))
		}
	})
	e.runs++
	a, err := run(m.t.Context())
	m.want(err, "")
	if e.state = action.Executed; failing {
		e.state, e.unknown = action.Failed, true
	}
	if a.State != e.state {
		m.t.Errorf("it is %s, want %s", a.State, e.state)
	}
}

// compare looks at everything.
func (m *machine) compare() {
	m.t.Helper()
	list, err := m.service().List(m.t.Context(), action.Filter{Limit: 1000})
	if err != nil {
		m.t.Fatal(err)
	}
	m.settle()
	if len(list) != len(m.all) {
		m.t.Errorf("%d actions, want %d", len(list), len(m.all))
	}
	runs := 0
	for _, e := range m.all {
		runs += e.runs
		i := slices.IndexFunc(list, func(a action.Action) bool { return a.ID == e.id })
		if i < 0 {
			m.t.Errorf("%s is gone", e.id)
			continue
		}
		a := list[i]
		unknown := a.Outcome != nil && a.Outcome.Outcome == action.OutcomeUnknown
		if a.State != e.state || unknown != e.unknown {
			m.t.Errorf("%s is %s (unknown %t), want %s (%t)", e.quote, a.State, unknown, e.state, e.unknown)
		}
	}
	if len(m.w.runs) != runs {
		m.t.Errorf("%d executions, want %d", len(m.w.runs), runs)
	}
}

var _ ai.Proposer = (*action.Service)(nil)
