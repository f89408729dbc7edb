package commands

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// remote reads a server's stream; without --follow, its backlog.
func (t *tailer) remote(ctx context.Context) error {
	opt := serve.TailOptions{URL: t.in.URL, After: t.in.After, Backlog: t.in.Lines, Types: t.in.Type, AgentID: t.in.Agent,
		TraceID: t.in.Trace, OK: okFlag(t.in.OK), Transport: t.d.transport()}
	if t.in.Remote {
		var err error
		if opt.URL, opt.Credentials, err = t.d.remoteTarget(); err != nil {
			return err
		}
	}
	if t.in.Follow {
		return t.remoteFault(t.remoteFollow(ctx, opt))
	}
	end, err := serve.Backlog(ctx, opt, func(line []byte) error { return t.show(line, "") })
	if errors.Is(err, errFull) {
		return fault.New(fault.Usage, "the events are more than the %d MiB of one document", queryBytes>>20).
			Hintf("--follow prints them one by one, and fewer --lines ask for less")
	}
	if err != nil {
		return t.remoteFault(err)
	}
	if end.Truncated {
		t.out.Truncated = true
		t.d.warn("older events were left out: they are too large for one answer, or too far back for one search; --after 0-0 reads on from the oldest")
	}
	t.out.Cursor = end.Cursor.String()
	return nil
}

func (t *tailer) remoteFollow(ctx context.Context, opt serve.TailOptions) error {
	opt.Notice = func(n serve.Notice) {
		if !n.Connected {
			t.d.warn("the connection was lost: trying again")
		}
	}
	return serve.Tail(ctx, opt, func(f serve.Frame) error {
		if f.Reset != nil {
			t.reset(f.Reset)
			return nil
		}
		return t.show(f.Data, f.ID)
	})
}

// reset tells that what comes next does not follow on what was shown. As in
// replaced, the cursor makes each a sentence of its own, which is told once.
func (t *tailer) reset(r *serve.Reset) {
	if r.Reason == telemetry.ResetGone {
		t.d.warn("events after %s were removed on the server before they could be read: going on at the oldest", clean(r.From))
		return
	}
	t.d.warn("the server's log was cut or replaced after %s: events may be missing or come again", clean(r.From))
}

// remoteFault gives a refusal the words of this command: the server's are for
// whoever speaks HTTP.
func (t *tailer) remoteFault(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.Auth {
		return err
	}
	own := *f // the server's sentence stays
	if t.in.Remote {
		return own.Hintf("check APE_CLAW_AGENT_ID and APE_CLAW_AGENT_TOKEN, or ape-claw auth set; the server may have revoked the agent")
	}
	return own.Hintf("set APE_CLAW_TELEMETRY_URL to this server and use --remote: it sends the agent's credentials")
}

// remoteTarget is the configured server and who asks it.
func (d *Deps) remoteTarget() (string, serve.Credentials, error) {
	none := serve.Credentials{}
	cfg, err := d.Config()
	if err != nil {
		return "", none, err
	}
	target := cfg.TelemetryURL.Value
	if target == "" {
		return "", none, fault.New(fault.Usage, "no remote server is configured").
			Hintf("export APE_CLAW_TELEMETRY_URL=https://HOST, or name one with --url")
	}
	u, err := url.Parse(target)
	if err != nil { // checked with the configuration
		return "", none, fault.Wrap(err, fault.Usage, "APE_CLAW_TELEMETRY_URL is not an http or https URL")
	}
	local := loopback(u.Hostname())
	switch {
	case !cfg.AgentToken.Set() && local:
		return target, none, nil // a server on this machine asks nobody
	case !cfg.AgentToken.Set() || cfg.Agent.Source == FromDefault:
		return "", none, fault.New(fault.Auth, "the remote server asks who reads, and no agent's id and token are set").
			Hintf("export APE_CLAW_AGENT_ID=my-agent-1 APE_CLAW_AGENT_TOKEN=…, or ape-claw auth set --agent-id my-agent-1 --agent-token …")
	case u.Scheme == "http" && !local:
		d.warn("the agent's token goes to %s over http, where others can read it: use https", u.Host)
	}
	return target, serve.Credentials{AgentID: cfg.Agent.Value, Token: cfg.AgentToken.Reveal()}, nil
}

// loopback reports whether host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}
