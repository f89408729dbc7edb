package commands

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/forward"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

const (
	// forwardBudget is what forwarding may add to a command, in all.
	forwardBudget = 2 * time.Second
	// forwardAfter is how long a command runs before its events are forwarded while it
	// runs: a chat, a server of tools, a long series of purchases.
	forwardAfter = 3 * time.Second
	// spoolPart is the size of a part of the spool. Parts are removed whole.
	spoolPart = 1 << 20
)

// spoolDir is where events are that are kept only until the remote has them.
func spoolDir(c *Config) string { return filepath.Join(c.StateDir, "outbox") }

func (d *Deps) openLog(dir string, c *Config, rotate int64) *telemetry.Log {
	l := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: rotate, KeepBytes: c.KeepBytes,
		First:  d.beginForwarding,
		Notice: func(sentence string) { d.warn("%s", sentence) }})
	d.onClose(l.Close)
	return l
}

// otherLog is where events would be if remote-only were switched: the spool, or the log
// that stays. It may not be there.
func (d *Deps) otherLog(c *Config) *telemetry.Log {
	if c.RemoteOnly {
		return d.openLog(c.StateDir, c, c.RotateBytes)
	}
	return d.openLog(spoolDir(c), c, spoolPart)
}

// beginForwarding notes where the events begin that are to be forwarded.
func (d *Deps) beginForwarding(ctx context.Context) {
	boxes, err := d.outboxes()
	if err == nil && len(boxes) > 0 {
		err = boxes[0].Begin(ctx)
	}
	if err != nil && ctx.Err() == nil {
		d.warn("events can't be forwarded now: %s", fault.From(err).Message)
	}
}

// outboxes are those of this state directory: the one that events are written to
// now, and, if it was ever used, that of the other way (a log that stays, or a
// spool). There are none without a remote.
func (d *Deps) outboxes() ([]*forward.Outbox, error) {
	if d.parent != nil {
		return d.parent.outboxes()
	}
	c, err := d.Config()
	if err != nil || c.TelemetryURL.Value == "" {
		return nil, err
	}
	own, err := d.journal()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	boxes := d.boxes
	d.mu.Unlock()
	if boxes != nil {
		return boxes, nil
	}
	opt := forward.Options{URL: c.TelemetryURL.Value, Token: c.AgentToken.Reveal(), Insecure: c.TelemetryInsecure, RemoteOnly: c.RemoteOnly,
		Redactor: d.redactor(), Transport: d.transport(), Now: d.host.Now, Version: Version,
		Jitter: func(most time.Duration) time.Duration { return rand.N(most) }}
	if c.Agent.Source != FromDefault {
		opt.AgentID = c.Agent.Value
	}
	opt.BeforeRemoval = d.noteLogged(own)
	boxes = []*forward.Outbox{forward.New(own, opt)}
	if other := d.otherLog(c); forward.Used(other.Dir()) {
		opt.RemoteOnly, opt.BeforeRemoval = !c.RemoteOnly, d.noteLogged(other)
		boxes = append(boxes, forward.New(other, opt))
	}
	d.mu.Lock()
	d.boxes = boxes
	d.mu.Unlock()
	return boxes, nil
}

