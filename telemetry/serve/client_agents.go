package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// AgentsCall says which server is asked about agents, and with what.
type AgentsCall struct {
	URL         string
	Insecure    bool // what is secret may go over http to another machine
	Credentials Credentials
	Key         string // the server's registration key; empty: none
	Transport   http.RoundTripper
}

// Bounds of a call.
const (
	callTime   = 30 * time.Second
	callAnswer = 1 << 20
)

// Registered is an agent that a server has registered.
type Registered struct{ AgentID, Name, Token string }

// RegisterAgent registers an agent at a server, by an invite if there is one. Of the
// error, Sent says whether the server may have registered it all the same.
func RegisterAgent(ctx context.Context, c AgentsCall, id, name, invite string) (Registered, error) {
	var out struct {
		Registered           bool
		AgentID, Name, Token string
	}
	in := struct {
		AgentID string `json:"agentId"`
		Name    string `json:"name,omitempty"`
		Invite  string `json:"invite,omitempty"`
	}{id, name, invite}
	if err := c.do(ctx, http.MethodPost, "/api/clawbots/register", true, in, &out); err != nil {
		return Registered{}, err
	}
	if !out.Registered || out.AgentID != id || !agents.IsToken(out.Token) {
		return Registered{}, nonsense().WithSent(fault.SentMaybe)
	}
	if !agents.IsName(out.Name) {
		out.Name = id
	}
	return Registered{id, out.Name, out.Token}, nil
}

// CreateInvite makes an invite at a server, whose registration key it needs.
func CreateInvite(ctx context.Context, c AgentsCall, terms agents.InviteTerms) (agents.Invite, string, error) {
	var out struct {
		Invite        string
		ExpiresAt     time.Time
		UsesRemaining int
	}
	in := struct {
		TTLMs int64 `json:"ttlMs"`
		Uses  int   `json:"uses"`
	}{terms.TTL.Milliseconds(), terms.Uses}
	if err := c.do(ctx, http.MethodPost, "/api/invites/create", true, in, &out); err != nil {
		return agents.Invite{}, "", err
	}
	if !agents.IsInvite(out.Invite) || out.UsesRemaining < 1 || out.ExpiresAt.IsZero() {
		return agents.Invite{}, "", nonsense().WithSent(fault.SentMaybe)
	}
	return agents.Invite{UsesLeft: out.UsesRemaining, Expires: out.ExpiresAt}, out.Invite, nil
}

// VerifyAgent asks a server whether the credentials are an agent's.
func VerifyAgent(ctx context.Context, c AgentsCall) (Agent, error) {
	var out struct {
		OK, Verified bool
		Agent        Agent
	}
	if err := c.do(ctx, http.MethodPost, "/api/clawbots/verify", true, nil, &out); err != nil {
		return Agent{}, err
	}
	if !out.OK || !out.Verified || out.Agent.AgentID != c.Credentials.AgentID {
		return Agent{}, nonsense()
	}
	if !agents.IsName(out.Agent.Name) {
		out.Agent.Name = out.Agent.AgentID
	}
	return out.Agent, nil
}

// ListAgents asks a server for its agents. What has not the form of one is left out.
func ListAgents(ctx context.Context, c AgentsCall) ([]Agent, error) {
	var out struct{ Clawbots []Agent }
	if err := c.do(ctx, http.MethodGet, "/api/clawbots", c.Credentials != (Credentials{}), nil, &out); err != nil {
		return nil, err
	}
	if out.Clawbots == nil {
		return nil, nonsense()
	}
	list := []Agent{}
	for _, a := range out.Clawbots {
		if agents.CheckID(a.AgentID) != nil {
			continue
		}
		if !agents.IsName(a.Name) {
			a.Name = a.AgentID
		}
		if at, err := time.Parse(time.RFC3339, a.CreatedAt); err == nil {
			a.CreatedAt = at.UTC().Format(isoTime)
		} else {
			a.CreatedAt = ""
		}
		list = append(list, a)
	}
	return list, nil
}

func nonsense() *fault.Error {
	return fault.New(fault.Upstream, "the server answered what ape-claw serve does not").
		Hintf("check the address: give the one that ape-claw serve printed")
}

