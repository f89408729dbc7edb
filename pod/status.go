package pod

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// BeatEvery is the time between two heartbeats of a run.
	BeatEvery = 2 * time.Minute
	// staleAfter is the age from which a heartbeat says that nobody is there any more:
	// two were missed, and some.
	staleAfter = 5 * time.Minute
	// ahead is how far a heartbeat's time may be in the future: clocks differ a little.
	ahead = time.Minute

	fileBeat    = "heartbeat.json"
	mostActions = 20
	stampLayout = "2006-01-02T15:04:05.000Z"
)

// The states of a workspace.
const (
	NotInitialized = "not-initialized"
	Running        = "running"
	Stale          = "stale"
	Stopped        = "stopped"
)

// Beat is a sign of life: heartbeat.json.
type Beat struct {
	At     string `json:"at"`
	Run    string `json:"run,omitempty"` // of pod run; none: a harness of somebody's own
	PID    int    `json:"pid,omitempty"`
	Tick   int    `json:"tick"`
	DryRun bool   `json:"dryRun"`
	Stuck  bool   `json:"stuck"`
	Ended  string `json:"ended,omitempty"` // why the run is over
}

// Beat writes a heartbeat.
func (w *Workspace) Beat(b Beat, now time.Time) error {
	b.At = now.UTC().Format(stampLayout)
	doc, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return w.replace(fileBeat, append(doc, '\n'))
}

// lastBeat is the heartbeat, nil when there is none that can be understood.
func (w *Workspace) lastBeat() (*Beat, time.Time) {
	doc, err := w.read(fileBeat)
	if err != nil || len(doc) == 0 {
		return nil, time.Time{}
	}
	var b Beat
	if json.Unmarshal(doc, &b) != nil {
		return nil, time.Time{}
	}
	at, err := time.Parse(stampLayout, b.At)
	if err != nil {
		return nil, time.Time{}
	}
	b.Ended = fault.Excerpt(b.Ended, mostText)
	return &b, at
}

// Status is how a workspace stands. It has no path: serve shows it.
type Status struct {
	OK             bool     `json:"ok"`
	Status         string   `json:"status"`
	HasAgentsMd    bool     `json:"hasAgentsMd"`
	HasTasks       bool     `json:"hasTasks"`
	Stopped        bool     `json:"stopped"` // a flag is raised
	StopReason     string   `json:"stopReason,omitempty"`
	LastHeartbeat  *string  `json:"lastHeartbeat"`
	HeartbeatAgeMs int64    `json:"heartbeatAgeMs,omitempty"`
	Tick           int      `json:"tick"`
	DryRun         bool     `json:"dryRun"`
	Stuck          bool     `json:"stuck"`
	Ended          string   `json:"ended,omitempty"`
	OpenTasks      int      `json:"openTasks"`
	Actions        []Record `json:"actions"` // the newest first
}

// None is the status of a directory that is no workspace.
func None() Status { return Status{OK: true, Status: NotInitialized, Actions: []Record{}} }

// Status looks at the workspace. What can't be understood in it is left out.
func (w *Workspace) Status(now time.Time) (Status, error) {
	s := None()
	s.HasAgentsMd, s.HasTasks = w.has(fileAgents), w.has(fileTasks)
	if !s.HasAgentsMd && !s.HasTasks {
		return s, nil
	}
	s.Stopped, s.StopReason = w.stopped() != "", w.stopReason()
	tasks, err := w.Tasks()
	if err != nil {
		return s, err
	}
	for _, t := range tasks {
		if t.State == TaskOpen {
			s.OpenTasks++
		}
	}
	if s.Actions, err = w.Actions(mostActions); err != nil {
		return s, err
	}
	beat, at := w.lastBeat()
	s.Status = w.stateAt(beat, at, now)
	if beat != nil {
		s.LastHeartbeat, s.HeartbeatAgeMs = &beat.At, max(0, now.Sub(at).Milliseconds())
		s.Tick, s.DryRun, s.Stuck, s.Ended = beat.Tick, beat.DryRun, beat.Stuck, beat.Ended
	}
	return s, nil
}

func (w *Workspace) stateAt(beat *Beat, at, now time.Time) string {
	switch {
	case beat == nil, beat.Ended != "":
		return Stopped
	case now.Sub(at) > staleAfter, at.Sub(now) > ahead, beat.Run != "" && w.free():
		if w.stopped() != "" {
			return Stopped // it was to stop, and no longer lives
		}
		return Stale
	}
	return Running // also with the flag raised: it is about to end
}

// free reports that no run holds the workspace: the one of the heartbeat was killed.
func (w *Workspace) free() bool {
	if !w.has(fileLock) {
		return false
	}
	l, ok, err := store.TryLock(path.Join(w.dir, fileLock))
	if err != nil || !ok {
		return false // not known
	}
	_ = l.Unlock() // it was held for a moment only
	return true
}

// Actions returns the newest records, the newest first; what can't be understood is
// left out.
func (w *Workspace) Actions(most int) ([]Record, error) {
	out := []Record{}
	names, err := w.recordNames()
	if err != nil {
		return out, err
	}
	// Names tell the second, records the millisecond.
	for _, name := range slices.Backward(names) {
		if len(out) == 3*most {
			break
		}
		if r, err := w.record(name); err == nil {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b Record) int { return strings.Compare(b.Began, a.Began) })
	return out[:min(most, len(out))], nil
}