// noteLogged tells the journal of transactions which of its lines log has. Later it could
// not see that, and would write them again.
func (d *Deps) noteLogged(log *telemetry.Log) func(context.Context) error {
	return func(ctx context.Context) error {
		c, err := d.Config()
		if err != nil {
			return err
		}
		if _, err := os.Lstat(filepath.Join(c.Home, store.MoneyFile)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		db, err := d.moneyDB(ctx)
		if err != nil {
			return err
		}
		return chain.NoteLogged(ctx, db, log)
	}
}

// forwardRest sends what this command has recorded, and what waited, after its
// result was printed. It changes neither the result nor the exit status.
func (d *Deps) forwardRest(ctx context.Context) {
	cfg := d.loaded.Load()
	if cfg == nil || cfg.TelemetryURL.Value == "" || d.spec.Quiet || ctx.Err() != nil {
		return
	}
	if d.spec.Name == "auth set" {
		return // the credentials that this run knows are those of before
	}
	if _, err := os.Stat(cfg.StateDir); err != nil {
		return // nothing was ever recorded here
	}
	boxes, err := d.outboxes()
	if err != nil || len(boxes) == 0 {
		return // told when it was recorded
	}
	if err := boxes[0].Missing(); err != nil {
		d.warnWaiting(err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, forwardBudget)
	defer cancel()
	for _, box := range boxes {
		res, err := box.Flush(ctx, false)
		switch {
		case err != nil && ctx.Err() == nil:
			d.warn("events can't be forwarded now: %s", fault.From(err).Message)
		case res.Failed != "":
			d.warn("events wait to be forwarded to %s: %s", cfg.remoteHost(), res.Failed)
		}
		if res.Dead > 0 {
			d.warn("%s refused %s for good: ape-claw events flush --dead shows why", cfg.remoteHost(), counted(res.Dead, "event"))
		}
		if res.Failed != "" {
			return
		}
	}
}

// warnWaiting says what is missing, and how to give it.
func (d *Deps) warnWaiting(err error) {
	switch d.spec.Name {
	case "doctor", "auth set", "clawbot register": // the one has said so, the others just gave it
	default:
		d.warn("%s", sentence(err))
	}
}

// remoteHost is where events go, in few words.
func (c *Config) remoteHost() string {
	u, err := url.Parse(c.TelemetryURL.Value)
	if err != nil { // it was checked with the configuration
		return "the remote server"
	}
	return u.Host
}

// forwardMeanwhile forwards while a command runs, once it has run for a while; a
// server does at once. The returned function ends that. What only reads the log
// does not: it may run for days beside the program that writes.
func (d *Deps) forwardMeanwhile(ctx context.Context, c Command) (stop func()) {
	if c.Quiet && c.Risk == RiskRead && !c.Protocol || d.parent != nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wait := forwardAfter
	if c.Name == "serve" {
		wait = 0
	}
	wg.Go(func() {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if cfg := d.loaded.Load(); cfg == nil || cfg.TelemetryURL.Value == "" {
			return
		}
		boxes, err := d.outboxes()
		if err != nil {
			return
		}
		for _, box := range boxes {
			wg.Go(func() {
				box.Run(ctx, func(err error) {
					d.logger().Warn("forward", "cause", d.redactor().String(fault.From(err).Message))
				})
			})
		}
		if len(boxes) > 0 && boxes[0].Missing() != nil && wait == 0 {
			d.warnWaiting(boxes[0].Missing())
		}
	})
	return func() { cancel(); wg.Wait() }
}

// forwardStatus is how the forwarding of this state directory stands: both outboxes
// together.
func (d *Deps) forwardStatus(ctx context.Context) (forward.Status, error) {
	boxes, err := d.outboxes()
	if err != nil || len(boxes) == 0 {
		return forward.Status{}, err
	}
	out, err := boxes[0].Status(ctx)
	for _, box := range boxes[1:] {
		more, moreErr := box.Status(ctx)
		if err == nil {
			err = moreErr
		}
		out = out.Plus(more)
	}
	return out, err
}

// forwardMounts is the route that shows how forwarding stands.
func (d *Deps) forwardMounts() map[string]http.Handler {
	return map[string]http.Handler{"GET /api/forwarding": serve.Private(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), viewPatience)
		defer cancel()
		out, err := d.forwardStatus(ctx)
		if err != nil {
			serve.WriteError(w, err)
			return
		}
		serve.WriteJSON(w, out)
	}))}
}

// forwardGauges is the same for /metrics.
func (d *Deps) forwardGauges(ctx context.Context) []serve.Gauge {
	st, err := d.forwardStatus(ctx)
	if err != nil || !st.Configured {
		return nil
	}
	open := int64(0)
	if st.Breaker.Open {
		open = 1
	}
	return []serve.Gauge{
		{Name: "forward_pending_events", Help: "Events that wait to be forwarded.", Value: st.Pending.Events + st.Others.Events},
		{Name: "forward_pending_bytes", Help: "Their bytes in the log.", Value: st.Pending.Bytes + st.Others.Bytes},
		{Name: "forward_sent_events", Help: "Events that the remote server has taken.", Value: st.Sent},
		{Name: "forward_dead_events", Help: "Events that it has refused for good, and that are kept.", Value: st.Dead},
		{Name: "forward_lost_bytes", Help: "Bytes of events that were removed before they could be forwarded.", Value: st.Lost.Bytes},
		{Name: "forward_breaker_open", Help: "1 while forwarding is paused.", Value: open},
		{Name: "forward_failures", Help: "Attempts that failed since the last that did not.", Value: int64(st.Breaker.Failures)},
	}
}

// remoteOnlyNotice tells who reads the local log that this machine's events are not
// in it.
func (d *Deps) remoteOnlyNotice() {
	if cfg, err := d.Config(); err == nil && cfg.RemoteOnly {
		d.warn("APE_CLAW_TELEMETRY_REMOTE_ONLY: the events of this machine are not in the local log (%s); ape-claw events tail --remote reads them on the server", store.Display(cfg.StateDir))
	}
}