// do makes one call and reads its answer into out. It follows no redirect, and waits
// for no more than callTime and callAnswer.
func (c AgentsCall) do(ctx context.Context, method, route string, secret bool, in, out any) error {
	target, err := c.target(route, secret)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	if in == nil {
		body = nil
	}
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return fault.Wrap(err, fault.Usage, "the server's address can't be used")
	}
	req.Header.Set("Content-Type", "application/json")
	if c.Key != "" {
		req.Header.Set("X-Registration-Key", c.Key)
	}
	if c.Credentials != (Credentials{}) {
		req.Header.Set("X-Agent-Id", c.Credentials.AgentID)
		req.Header.Set("X-Agent-Token", c.Credentials.Token)
	}
	client := &http.Client{Transport: c.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return c.noAnswer(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read, or given up
	answer, err := io.ReadAll(io.LimitReader(resp.Body, callAnswer+1))
	switch {
	case resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated:
		return refusedBy(resp, answer)
	case err != nil:
		return fault.Wrap(err, fault.Upstream, "the server's answer broke off").WithSent(fault.SentMaybe)
	case len(answer) > callAnswer || json.Unmarshal(answer, out) != nil:
		return nonsense().WithSent(fault.SentMaybe)
	}
	return nil
}

// target is the address of a route. Over http, what is secret goes to this machine only.
func (c AgentsCall) target(route string, secret bool) (string, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || strings.ContainsAny(c.URL, "?#") {
		return "", fault.New(fault.Usage, "the server's address is not an http or https URL without user, query and fragment").
			Hintf("give the one that ape-claw serve printed, such as http://%s", DefaultAddr)
	}
	if secret && u.Scheme == "http" && !c.Insecure && !loopbackHost(hostOf(u.Host)) {
		return "", fault.New(fault.Usage, "over http to %s, others could read keys, invites and tokens", u.Hostname()).
			Hintf("use https; on a network that you trust, export APE_CLAW_TELEMETRY_INSECURE=1")
	}
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/")+route, ""
	return u.String(), nil
}

// noAnswer says why there was none, and whether the request may have arrived.
func (c AgentsCall) noAnswer(err error) error {
	var (
		dial  *net.OpError
		dns   *net.DNSError
		cert  *tls.CertificateVerificationError
		plain tls.RecordHeaderError
	)
	sent := fault.SentMaybe
	if errors.As(err, &dial) && dial.Op == "dial" || errors.As(err, &dns) || errors.As(err, &cert) || errors.As(err, &plain) {
		sent = fault.SentNo
	}
	f := fault.From(unreachable(c.URL, err))
	f.Message = strings.Replace(f.Message, "no event stream at ", "no answer from ", 1)
	return f.WithSent(sent)
}

// mostQuoted is how much of a server's reason is shown.
const mostQuoted = 200

// refusedBy makes an error of an answer that refuses. Its status decides; what it says
// is quoted, and hints are ours: the server's are for who runs it.
func refusedBy(resp *http.Response, body []byte) error {
	var said errorBody
	ours := json.Unmarshal(body, &said) == nil && said.Error != ""
	reason := ""
	if ours {
		reason = ": " + fault.Excerpt(said.Error, mostQuoted)
	}
	say := func(code fault.Code, hint string) *fault.Error {
		return fault.New(code, "the server answered %d%s", resp.StatusCode, reason).Hintf("%s", hint).WithSent(fault.SentNo)
	}
	switch status := resp.StatusCode; {
	case status >= 300 && status < 400:
		return say(fault.Upstream, "it sends callers elsewhere: give the address that it leads to, if you trust it")
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return say(fault.Auth, "check the invite, the registration key or the agent's credentials, or ask who runs the server for an invite")
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return say(fault.Upstream, "check the address: give the one that ape-claw serve printed")
	case status == http.StatusConflict:
		return say(fault.Conflict, "choose another id")
	case status == http.StatusTooManyRequests:
		return say(fault.Upstream, "try again later")
	case status == http.StatusServiceUnavailable && ours:
		return say(fault.Upstream, "ask who runs the server")
	case status >= 500:
		return say(fault.Upstream, "try again later").WithSent(fault.SentMaybe)
	}
	return say(fault.Usage, "check the agent's id and name")
}
