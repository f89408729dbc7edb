package commands

import (
	"context"
	"errors"
)

// DoctorSigner is who would sign. Nothing was opened to find out.
type DoctorSigner struct {
	Source  string `json:"source"` // flag, env, local-auth, sandbox, external or keystore
	Address string `json:"address"`
	Locked  bool   `json:"locked"` // a password is asked for when it signs
}

// errNoSigner marks that there is nothing to sign with, which is no mistake.
var errNoSigner = errors.New("no signer")

// key looks at who would sign, without opening a key.
func (r *checkup) key(ctx context.Context, cfg *Config) {
	r.out.Execution.PrivateKeyProvided = cfg.PrivateKey.Set()
	if cfg.SandboxErr != nil {
		return
	}
	s, err := r.d.chosenSigner(ctx)
	switch {
	case errors.Is(err, errNoSigner):
		r.warn("no private key: nothing can be bought (ape-claw wallet new, or ape-claw auth set --private-key -)")
		r.next("ape-claw wallet new")
		return
	case err != nil:
		if cfg.PrivateKey.Set() {
			r.out.Execution.PrivateKeySource = cfg.PrivateKey.Source
		}
		r.issue("%s", sentence(err))
		return
	}
	r.keyOK = true
	e := &r.out.Execution
	e.PrivateKeyProvided, e.PrivateKeySource, e.Address = true, s.source, s.Address().Hex()
	e.Signer = &DoctorSigner{Source: s.source, Address: e.Address, Locked: s.locked != nil}
	for _, w := range s.warnings {
		r.warn("%s", w)
	}
	switch s.source {
	case FromSandbox, FromExternal:
	case FromKeystore:
		r.warn("an agent that runs as this user can read the policy, and the key where it knows the password: run serve and the key under another account (docs/architecture.md)")
	default:
		r.warn("an agent that runs as this user can read the key and the policy: run serve and the key under another account (docs/architecture.md)")
	}
}
