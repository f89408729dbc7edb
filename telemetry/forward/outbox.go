package forward

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Options say where an outbox sends to, and as whom.
type Options struct {
	URL            string // base of a serve; "" sends nothing
	AgentID, Token string // "" for either: the events wait
	// Insecure lets the token go over http to another machine.
	Insecure bool
	// RemoteOnly: the log is a spool, and what was taken is removed from it.
	RemoteOnly bool
	// BeforeRemoval is asked before that is done; an error keeps it. The default allows it.
	BeforeRemoval func(ctx context.Context) error
	// Redactor looks over lines that other programs wrote. The default knows no secret,
	// only the names of sensitive fields.
	Redactor  *telemetry.Redactor
	Transport http.RoundTripper
	Now       func() time.Time
	// Jitter returns a random duration of less than d. The default returns d.
	Jitter  func(d time.Duration) time.Duration
	Version string
}

// Outbox forwards the events of one log. It is safe for concurrent use, beside
// those of other processes.
type Outbox struct {
	log    *telemetry.Log
	dir    string
	opt    Options
	target string
	client *http.Client
	plain  atomic.Bool // gzip was refused where plain was not
	waits  waiting
}

// New returns the outbox of log. It touches nothing yet.
func New(log *telemetry.Log, opt Options) *Outbox {
	if opt.Redactor == nil {
		opt.Redactor = telemetry.NewRedactor()
	}
	if opt.BeforeRemoval == nil {
		opt.BeforeRemoval = func(context.Context) error { return nil }
	}
	if opt.Jitter == nil {
		opt.Jitter = func(d time.Duration) time.Duration { return d }
	}
	// Not the token itself, nor what it could be guessed by: it is 256 random bits.
	sum := sha256.Sum256([]byte(strings.Join([]string{opt.URL, opt.AgentID, opt.Token}, "\x00")))
	return &Outbox{log: log, dir: log.Dir(), opt: opt, target: hex.EncodeToString(sum[:6]),
		client: &http.Client{Transport: opt.Transport,
			// A redirect would carry the token to wherever it says.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// agentForm is what receivers let agents be called.
var agentForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{1,63}$`)

// registrable reports whether a receiver can know an agent by that id.
func registrable(id string) bool {
	return id != telemetry.DefaultAgentID && id != "operator" && agentForm.MatchString(id)
}

// CheckURL reports, as a usage error, why nothing can be sent to a URL.
func CheckURL(raw string, insecure bool) error {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || strings.ContainsAny(raw, "?#") {
		return fault.New(fault.Usage, "APE_CLAW_TELEMETRY_URL is not the http or https URL of a server, without user, query and fragment").
			Hintf("export APE_CLAW_TELEMETRY_URL=https://HOST")
	}
	if u.Scheme == "http" && !insecure && !loopback(u.Hostname()) {
		return fault.New(fault.Usage, "APE_CLAW_TELEMETRY_URL is an http URL of another machine: the agent's token would be readable on the way").
			Hintf("use https://%s, or accept it with APE_CLAW_TELEMETRY_INSECURE=1", u.Host)
	}
	return nil
}

// Missing says what has to be set before anything can be sent, as a fault; nil when
// nothing is missing.
func (o *Outbox) Missing() error {
	const hint = "with an invite of that server: ape-claw clawbot register --agent-id my-agent-1 --invite inv_… --save; with a token: ape-claw auth set --agent-id my-agent-1 --agent-token -"
	switch {
	case o.opt.URL == "":
		return fault.New(fault.Usage, "no remote server is configured").Hintf("export APE_CLAW_TELEMETRY_URL=https://HOST")
	case o.opt.AgentID == "" && o.opt.Token == "":
		return fault.New(fault.Auth, "events wait to be forwarded: no agent's id and token are set").Hintf(hint)
	case o.opt.AgentID == "":
		return fault.New(fault.Auth, "events wait to be forwarded: no agent's id is set").Hintf(hint)
	case o.opt.Token == "":
		return fault.New(fault.Auth, "events wait to be forwarded: agent %s has no token", o.opt.AgentID).
			Hintf("export APE_CLAW_AGENT_TOKEN=…, or ape-claw auth set --agent-token -")
	}
	if !registrable(o.opt.AgentID) {
		return fault.New(fault.Usage, "events wait to be forwarded: %q is no id that a server knows an agent by", shorten(o.opt.AgentID)).
			Hintf("2 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit: my-agent-1")
	}
	return CheckURL(o.opt.URL, o.opt.Insecure)
}

// beginWait bounds how long Begin waits for another process that is making the
// outbox just now.
const beginWait = time.Second

// Begin makes the outbox if there is none yet: it starts at the log's end as it is
// now. Whoever records events with a URL set calls it before the first.
func (o *Outbox) Begin(ctx context.Context) error {
	if o.opt.URL == "" {
		return nil
	}
	if _, err := readState(o.dir); err == nil || !errors.Is(err, errNoState) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, beginWait)
	defer cancel()
	lock, err := store.AcquireLock(ctx, filepath.Join(o.dir, lockName))
	if err != nil {
		return err
	}
	_, err = o.load(ctx)
	return errors.Join(err, lock.Unlock())
}

// Used reports whether events were ever forwarded from the log in dir.
func Used(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, stateName))
	return err == nil
}

// load reads the state, under the lock, and makes it what it has to be before
// anything is sent: there, and this directory's own.
func (o *Outbox) load(ctx context.Context) (*state, error) {
	lock, err := inodeOf(filepath.Join(o.dir, lockName))
	if err != nil {
		return nil, fault.Wrap(err, fault.StateUnusable, "%s is gone", store.Display(filepath.Join(o.dir, lockName)))
	}
	s, err := readState(o.dir)
	switch {
	case errors.Is(err, errNoState):
		tail, err := o.log.Tail(ctx, 1, nil)
		if err != nil {
			return nil, err
		}
		s = &state{V: 1, ID: newID(), Lock: lock, Start: place{tail.End}, Lanes: map[string]*lane{}}
		for _, l := range tail.Lines {
			s.Marks = append(s.Marks, markOf(l.Data, l.At.Pos))
		}
	case err != nil:
		return nil, err
	case s.Lock == lock:
		return s, nil
	default: // a copy, which goes on by itself
		s.ID, s.Lock = newID(), lock
	}
	return s, s.write(o.dir)
}

// laneOf returns an agent's lane, a new one where it has none. It is nil when there
// are as many as may be and events wait in each. That of keep stays in any case.
func (s *state) laneOf(agent string, from place, keep string) *lane {
	if l := s.Lanes[agent]; l != nil {
		return l
	}
	if len(s.Lanes) >= maxLanes && !s.dropLane(keep) {
		return nil
	}
	l := &lane{Cursor: from, Marks: slices.Clone(s.Marks)}
	s.Lanes[agent] = l
	return l
}

// dropLane forgets the lane of an agent of which nothing waits, and that has not sent
// for longest. When it comes back it begins at Start: what it sends again the receiver
// knows by its id.
func (s *state) dropLane(keep string) bool {
	oldest := ""
	for name, l := range s.Lanes {
		if name == keep || l.Cursor.Log != s.Start.Log || l.Cursor.Pos < s.Start.Pos {
			continue
		}
		if o := s.Lanes[oldest]; o == nil || l.LastSuccess.Before(o.LastSuccess) || l.LastSuccess.Equal(o.LastSuccess) && name < oldest {
			oldest = name
		}
	}
	if oldest == "" {
		return false
	}
	s.Sent += s.Lanes[oldest].Sent
	delete(s.Lanes, oldest)
	return true
}

// owner is the agent under whose credentials a line is to be sent; false when it is
// not to be sent at all.
func (s *state) owner(me string, line []byte) (agent string, ok bool) {
	origin, ok := telemetry.OriginOf(line)
	switch {
	case !ok || origin.Ingested:
		return "", false
	case registrable(origin.AgentID):
		return origin.AgentID, true
	case s.Keeper == "":
		return me, true
	}
	return s.Keeper, true
}

// pausedUntil is the time before which nothing is tried; zero for none. A time that is
// further than any pause is a clock that went back, or a stranger's file.
func (o *Outbox) pausedUntil(l *lane, now time.Time) time.Time {
	if l.Target != o.target || !l.OpenUntil.After(now) || l.OpenUntil.After(now.Add(maxPause)) {
		return time.Time{}
	}
	return l.OpenUntil
}
