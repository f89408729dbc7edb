package model

import (
	"encoding/json"

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

// Say is a script step of words alone.
func Say(text string) Step { return Step{Say: text} }

// Use is a script step of one tool call; args is JSON.
func Use(tool, args string) Step {
	return Step{Call: []Call{{Tool: tool, Args: json.RawMessage(args)}}}
}

// Parse reads a script strictly: an unknown field or fault is a usage fault.
func Parse(b []byte) (Script, error) {
	return Script{}, fault.New(fault.Internal, "sandbox/model: not built yet")
}

// Load reads a script from a file.
func Load(path string) (Script, error) {
	return Script{}, fault.New(fault.Internal, "sandbox/model: not built yet")
}
