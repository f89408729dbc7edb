package telemetry

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Version is the envelope's schema version. It rises only when the meaning of
// a field changes; readers ignore fields they don't know.
const Version = 1

// MaxLine is the longest line of the log, its newline included. Longer lines,
// which only foreign writers can produce, are counted and skipped.
const MaxLine = 1 << 20

// DefaultChainID is filled in for ingested or imported envelopes that name no
// chain: ApeChain, the default of the published schema.
const DefaultChainID = 33139

// Defaults of the published schema for a run that names no agent or session.
const (
	DefaultAgentID   = "local-cli"
	DefaultSessionID = "local-session"
)

// maxID bounds agent, session and trace ids and the event type, maxCommand the
// command words, so that the envelope itself always fits a line.
const (
	maxID      = 128
	maxCommand = 256
	maxError   = 8 << 10
)

// Event is the envelope of one event, in the published order of fields.
type Event struct {
	V         int             `json:"v"`
	TS        string          `json:"ts"` // UTC, milliseconds, Z
	EventType string          `json:"eventType"`
	AgentID   string          `json:"agentId"`
	SessionID string          `json:"sessionId"`
	TraceID   string          `json:"traceId"`
	Command   string          `json:"command"`
	DryRun    bool            `json:"dryRun"`
	ChainID   int64           `json:"chainId"`
	Payload   json.RawMessage `json:"payload"`
	Result    json.RawMessage `json:"result"`
	OK        bool            `json:"ok"`
	Error     *string         `json:"error"` // null when OK
	Source    string          `json:"source,omitempty"`
	EventID   string          `json:"eventId,omitempty"` // set on events forwarded between machines
}

// Scope is what all events of one command run have in common.
type Scope struct {
	AgentID   string // "" means DefaultAgentID
	SessionID string // "" means DefaultSessionID
	TraceID   string // "" lets NewRecorder make one
	Command   string // as published: "ape-claw nft buy"
	Source    string // "cli", "mcp", …; left out when ""
	ChainID   int64  // the chain of the active profile
}

// Draft is what an operation says happened. Payload and Result are marshalled
// and must become JSON objects; nil means {}.
type Draft struct {
	Type    string // a name of the catalogue
	DryRun  bool
	ChainID int64 // 0: the scope's
	Payload any
	Result  any
	Err     string // "" records ok:true and error:null
	Money   bool   // make the record durable before Record returns
}

// CheckID reports, as a usage error, why value can't be an agent, session or
// trace id: it is too long, not UTF-8, or has control characters, which would
// break a line of the log or a field of an SSE frame.
func CheckID(name, value string) error { return checkText(name, value, maxID) }

// Validate reports the first id of s that can't stand in an envelope.
func (s Scope) Validate() error {
	for _, f := range []struct {
		name, value string
		max         int
	}{
		{"agent id", s.AgentID, maxID}, {"session id", s.SessionID, maxID}, {"trace id", s.TraceID, maxID},
		{"command", s.Command, maxCommand}, {"source", s.Source, maxID},
	} {
		if err := checkText(f.name, f.value, f.max); err != nil {
			return err
		}
	}
	return nil
}

func checkText(name, value string, limit int) error {
	if len(value) > limit {
		return tooLong(name, value, limit)
	}
	const hint = "a good one is a short text on one line, such as my-run-1"
	if !utf8.ValidString(value) {
		return fault.New(fault.Usage, "%s %q is not UTF-8", name, value).Hintf(hint)
	}
	for _, r := range value {
		if isControl(r) {
			return fault.New(fault.Usage, "%s %q has a control character", name, value).Hintf(hint)
		}
	}
	return nil
}

// tooLong does not repeat what is too long.
func tooLong(name, value string, limit int) error {
	return fault.New(fault.Usage, "%s of %d bytes: at most %d are allowed", name, len(value), limit).Hintf("shorten it")
}

// isControl covers C0, DEL, C1 and the two separators that some readers treat
// as the end of a line.
func isControl(r rune) bool {
	return r < 0x20 || (r >= 0x7f && r < 0xa0) || r == '\u2028' || r == '\u2029'
}

// CheckType reports, as a usage error, why name can't be an event type:
// lower-case words of letters, digits, "_" and "-", joined by dots.
func CheckType(name string) error {
	if len(name) > maxID {
		return tooLong("event type", name, maxID)
	}
	word := false
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', word && (c == '_' || c == '-'):
			word = true
		case c == '.' && word:
			word = false
		default:
			return badType(name)
		}
	}
	if !word {
		return badType(name)
	}
	return nil
}

func badType(name string) error {
	return fault.New(fault.Usage, "event type %q is not lower-case words joined by dots", name).
		Hintf("a good one looks like nft.buy.confirmed")
}
