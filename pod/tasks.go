package pod

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The states of a task.
const (
	TaskOpen  = "open"
	TaskDone  = "done"
	TaskDoing = "doing" // the harness's: what a run is at, or was when it was cut off
)

// Task is one line of memory/active-tasks.md.
type Task struct {
	Text   string `json:"text"`
	State  string `json:"state"`
	Action string `json:"action,omitempty"` // of a doing one
}

const (
	// mostTasks and mostText bound what is taken from the file, and from a step.
	mostTasks = 200
	mostText  = 300
)

var (
	taskLine   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*[-*] \[([ xX~])\] (.*)$`) })
	actionMark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(act_[0-9]{8}T[0-9]{6}Z_[a-z0-9]{8,32}) (.*)$`)
	})
)

func parseTask(line string) (Task, bool) {
	m := taskLine().FindStringSubmatch(strings.TrimRight(line, "\r"))
	if m == nil {
		return Task{}, false
	}
	t := Task{Text: fault.Excerpt(m[2], mostText), State: TaskOpen}
	switch m[1] {
	case "x", "X":
		t.State = TaskDone
	case "~":
		t.State = TaskDoing
		if a := actionMark().FindStringSubmatch(t.Text); a != nil {
			t.Action, t.Text = a[1], a[2]
		}
	}
	return t, t.Text != ""
}

// Tasks returns the tasks of the workspace, in the order of the file.
func (w *Workspace) Tasks() ([]Task, error) {
	b, err := w.read(fileTasks)
	if err != nil {
		return nil, err
	}
	return tasksOf(b), nil
}

func tasksOf(b []byte) []Task {
	var out []Task
	for line := range strings.Lines(string(b)) {
		if t, ok := parseTask(strings.TrimSuffix(line, "\n")); ok {
			out = append(out, t)
			if len(out) == mostTasks {
				break
			}
		}
	}
	return out
}

// firstOpen is what a tick is about: the first open task.
func firstOpen(list []Task) string {
	for _, t := range list {
		if t.State == TaskOpen {
			return t.Text
		}
	}
	return ""
}

// change is what one action does to the list: Begin marks it as what is done now, End
// takes the mark away, Done and Add are what the step said.
type change struct {
	begin, end string // action ids
	about      string // of begin
	done, add  []string
}

// apply returns the file with a change made. Making one twice is as making it once.
func (c change) apply(text string) string {
	var out []string
	has := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		t, ok := parseTask(line)
		switch {
		case ok && t.State == TaskDoing && (t.Action == c.end && c.end != "" || t.Action == c.begin && c.begin != ""):
			continue
		case ok && t.State == TaskOpen && c.finishes(t.Text):
			line = strings.Replace(line, "[ ]", "[x]", 1)
		}
		if ok {
			has[t.Text] = true
		}
		out = append(out, line)
	}
	for _, text := range c.add {
		if !has[text] && len(has) < mostTasks {
			out, has[text] = append(out, "- [ ] "+text), true
		}
	}
	if c.begin != "" {
		out = append(out, "- [~] "+c.begin+" "+c.about)
	}
	return strings.Join(out, "\n") + "\n"
}

// finishes reports whether a step said that the task is done, by its words or their
// beginning.
func (c change) finishes(task string) bool {
	for _, d := range c.done {
		if task == d || len(d) >= 8 && strings.HasPrefix(task, d) {
			return true
		}
	}
	return false
}

func (w *Workspace) changeTasks(c change) error {
	b, err := w.read(fileTasks)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		b = []byte("# Active tasks\n\n")
	}
	text := c.apply(string(b))
	if text == string(b) {
		return nil
	}
	return w.replace(fileTasks, []byte(text))
}
