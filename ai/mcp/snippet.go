package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The clients that Snippet knows.
const (
	ClientClaude  = "claude"
	ClientCodex   = "codex"
	ClientCursor  = "cursor"
	ClientGeneric = "generic"
)

const (
	// EntryName is what the server is called in a client's configuration.
	EntryName = "apeclaw"
	// TokenEnv is the variable that a client over HTTP finds its token in.
	TokenEnv = "APE_CLAW_MCP_TOKEN"
)

// Where says how a client reaches the server: a command to start, or a URL.
type Where struct {
	Command string   // absolute path
	Args    []string // of it
	URL     string   // "" is the command
}

// Snippet is what connects a client. It holds no secret.
type Snippet struct {
	Client   string `json:"client"`
	Format   string `json:"format"`            // json or toml
	File     string `json:"file"`              // where the client looks for it
	Text     string `json:"text"`              // to put there
	Run      string `json:"run,omitempty"`     // does the same as a command
	TokenEnv string `json:"tokenEnv,omitzero"` // what must hold the token
}

// NewSnippet writes how a client is connected.
func NewSnippet(client string, at Where) (Snippet, error) {
	out := Snippet{Client: client, Format: "json"}
	if at.URL != "" {
		out.TokenEnv = TokenEnv
	}
	switch client {
	case ClientClaude:
		out.File = ".mcp.json in the directory of your project"
		entry := at.entry("Bearer ${" + TokenEnv + "}")
		out.Text = servers(entry)
		out.Run = "claude mcp add-json " + EntryName + " " + Shell(compact(entry))
	case ClientCodex:
		out.Format, out.File, out.Text = "toml", "~/.codex/config.toml", at.toml()
		if at.URL == "" {
			out.Run = "codex mcp add " + EntryName + " -- " + at.line()
		} else {
			out.Run = "codex mcp add " + EntryName + " --url " + Shell(at.URL) + " --bearer-token-env-var " + TokenEnv
		}
	case ClientCursor:
		out.File = "~/.cursor/mcp.json, or .cursor/mcp.json in the directory of your project"
		out.Text = servers(at.entry("Bearer ${env:" + TokenEnv + "}"))
	case ClientGeneric:
		out.File = "where your client keeps its MCP servers"
		out.Text = servers(at.entry("Bearer ${" + TokenEnv + "}"))
		if at.URL == "" {
			out.Run = at.line()
		}
	default:
		return Snippet{}, fault.New(fault.Usage, "no such MCP client is known").Hintf("one of claude, codex, cursor; generic fits the others")
	}
	return out, nil
}

// entry is a server in the form that most clients share.
type entry struct {
	Type    string            `json:"type"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

func (w Where) entry(authorization string) entry {
	if w.URL == "" {
		return entry{Type: "stdio", Command: w.Command, Args: w.Args}
	}
	return entry{Type: "http", URL: w.URL, Headers: map[string]string{"Authorization": authorization}}
}

func servers(e entry) string {
	return indent(map[string]any{"mcpServers": map[string]entry{EntryName: e}})
}

// toml is a server as codex has it. Without the approval mode codex asks, or where
// nobody is there declines, each call that is not read only: such a call proposes
// alone, and the person is asked by ape-claw.
func (w Where) toml() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[mcp_servers.%s]\n", EntryName)
	if w.URL == "" {
		fmt.Fprintf(&b, "command = %s\nargs = %s\n", compact(w.Command), compact(w.Args))
	} else {
		fmt.Fprintf(&b, "url = %s\nbearer_token_env_var = %s\n", compact(w.URL), compact(TokenEnv))
	}
	b.WriteString("# what is not read only makes a proposal; ape-claw asks you, so codex need not\ndefault_tools_approval_mode = \"approve\"")
	return b.String()
}

// line is the command as a person types it.
func (w Where) line() string {
	words := []string{Shell(w.Command)}
	for _, a := range w.Args {
		words = append(words, Shell(a))
	}
	return strings.Join(words, " ")
}

// Shell quotes a word for a POSIX shell where it needs that.
func Shell(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func compact(v any) string { return marshal(v, "") }
func indent(v any) string  { return marshal(v, "  ") }

func marshal(v any, indent string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return "{}" // strings always marshal
	}
	return strings.TrimSuffix(b.String(), "\n")
}
