package commands

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/api"
	"github.com/ape-claw/ape-claw/ai/mcp"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// tendEvery is how often serve ends actions whose time is over, and looks what
// became of those whose process is gone.
const tendEvery = 3 * time.Second

// servedAI is the AI part of a server: the API, and what it set going.
type servedAI struct {
	d    *Deps
	ctx  context.Context // of the server
	work sync.WaitGroup  // executions and turns that requests began
}

// newServedAI is the AI part for a server of d. Turns end with ctx; what is executed
// goes on: who serves waits with drain.
func (d *Deps) newServedAI(ctx context.Context) *servedAI { return &servedAI{d: d, ctx: ctx} }

// operatorScope is on whose behalf the API acts.
func operatorScope() ai.Scope { return ai.Scope{AgentID: agents.Operator, Source: "ai"} }

// servedSpec is what runs for a request. serve itself emits no event.
func servedSpec() Spec { return Spec{Name: "serve", Risk: RiskWrite, Permission: "serve:run"} }

// mounts are its routes.
func (s *servedAI) mounts() (map[string]http.Handler, error) {
	tools, err := s.d.mcpHandler(s.ctx)
	if err != nil {
		return nil, err
	}
	return map[string]http.Handler{
		mcp.Path: serve.OwnAuth(unhurried(tools)),
		api.Prefix: serve.Private(api.New(api.Options{
			Caller: func(r *http.Request) api.Caller {
				return api.Caller{ID: serve.AgentID(r), Session: api.Session(serve.Cookie(r))}
			},
			Fail: serve.WriteError,
			Open: s.open,
			Go:   s.run,
			Now:  s.d.host.Now,
		})),
	}, nil
}

// unhurried lifts the server's deadlines: an MCP client's stream lasts as long as
// its session.
func unhurried(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		// A connection without deadlines has none to lift.
		_ = errors.Join(rc.SetReadDeadline(time.Time{}), rc.SetWriteDeadline(time.Time{}))
		next.ServeHTTP(w, r)
	})
}

// open composes what one request works with: configuration, policy and allowlist are
// read anew, the databases and the log are this process's.
func (s *servedAI) open(context.Context) (api.Backend, func(), error) {
	d := s.d.child(servedSpec(), operatorScope())
	p := parts{d}
	return api.Backend{Actions: actionPart{p}, Connections: connectionPart{p}, Operator: operatorPart{p}, Rooms: roomPart{p},
		Switch: killPart{p}, Book: bookPart{p}}, d.close, nil
}

// run does what outlives its request, though not the server: an execution alone does.
func (s *servedAI) run(work func(context.Context)) {
	s.work.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				s.d.logger().Error("work for a request panicked", "panic", v)
			}
		}()
		work(s.ctx)
	})
}

// turnsEnd is what turns take at the most to end with the server.
const turnsEnd = time.Second

// drain waits for what was begun: a purchase is not cut off by the end of a server.
// A second signal ends the process all the same, and then the next one settles it.
func (s *servedAI) drain() {
	done := make(chan struct{})
	go func() { s.work.Wait(); close(done) }()
	late := time.NewTimer(turnsEnd)
	defer late.Stop()
	select {
	case <-done:
		return
	case <-late.C:
	}
	s.d.warn("an approved action is still being executed: this ends with it; once more Ctrl-C ends it at once")
	<-done
}

// tokenPath makes the operator's token, if there is none yet, and says where it is.
// A home that can't be written leaves the server without an operator.
func (s *servedAI) tokenPath(ctx context.Context) string {
	op, err := s.d.aiOperator()
	if err == nil {
		_, err = op.Token(ctx)
	}
	if err != nil {
		s.d.warn("nobody can log in as operator: %s", fault.From(err).Message)
		return ""
	}
	return store.Display(op.TokenPath())
}

// serve runs a server, and looks after the actions meanwhile.
func (s *servedAI) serve(ctx context.Context, run func(context.Context) error) error {
	tending, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { s.tend(tending) })
	err := run(ctx)
	stop()
	wg.Wait()
	return err
}

// tend keeps the actions up to date until ctx ends.
func (s *servedAI) tend(ctx context.Context) {
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	for {
		if err := s.look(ctx); err != nil && ctx.Err() == nil {
			s.d.logger().Warn("keep the actions up to date", "cause", fault.From(err).Message)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look makes no database: where there is none nothing was proposed.
func (s *servedAI) look(ctx context.Context) error {
	d := s.d.child(servedSpec(), operatorScope())
	defer d.close()
	if db, err := d.oldState(ctx); db == nil || err != nil {
		return err
	}
	actions, err := d.aiActions(ctx)
	if err != nil {
		return err
	}
	_, err = actions.Expire(ctx)
	_, again := actions.Reconcile(ctx)
	return errors.Join(err, again)
}

// callers is who may call a server of d.
func (d *Deps) callers() (*api.Callers, error) {
	op, err := d.aiOperator()
	if err != nil {
		return nil, err
	}
	return api.NewCallers(d.registry(), op, func(ctx context.Context) (int64, error) {
		made, err := d.aiThere()
		if err != nil || !made {
			return 0, err
		}
		db, err := d.aiDB(ctx)
		if err != nil {
			return 0, err
		}
		var n int64
		return n, store.DBFault(db.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&n), store.AIFile)
	}), nil
}

// aiThere reports whether this home has an AI database: looking makes none.
func (d *Deps) aiThere() (bool, error) {
	cfg, err := d.Config()
	if err != nil {
		return false, err
	}
	_, err = os.Lstat(filepath.Join(cfg.Home, store.AIFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
