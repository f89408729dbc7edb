package api

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// maxPassphrase is more than anybody types, in bytes.
const maxPassphrase = 1024

// session names the caller's log-in without giving it away; "" without one.
func (q *request) session() string {
	if q.caller.Session == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(q.caller.Session))
	return "http:" + hex.EncodeToString(sum[:16])
}

// stepUp wants a log-in that was given the passphrase within the last ten
// minutes. The operator's token alone is never enough.
func (q *request) stepUp() error {
	if q.back.Operator == nil {
		return fault.New(fault.ReauthRequired, "there is no way to give the passphrase here").Hintf("ape-claw ai auth init")
	}
	made, err := q.back.Operator.Initialized(q.Context())
	if err != nil {
		return err
	}
	if !made {
		return fault.New(fault.ReauthRequired, "there is no passphrase yet, and without one nothing is approved over HTTP").
			Hintf("ape-claw ai auth init")
	}
	if q.caller.Session == "" {
		return fault.New(fault.ReauthRequired, "the operator's token alone is not enough for this").
			Hintf("log in on the page and give the passphrase there, or use a terminal: ape-claw ai actions list")
	}
	until, err := q.back.Operator.Proved(q.Context(), q.caller.Session)
	if err != nil {
		return err
	}
	if !q.api.opt.Now().Before(until) {
		return fault.New(fault.ReauthRequired, "the passphrase was not given in the last ten minutes").
			Hintf("POST /api/ai/auth/reauth with {\"passphrase\":…}; the page asks for it")
	}
	return nil
}

// authOut says how far a caller is trusted.
type authOut struct {
	OK          bool   `json:"ok"`
	Operator    bool   `json:"operator"`
	Initialized bool   `json:"initialized"` // there is a passphrase
	Session     bool   `json:"session"`
	ProvedUntil string `json:"provedUntil,omitempty"`
}

func auth(q *request) (any, error) {
	out := authOut{OK: true, Operator: true, Session: q.caller.Session != ""}
	var err error
	if out.Initialized, err = q.back.Operator.Initialized(q.Context()); err != nil || !out.Session {
		return out, err
	}
	until, err := q.back.Operator.Proved(q.Context(), q.caller.Session)
	if err == nil && q.api.opt.Now().Before(until) {
		out.ProvedUntil = stamp(until)
	}
	return out, err
}

func reauth(q *request) (any, error) {
	var in struct {
		Passphrase string `json:"passphrase"`
	}
	if err := q.decode(&in); err != nil {
		return nil, err
	}
	if in.Passphrase == "" || len(in.Passphrase) > maxPassphrase {
		return nil, fault.New(fault.Usage, "a passphrase is 1 to %d bytes", maxPassphrase)
	}
	if q.caller.Session == "" {
		return nil, fault.New(fault.ReauthRequired, "a passphrase is given to a log-in, and these credentials have none").
			Hintf("log in on the page, or use a terminal: ape-claw ai actions list")
	}
	made, err := q.back.Operator.Initialized(q.Context())
	if err != nil {
		return nil, err
	}
	if !made {
		return nil, fault.New(fault.ReauthRequired, "there is no passphrase yet").Hintf("ape-claw ai auth init")
	}
	if err := q.back.Operator.Prove(q.Context(), q.caller.Session, in.Passphrase); err != nil {
		return nil, err
	}
	return auth(q)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
