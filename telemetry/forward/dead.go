package forward

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// maxDead bounds outbox-dead.jsonl, in bytes: when it is full, sending pauses rather
// than lose an event.
const maxDead = 64 << 20

// Letter is an event that the receiver has refused for good.
type Letter struct {
	When    string `json:"when"`
	AgentID string `json:"agentId"`
	EventID string `json:"eventId"`
	Status  int    `json:"status"` // of HTTP
	Code    string `json:"code,omitempty"`
	Reason  string `json:"reason"`
	// Line is the event as it stands in the log. It is a string, since what was wrong
	// with it is not known.
	Line string `json:"line"`
}

// keepEvery is how often Revive writes down what is left.
const keepEvery = time.Second

type letter = Letter

// Summary is what of the event people may want to see: its type and its time.
func (l Letter) Summary() (eventType, ts string) {
	var e struct {
		EventType string `json:"eventType"`
		TS        string `json:"ts"`
	}
	if json.Unmarshal([]byte(l.Line), &e) != nil {
		return "", ""
	}
	return shorten(e.EventType), shorten(e.TS)
}

func (p *pass) letter(it item, status int, r answered) letter {
	reason := p.o.shown(r.Error)
	if reason == "" {
		reason = fmt.Sprintf("it answers %d", status)
	}
	if r.Field != "" {
		reason += " (field " + p.o.shown(r.Field) + ")"
	}
	return letter{When: p.o.opt.Now().UTC().Format(time.RFC3339), AgentID: p.me, EventID: it.id, Status: status,
		Code: p.o.shown(r.Code), Reason: reason, Line: string(p.o.opt.Redactor.Foreign(it.raw))}
}

// bury appends dead letters, durably, each once.
func (o *Outbox) bury(letters []letter) error {
	path := filepath.Join(o.dir, deadName)
	f, err := store.OpenPrivate(path, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	err = buryIn(f, letters)
	if err = errors.Join(err, f.Close()); err != nil {
		return fault.Wrap(err, fault.StateUnusable, "%s can't be written: %s", store.Display(path), shorten(err.Error()))
	}
	return store.SyncDir(o.dir)
}

func buryIn(f *os.File, letters []letter) error {
	had, err := io.ReadAll(io.LimitReader(f, maxDead))
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	if len(had) > 0 && had[len(had)-1] != '\n' {
		buf.WriteByte('\n') // somebody was killed while writing
	}
	known := map[string]bool{}
	for _, l := range lettersIn(had) {
		known[l.EventID] = true
	}
	for _, l := range letters {
		if known[l.EventID] {
			continue // who buried it was killed before that was written down
		}
		b, err := json.Marshal(l)
		if err != nil {
			return err
		}
		buf.Write(append(b, '\n'))
	}
	if len(had)+buf.Len() > maxDead {
		return errors.New("it is full: ape-claw events flush --dead")
	}
	if _, err := f.Write(buf.Bytes()); err != nil {
		return err
	}
	return f.Sync()
}

// Dead returns the dead letters that are kept, oldest first.
func (o *Outbox) Dead() ([]Letter, error) {
	f, err := store.OpenToRead(filepath.Join(o.dir, deadName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read: nothing to lose
	b, err := io.ReadAll(io.LimitReader(f, maxDead))
	if err != nil {
		return nil, err
	}
	return lettersIn(b), nil
}

// lettersIn reads the whole lines of b.
func lettersIn(b []byte) (out []Letter) {
	for line := range bytes.Lines(b) {
		var l Letter
		if json.Unmarshal(line, &l) == nil && l.EventID != "" && l.Line != "" {
			out = append(out, l)
		}
	}
	return out
}

// Revive sends the dead letters of this agent again, one by one, whatever pause there
// is. What is taken leaves the file; what is refused stays, with the newest reason. A
// letter has an id of its own: by its position in the log, which others have
// passed, the receiver would take it for one that it has.
func (o *Outbox) Revive(ctx context.Context) (Result, []Letter, error) {
	var left []Letter
	res, err := o.locked(ctx, func(p *pass) error {
		all, err := o.Dead()
		if err != nil {
			return err
		}
		kept := time.Time{}
		for i, l := range all {
			if l.AgentID != p.me || !isDeadID(l.EventID) {
				left = append(left, l)
				continue
			}
			again, out := p.again(ctx, l)
			if out.failed != "" {
				p.res.Failed, p.res.Status = out.failed, out.status
				left = append(left, all[i:]...)
				break
			}
			if again != nil {
				p.res.Dead++
				left = append(left, *again)
			}
			// Not after each: there may be very many, and one that is sent again is a duplicate.
			if now := o.opt.Now(); now.Sub(kept) >= keepEvery {
				kept = now
				if err := o.keep(append(left[:len(left):len(left)], all[i+1:]...)); err != nil {
					return err
				}
			}
		}
		if len(all) == 0 {
			return nil
		}
		if err := o.keep(left); err != nil {
			return err
		}
		return p.s.write(o.dir)
	})
	if res.Busy {
		left, err = o.Dead()
	}
	return res, left, err
}

// again sends one letter. It returns the letter as it is to be kept; nil when it was
// taken.
func (p *pass) again(ctx context.Context, l Letter) (*Letter, outcome) {
	id := strings.Replace(l.EventID, "/", "-dead-", 1)
	it := item{id: id, raw: []byte(l.Line), line: []byte(l.Line)}
	if origin, ok := telemetry.OriginOf(it.raw); ok && !origin.Ingested && !bytes.ContainsAny(it.raw, "\r\n") {
		it.line = telemetry.WithEventID(p.o.opt.Redactor.Foreign(it.raw), id)
	} else {
		l.Reason = "the line was changed: it is no event of this log"
		return &l, outcome{}
	}
	store.CrashPoint("forward.post")
	out := p.o.post(ctx, []item{it})
	store.CrashPoint("forward.answered")
	if out.failed != "" {
		return nil, out
	}
	switch r := out.results[0]; r.Status {
	case accepted:
		p.res.Sent++
		p.lane.Sent++
	case duplicate:
		p.res.Duplicates++
		p.lane.Sent++
	default:
		kept := p.letter(it, out.status, r)
		kept.EventID = l.EventID
		return &kept, out
	}
	return nil, out
}

// isDeadID reports whether an id is one that this program gives.
func isDeadID(id string) bool {
	outbox, seq, ok := strings.Cut(id, "/")
	return ok && isOutboxID(outbox) && seq != "" && len(seq) < 20 && strings.Trim(seq, "0123456789") == ""
}

// keep replaces the dead letters.
func (o *Outbox) keep(letters []Letter) error {
	var buf bytes.Buffer
	for _, l := range letters {
		b, err := json.Marshal(l)
		if err != nil {
			return err
		}
		buf.Write(append(b, '\n'))
	}
	return store.WriteFile(filepath.Join(o.dir, deadName), buf.Bytes())
}
