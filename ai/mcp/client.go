package mcp

import (
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ape-claw/ape-claw/ai"
)

const (
	// agentPrefix begins the agent ids of MCP clients; nobody can register one.
	agentPrefix = "mcp:"
	maxName     = 32
	unnamed     = "unnamed"
)

// identity is whom a client is taken for.
type identity struct {
	name  string
	token bool // the name is the token's
}

// identify returns the name of the token, else what the client calls itself. The
// latter is a label and proves nothing: it grants nothing either.
func identify(info *sdk.Implementation, extra *sdk.RequestExtra) identity {
	if t, ok := tokenOf(extra); ok {
		return identity{CleanName(t.client), true}
	}
	if info == nil {
		return identity{name: unnamed}
	}
	return identity{name: CleanName(info.Name)}
}

// CleanName makes a name that a client chose one that can stand in an agent id:
// lower-case letters, digits, dots, hyphens and underscores, at most 32.
func CleanName(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case b.Len() >= maxName:
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if out := strings.Trim(b.String(), "-."); out != "" {
		return out
	}
	return unnamed
}

// preset returns which tools a request may use: its token's, else the server's.
func (s *Server) preset(extra *sdk.RequestExtra) ai.Preset {
	if t, ok := tokenOf(extra); ok {
		return t.preset
	}
	return s.opts.Preset
}

// callsPerMinute is what a client may call. How many of its proposals may be open
// is for who keeps them.
const callsPerMinute = 60

// client counts what one client does.
type client struct {
	mu      sync.Mutex // guards what follows
	calls   []time.Time
	refused bool // the last call was refused: the ones after it are not recorded too
}

// admit counts a call, or says how long to wait for the next and whether this is
// the first that was refused.
func (c *client) admit(now time.Time) (wait time.Duration, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := now.Add(-time.Minute)
	old := 0
	for old < len(c.calls) && !c.calls[old].After(from) {
		old++
	}
	c.calls = append(c.calls[:0], c.calls[old:]...)
	if len(c.calls) >= callsPerMinute {
		first, c.refused = !c.refused, true
		return c.calls[0].Sub(from), first
	}
	c.calls, c.refused = append(c.calls, now), false
	return 0, false
}
