package pod

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Stepper does one step of an agent's work: a command, or a model.
type Stepper interface {
	// Name is who acts, for records.
	Name() string
	// Step works on what in says, until ctx ends, and returns what the agent said. An
	// error is a step that failed.
	Step(ctx context.Context, in Context) (Step, error)
}

// Step is what an agent said. Lines that begin with DONE, TASK or NOTE are kept.
type Step struct {
	Text    string
	TraceID string // of the events that it caused, where it is known
}

// Context is what a step begins with.
type Context struct {
	Action  string // its id
	Tick    int
	DryRun  bool
	Now     time.Time
	About   string   // the first open task
	CutOff  []Record // actions that an earlier run was killed in, in the first tick after it
	Failing int      // steps that failed in a row before
	Parts   []Part
}

// Part is a file of the workspace, as an agent is shown it.
type Part struct {
	Name string
	Text string
	Cut  bool // there is more of it
}

const (
	// mostSaid bounds what is kept of a step's words.
	mostSaid = 4000
	// mostLines bounds the lines of each kind that one step may leave.
	mostLines = 20
)

// order is how an agent that begins with nothing is brought back: what it was at, who
// it is, whom it works for, what happened today and yesterday; then the rest. Each has
// its most bytes: together they are a message that a model takes.
func order(now time.Time) []Part {
	day := func(at time.Time) string { return at.UTC().Format(time.DateOnly) }
	today, yesterday := day(now), day(now.AddDate(0, 0, -1))
	return []Part{
		{Name: fileTasks}, {Name: "SOUL.md"}, {Name: "USER.md"},
		{Name: path.Join(dirMemory, today+".md")}, {Name: path.Join(dirJournal, today+".jsonl")},
		{Name: path.Join(dirMemory, yesterday+".md")}, {Name: path.Join(dirJournal, yesterday+".jsonl")},
		{Name: fileAgents}, {Name: "IDENTITY.md"}, {Name: "TOOLS.md"}, {Name: "HEARTBEAT.md"}, {Name: "MEMORY.md"}, {Name: "memory/lessons.md"},
	}
}

// mostPart is how much of each file is shown, in bytes.
func mostPart(name string) int {
	switch {
	case name == fileTasks, name == fileAgents:
		return 2000
	case strings.HasPrefix(name, dirJournal):
		return 800
	}
	return 900
}

// parts reads what an agent is shown. Of a log the end counts, of the rest the
// beginning. A file that is missing or can't be used is left out, except the list of
// tasks.
func (w *Workspace) parts(now time.Time) ([]Part, error) {
	var out []Part
	for _, p := range order(now) {
		most := mostPart(p.Name)
		isLog := strings.HasPrefix(p.Name, dirJournal) || strings.HasPrefix(path.Base(p.Name), "20")
		var b []byte
		var err error
		if isLog {
			b, err = w.tail(p.Name, int64(most))
			p.Cut = len(b) > 0 && len(b) > most-200
		} else if b, err = w.read(p.Name); len(b) > most {
			b, p.Cut = b[:most], true
		}
		if err != nil && p.Name == fileTasks {
			return nil, err
		}
		if err != nil || len(b) == 0 {
			continue
		}
		p.Text = strings.ToValidUTF8(strings.Map(plain, string(b)), "\uFFFD")
		out = append(out, p)
	}
	return out, nil
}

// plain drops control characters but those of layout.
func plain(r rune) rune {
	if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || r == utf8.RuneError {
		return -1
	}
	return r
}

// Text is the context as one message.
func (c Context) Text() string {
	var b strings.Builder
	mode := "a dry run: nothing may be spent"
	if !c.DryRun {
		mode = "for real, within the policy"
	}
	fmt.Fprintf(&b, "Tick %d, action %s, %s, %s.\n", c.Tick, c.Action, c.Now.UTC().Format(time.RFC3339), mode)
	for _, r := range c.CutOff {
		fmt.Fprintf(&b, "CUT OFF: the run before was killed in action %s (begun %s): %s. Find out what became of it before anything else; do not repeat it.\n", r.ID, r.Began, r.About)
	}
	if c.Failing > 0 {
		fmt.Fprintf(&b, "The last %d steps failed.\n", c.Failing)
	}
	if c.About != "" {
		fmt.Fprintf(&b, "First open task: %s\n", c.About)
	}
	b.WriteString("Do one step. Lines that begin with DONE, TASK or NOTE are kept.\n")
	for _, p := range c.Parts {
		more := ""
		if p.Cut {
			more = " (cut)"
		}
		fmt.Fprintf(&b, "\n=== %s%s ===\n%s\n", p.Name, more, strings.TrimRight(p.Text, "\n"))
	}
	return b.String()
}

// take puts what a step said into its record.
func (r *Record) take(text string) {
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		into := map[string]*[]string{"DONE": &r.Done, "TASK": &r.Tasks, "NOTE": &r.Notes}[strings.TrimSuffix(word, ":")]
		if rest = fault.Excerpt(rest, mostText); into != nil && rest != "" && len(*into) < mostLines {
			*into = append(*into, rest)
		}
	}
	r.Text = fault.Excerpt(text, mostSaid)
}

func cleaned(list []string) []string {
	var out []string
	for _, s := range list[:min(len(list), mostLines+1)] {
		if s = fault.Excerpt(s, mostText); s != "" {
			out = append(out, s)
		}
	}
	return out
}
