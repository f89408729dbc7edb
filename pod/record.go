package pod

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The states of an action.
const (
	ActionRunning     = "running"
	ActionDone        = "done"
	ActionFailed      = "failed"
	ActionStopped     = "stopped"     // the run was told to end while it went on
	ActionInterrupted = "interrupted" // the run was killed while it went on: nobody knows
)

// Record is one action: executions/<id>.json.
type Record struct {
	ID      string `json:"id"`
	Run     string `json:"run"`
	Tick    int    `json:"tick"`
	State   string `json:"state"`
	DryRun  bool   `json:"dryRun"`
	By      string `json:"by"`    // the command's or the connection's name
	About   string `json:"about"` // the task
	Began   string `json:"began"`
	Ended   string `json:"ended,omitempty"`
	TraceID string `json:"traceId,omitempty"`
	Text    string `json:"text,omitempty"` // what the step said
	Error   string `json:"error,omitempty"`

	Done  []string `json:"done,omitempty"`
	Tasks []string `json:"tasks,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// newActionID is an id that sorts by time.
func newActionID(now time.Time) string {
	return store.NewID("act_" + now.UTC().Format("20060102T150405Z") + "_")
}

var recordName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^act_[0-9]{8}T[0-9]{6}Z_[a-z0-9]{8,32}\.json$`)
})

func recordPath(id string) string { return path.Join(dirExecutions, id+".json") }

// recordNames are the file names of records, oldest first.
func (w *Workspace) recordNames() ([]string, error) {
	if err := w.checkDirs(path.Join(dirExecutions, "x")); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	d, err := w.root.Open(dirExecutions)
	if err != nil {
		return nil, w.unusable(err, dirExecutions)
	}
	defer d.Close() //nolint:errcheck // read only
	all, err := d.Readdirnames(-1)
	if err != nil {
		return nil, w.unusable(err, dirExecutions)
	}
	names := slices.DeleteFunc(all, func(n string) bool { return !recordName().MatchString(n) })
	slices.Sort(names)
	return names, nil
}

// record reads one. Its words are cleaned: anybody may have written them.
func (w *Workspace) record(name string) (Record, error) {
	var r Record
	b, err := w.read(path.Join(dirExecutions, name))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(b, &r); err != nil || r.ID+".json" != name {
		return r, fault.New(fault.StateUnusable, "%s is no record of an action", w.shown(path.Join(dirExecutions, name)))
	}
	for _, s := range []*string{&r.Run, &r.State, &r.By, &r.About, &r.Began, &r.Ended, &r.TraceID, &r.Error} {
		*s = fault.Excerpt(*s, mostText)
	}
	r.Text = fault.Excerpt(r.Text, mostSaid)
	r.Done, r.Tasks, r.Notes = cleaned(r.Done), cleaned(r.Tasks), cleaned(r.Notes)
	return r, nil
}

func (w *Workspace) save(r Record) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return w.replace(recordPath(r.ID), append(b, '\n'))
}

// settle writes what follows from an action that is over: its line in the journal of
// the day, its notes, and the list of tasks. Each can be made again: after a crash in
// between, the next run does.
func (w *Workspace) settle(r Record) error {
	day := dayOf(r)
	line, err := json.Marshal(struct {
		TS string `json:"ts"`
		Record
	}{r.Ended, r})
	if err != nil {
		return err
	}
	if err := w.addOnce(path.Join(dirJournal, day+".jsonl"), r.ID, append(line, '\n')); err != nil {
		return err
	}
	store.CrashPoint("pod.journaled")
	if len(r.Notes) > 0 {
		var b strings.Builder
		for _, n := range r.Notes {
			b.WriteString("- " + n + " (" + r.ID + ")\n")
		}
		if err := w.addOnce(path.Join(dirMemory, day+".md"), r.ID, []byte(b.String())); err != nil {
			return err
		}
		store.CrashPoint("pod.noted")
	}
	return w.changeTasks(change{end: r.ID, done: r.Done, add: r.Tasks})
}

// addOnce appends lines unless the end of the file names the id already.
func (w *Workspace) addOnce(name, id string, lines []byte) error {
	b, err := w.tail(name, mostFile)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(b)) {
		if strings.HasSuffix(line, "\n") && strings.Contains(line, id) { // a torn one says nothing
			return nil
		}
	}
	return w.add(name, lines)
}

// dayOf is the UTC day that an action ended on.
func dayOf(r Record) string {
	if t, err := time.Parse(stampLayout, r.Ended); err == nil {
		return t.Format(time.DateOnly)
	}
	return "undated"
}

// recover finishes what an earlier run left: actions that ended and were not all told
// of, and those that it was killed in. It returns the latter. Their outcome is not
// known, so each becomes a task: to find it out.
func (w *Workspace) recover(now time.Time) ([]Record, error) {
	ids, err := w.left()
	if err != nil {
		return nil, err
	}
	var cut []Record
	for _, id := range ids {
		r, err := w.record(id + ".json")
		if errors.Is(err, fs.ErrNotExist) || err == nil && r.ID == "" {
			err = fault.New(fault.NotFound, "no record")
		}
		if err != nil { // named in the list of tasks, and there is no record that can be read
			r = Record{ID: id, State: ActionRunning, About: "unknown: its record is missing"}
		}
		if r.State == ActionRunning {
			r.State, r.Ended = ActionInterrupted, now.UTC().Format(stampLayout)
			r.Error = "the run was ended in the middle of it"
			r.Tasks = append(r.Tasks, fault.Excerpt("find out what became of "+r.ID+", which was cut off: "+r.About, mostText))
			if err := w.save(r); err != nil {
				return cut, err
			}
			cut = append(cut, r)
			store.CrashPoint("pod.interrupted")
		}
		if err := w.settle(r); err != nil {
			return cut, err
		}
	}
	return cut, nil
}

// looked is how many of the newest records are looked at for one that did not end.
const looked = 20

// left are the actions that are not all settled: those that the list of tasks has as
// being done, and records that say so, should the list have been lost.
func (w *Workspace) left() ([]string, error) {
	tasks, err := w.Tasks()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, t := range tasks {
		if t.State == TaskDoing && t.Action != "" {
			ids = append(ids, t.Action)
		}
	}
	records, err := w.Actions(looked)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if r.State == ActionRunning && !slices.Contains(ids, r.ID) {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return ids, nil
}
