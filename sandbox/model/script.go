package model

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Script is what a model answers; the package comment says how it is written.
type Script struct {
	About     string `json:"about,omitempty"`
	Model     string `json:"model,omitempty"`
	Loop      bool   `json:"loop,omitempty"`
	Otherwise *Step  `json:"otherwise,omitempty"`
	Steps     []Step `json:"steps"`
}

// Step is one answer.
type Step struct {
	When  *When           `json:"when,omitempty"`
	Say   string          `json:"say,omitempty"`
	Call  []Call          `json:"call,omitempty"`
	Obey  bool            `json:"obey,omitempty"`
	Fault Fault           `json:"fault,omitempty"`
	After string          `json:"after,omitempty"` // Retry-After of a status
	Usage json.RawMessage `json:"usage,omitempty"`
}

// Call is one tool call. Args is an object with references, or a string that is
// sent as it stands.
type Call struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
	ID   string          `json:"id,omitempty"`
}

// When says which requests a step is for.
type When struct {
	User   string `json:"user,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Result string `json:"result,omitempty"`
	Last   string `json:"last,omitempty"`
}

// Say is a step of words alone.
func Say(text string) Step { return Step{Say: text} }

// Use is a step of one tool call; args is JSON.
func Use(tool, args string) Step {
	return Step{Call: []Call{{Tool: tool, Args: json.RawMessage(args)}}}
}

// examples are the scripts that come with the program.
//
//go:embed scripts/*.json
var examples embed.FS

// Example returns a script that comes with the program, such as "buy", as it is
// written.
func Example(name string) ([]byte, error) {
	b, err := examples.ReadFile("scripts/" + name + ".json")
	if err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "there is no example script %q", name)
	}
	return b, nil
}

// maxScript is the largest script that is read.
const maxScript = 1 << 20

// Load reads a script from a file.
func Load(path string) (Script, error) {
	f, err := os.Open(path)
	if err != nil {
		return Script{}, fault.Wrap(err, fault.NotFound, "the script %s can't be read", path)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxScript+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return Script{}, fault.Wrap(err, fault.NotFound, "the script %s can't be read", path)
	}
	if len(b) > maxScript {
		return Script{}, fault.New(fault.Usage, "the script %s is larger than %d bytes", path, maxScript)
	}
	return Parse(b)
}

// toolName is what a script may call: also tools that do not exist.
var toolName = regexp.MustCompile(`^[\x20-\x7e]{1,128}$`)

// Parse reads a script strictly: an unknown field or fault is a usage fault.
func Parse(b []byte) (Script, error) {
	var s Script
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Script{}, fault.Wrap(err, fault.Usage, "the script is not written right: %s", strings.TrimPrefix(err.Error(), "json: ")).
			Hintf(`a script looks like {"steps":[{"call":[{"tool":"market_collections","args":{}}]},{"say":"Done."}]}`)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Script{}, fault.New(fault.Usage, "the script has something behind its end")
	}
	if err := s.check(); err != nil {
		return Script{}, err
	}
	return s, nil
}

func (s Script) check() error {
	steps := s.Steps
	if s.Otherwise != nil {
		steps = append(slices.Clone(steps), *s.Otherwise)
	}
	if len(steps) == 0 {
		return fault.New(fault.Usage, "the script has no steps")
	}
	for i, st := range steps {
		bad := func(format string, args ...any) error {
			return fault.New(fault.Usage, "step %d of the script: "+format, append([]any{i + 1}, args...)...)
		}
		switch {
		case st.Fault != "" && !slices.Contains(faults, st.Fault):
			return bad("there is no fault %q", string(st.Fault))
		case st.Say == "" && len(st.Call) == 0 && !st.Obey && st.Fault == "":
			return bad("it neither says, calls, obeys nor fails")
		case st.Obey && len(st.Call) > 0:
			return bad("it can't both obey and call")
		case st.When != nil && st.When.Last != "" && st.When.Last != "user" && st.When.Last != "tool":
			return bad("last is user or tool")
		}
		for _, c := range st.Call {
			if !toolName.MatchString(c.Tool) {
				return bad("a tool needs a name")
			}
			if a := bytes.TrimSpace(c.Args); len(a) > 0 && a[0] != '{' && a[0] != '"' {
				return bad("args of %s are neither an object nor a string", c.Tool)
			}
		}
	}
	return nil
}
