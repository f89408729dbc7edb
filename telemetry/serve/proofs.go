package serve

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/agents"
)

// maxProofs bounds how many proofs are remembered.
const maxProofs = 4096

// proofs remembers for a moment who proved to be whom, since an agent that sends
// many events proves it with each request. It forgets all of it when the agents
// changed, which it asks as often as open streams do: so a revoked token ends as fast.
type proofs struct {
	mu      sync.Mutex // guards what follows
	known   map[[sha256.Size]byte]knownProof
	changes int64
	asked   time.Time
}

type knownProof struct {
	proof agents.Proof
	at    time.Time
}

// verifyToken is Options.Auth's Verify.
func (s *Server) verifyToken(ctx context.Context, id, token string) (agents.Proof, error) {
	p, now := &s.proofs, s.opt.Now()
	key := sha256.Sum256([]byte(id + "\x00" + token))
	p.mu.Lock()
	fresh := p.refresh(ctx, s.opt.Auth, now)
	known, ok := p.known[key]
	seen := p.changes
	p.mu.Unlock()
	if age := now.Sub(known.at); ok && fresh && age >= 0 && age < leaseFull {
		return known.proof, nil
	}
	proof, err := s.opt.Auth.Verify(ctx, id, token)
	if err != nil || !fresh || proof.Key != "" { // the proofs of others than a Registry may end unseen
		return proof, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changes == seen {
		if len(p.known) >= maxProofs {
			clear(p.known)
		}
		p.known[key] = knownProof{proof, now}
	}
	return proof, nil
}

// refresh forgets everything when the agents may have changed. It is false when that
// can't be found out.
func (p *proofs) refresh(ctx context.Context, auth Authenticator, now time.Time) bool {
	if age := now.Sub(p.asked); p.known != nil && age >= 0 && age < leaseCheck {
		return true
	}
	changes, err := auth.Changes(ctx)
	if err != nil {
		p.known = nil
		return false
	}
	if p.known == nil || changes != p.changes {
		p.known = map[[sha256.Size]byte]knownProof{}
	}
	p.changes, p.asked = changes, now
	return true
}
