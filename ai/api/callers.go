package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync/atomic"

	"github.com/ape-claw/ape-claw/ai/operator"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Callers knows who may call serve: the agents of the state directory, and the
// operator of the home. The operator's log-ins are kept in the home: a state
// directory that somebody else prepared makes nobody the operator.
type Callers struct {
	*agents.Registry
	operator *operator.Operator
	// others counts what other processes wrote to the operator's database; own what
	// went through here.
	others func(ctx context.Context) (int64, error)
	own    atomic.Int64
}

// cookiePrefix begins the operator's cookies; the rest is what the operator package knows.
const cookiePrefix = "op."

// Session is the operator's session of a cookie; "" for any other.
func Session(cookie string) string {
	s, is := strings.CutPrefix(cookie, cookiePrefix)
	if !is {
		return ""
	}
	return s
}

// NewCallers adds the operator to the agents of a Registry. others gives a number
// that differs when another process wrote to the operator's database.
func NewCallers(r *agents.Registry, op *operator.Operator, others func(ctx context.Context) (int64, error)) *Callers {
	return &Callers{Registry: r, operator: op, others: others}
}

// Verify is by operator.token for the operator, else by the agent's token. An agent
// that was registered as "operator" before that was refused does not get in.
func (c *Callers) Verify(ctx context.Context, id, token string) (agents.Proof, error) {
	if id != agents.Operator {
		return c.Registry.Verify(ctx, id, token)
	}
	if err := c.operator.VerifyToken(ctx, token); err != nil {
		return agents.Proof{}, err
	}
	return agents.Proof{AgentID: agents.Operator, Key: tokenKey(token)}, nil
}

// tokenKey names a token.
func tokenKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return "token " + hex.EncodeToString(sum[:])
}

// OpenSession implements serve.Authenticator.
func (c *Callers) OpenSession(ctx context.Context, p agents.Proof) (string, agents.Proof, error) {
	if p.AgentID != agents.Operator {
		return c.Registry.OpenSession(ctx, p)
	}
	defer c.own.Add(1)
	cookie, s, err := c.operator.OpenSession(ctx)
	if err != nil {
		return "", agents.Proof{}, err
	}
	return cookiePrefix + cookie, agents.Proof{AgentID: agents.Operator, Expires: s.Expires, Key: s.ID}, nil
}

// Session implements serve.Authenticator.
func (c *Callers) Session(ctx context.Context, cookie string) (agents.Proof, error) {
	own, is := strings.CutPrefix(cookie, cookiePrefix)
	if !is {
		p, err := c.Registry.Session(ctx, cookie)
		if err == nil && p.AgentID == agents.Operator {
			return agents.Proof{}, agents.Refused()
		}
		return p, err
	}
	s, err := c.operator.Session(ctx, own)
	if err != nil {
		return agents.Proof{}, err
	}
	return agents.Proof{AgentID: agents.Operator, Expires: s.Expires, Key: s.ID}, nil
}

// CloseSession implements serve.Authenticator.
func (c *Callers) CloseSession(ctx context.Context, cookie string) error {
	own, is := strings.CutPrefix(cookie, cookiePrefix)
	if !is {
		return c.Registry.CloseSession(ctx, cookie)
	}
	defer c.own.Add(1)
	return c.operator.CloseSession(ctx, own)
}

// Holds implements serve.Authenticator.
func (c *Callers) Holds(ctx context.Context, p agents.Proof) (bool, error) {
	if p.AgentID != agents.Operator {
		return c.Registry.Holds(ctx, p)
	}
	if strings.HasPrefix(p.Key, "token ") {
		t, err := c.operator.Token(ctx)
		return err == nil && tokenKey(t) == p.Key, err
	}
	_, err := c.operator.SessionByID(ctx, p.Key)
	if fault.CodeOf(err) == fault.Auth {
		return false, nil
	}
	return err == nil, err
}

// Changes implements serve.Authenticator.
func (c *Callers) Changes(ctx context.Context) (int64, error) {
	n, err := c.Registry.Changes(ctx)
	if err != nil {
		return 0, err
	}
	m, err := c.others(ctx)
	return n + m<<48 + c.own.Load()<<16, err
}
