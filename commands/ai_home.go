package commands

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/connection"
	"github.com/ape-claw/ape-claw/ai/operator"
	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// envAIChild marks what runs as a child of a model: a CLI that a model drives, and
// what that starts.
const envAIChild = "APE_CLAW_AI_CHILD"

// notChild refuses what only a person may do to whatever runs as a model's child.
// An agent can take the variable out of a child's environment: it keeps a model
// from a mistake and from the plain attempt. What holds it is the passphrase, and
// an account of its own.
func (d *Deps) notChild(act string) error {
	if _, is := d.host.Env(envAIChild); !is {
		return nil
	}
	return fault.New(fault.SelfApproval, "what runs as a model's child may not %s", act).
		Hintf("a person does it, in a terminal of their own").WithSent(fault.SentNo)
}

// aiFile is <home>/ai.db once it was opened.
type aiFile struct {
	mu   sync.Mutex
	db   *sql.DB
	file os.FileInfo
}

// aiDB opens <home>/ai.db once, and hands it out for as long as it is the file in
// the home: one that was replaced still answers under its old name in memory, and
// a token that was revoked since would be accepted.
func (d *Deps) aiDB(ctx context.Context) (*sql.DB, error) {
	if d.parent != nil {
		return d.parent.aiDB(ctx)
	}
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	slot := &d.ai
	slot.mu.Lock()
	defer slot.mu.Unlock()
	path := filepath.Join(cfg.Home, store.AIFile)
	is, err := os.Lstat(path)
	if slot.file != nil && (err != nil || !os.SameFile(slot.file, is)) {
		return nil, fault.New(fault.StateUnusable, "%s was replaced while it was open", store.AIFile).
			Hintf("stop this ape-claw and start it again")
	}
	db, err := d.openOnce(&slot.db, func() (*sql.DB, error) { return store.OpenAI(ctx, cfg.Home) })
	if err == nil && slot.file == nil {
		slot.file, err = os.Lstat(path)
	}
	return db, err
}

// aiConnections is the connections of the home.
func (d *Deps) aiConnections() (*connection.Store, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	var own []string
	for _, o := range options() {
		if o.secret {
			own = append(own, o.env, o.alias)
		}
	}
	own = slices.DeleteFunc(own, func(env string) bool { return env == "" })
	return connection.New(connection.Options{DB: d.aiDB, Home: cfg.Home, Env: d.host.Env, Now: d.host.Now, Record: d.Record,
		Dial: func(o provider.Options) (ai.Model, error) {
			o.Transport, o.Now, o.Rand = d.transport(), d.host.Now, rand.Int64N
			return provider.New(o)
		},
		Loaded: d.redactor().Add, Reserved: own,
		Own: func(v string) bool {
			for _, s := range []Secret{cfg.AgentToken, cfg.PrivateKey, cfg.OpenSeaKey, cfg.RelayKey} {
				if s.Set() && s.Reveal() == v {
					return true
				}
			}
			return false
		}}), nil
}

// aiOperator is the person of the home.
func (d *Deps) aiOperator() (*operator.Operator, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	return operator.New(operator.Options{DB: d.aiDB, Home: cfg.Home, Now: d.host.Now}), nil
}

// provePassphrase asks the person at the terminal for the passphrase, after it has
// shown the facts, a line each, and returns an error unless it is given. There is no
// other way in: no flag, variable or pipe, also not under the sandbox profile. made
// is false where there is no passphrase yet: then nothing was asked.
func (d *Deps) provePassphrase(ctx context.Context, act string, facts ...string) (made bool, err error) {
	if err := d.notChild(act); err != nil {
		return false, err
	}
	op, err := d.aiOperator()
	if err != nil {
		return false, err
	}
	if made, err = op.Initialized(ctx); err != nil || !made {
		return false, err
	}
	t, err := d.terminal(act)
	if err != nil {
		e := *fault.From(err)
		e.Code = fault.TTYRequired
		return true, &e
	}
	if err := t.Close(); err != nil {
		return true, fault.Wrap(err, fault.TTYRequired, "the terminal can't be used")
	}
	pass, err := d.atTerminal(ctx, act, facts, "passphrase, to "+act+": ", Terminal.ReadSecret)
	if err != nil {
		return true, err
	}
	d.redactor().Add(pass)
	return true, op.Prove(ctx, pass)
}
