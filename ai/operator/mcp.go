package operator

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// MCPToken is the token of an MCP client that comes over HTTP, without its secret.
// It can look and propose as its tools say, and approve nothing.
type MCPToken struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Tools   ai.Preset `json:"tools"`
	Created time.Time `json:"createdAt"`
	Revoked time.Time `json:"revokedAt,omitzero"`
}

// MarshalJSON writes the times with milliseconds, as everything here does.
func (t MCPToken) MarshalJSON() ([]byte, error) {
	type plain MCPToken // without this method
	return json.Marshal(struct {
		plain
		Created string `json:"createdAt"`
		Revoked string `json:"revokedAt,omitempty"`
	}{plain(t), stamp(t.Created), stamp(t.Revoked)})
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

var (
	clientForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	toolForm   = regexp.MustCompile(`^[a-z0-9_]{1,48}$`)
	presets    = []string{ai.PresetAll, ai.PresetReadWrite, ai.PresetReadOnly, ai.PresetNone, ai.PresetCustom}
)

// CheckMCPToken reports what NewMCPToken would refuse of its arguments. It shows
// nothing of them.
func CheckMCPToken(name string, tools ai.Preset) error {
	if !clientForm.MatchString(name) || strings.HasPrefix(name, "sk-") || strings.HasPrefix(name, "claw_") {
		return fault.New(fault.Usage, "the name of an MCP client is 1 to 32 lower-case letters, digits, _ and -, a letter or digit first").
			Hintf("ape-claw ai mcp token new --name laptop")
	}
	badTool := func(t string) bool { return !toolForm.MatchString(t) }
	if !slices.Contains(presets, tools.Name) || (tools.Name == ai.PresetCustom) != (len(tools.Enabled) > 0) || slices.ContainsFunc(tools.Enabled, badTool) {
		return fault.New(fault.Usage, "there is no such preset or tool").Hintf("--tools read_only; ape-claw ai tools lists them")
	}
	return nil
}

// NewMCPToken makes a token of 256 random bits, which nothing can show again: its
// SHA-256 is stored. A name that is in use is a fault.NameTaken; a revoked one is
// free again.
func (p *Operator) NewMCPToken(ctx context.Context, name string, tools ai.Preset) (MCPToken, string, error) {
	if err := CheckMCPToken(name, tools); err != nil {
		return MCPToken{}, "", err
	}
	secret := newToken(mcpPrefix)
	t := MCPToken{ID: store.NewID("mcpt_"), Name: name, Tools: tools, Created: p.o.Now().UTC().Truncate(time.Millisecond)}
	text, err := json.Marshal(tools)
	if err != nil {
		return MCPToken{}, "", err
	}
	err = p.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM mcp_tokens WHERE name = ? AND revoked_at IS NOT NULL`, name); err != nil {
			return store.DBFault(err, store.AIFile)
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO mcp_tokens (id, name, hash, tools, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`,
			t.ID, name, hashOf(secret), string(text), t.Created.UnixMilli())
		if err != nil {
			return store.DBFault(err, store.AIFile)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return fault.New(fault.NameTaken, "the MCP client %s has a token already", name).
				Hintf("ape-claw ai mcp token revoke %s, then make it a new one", name)
		}
		return nil
	})
	if err != nil {
		return MCPToken{}, "", err
	}
	return t, secret, nil
}

const mcpColumns = `id, name, hash, tools, created_at, coalesce(revoked_at, 0)`

func scanMCP(r interface{ Scan(...any) error }) (t MCPToken, hash string, err error) {
	var tools string
	var created, revoked int64
	if err := r.Scan(&t.ID, &t.Name, &hash, &tools, &created, &revoked); err != nil {
		return t, "", err
	}
	t.Created = time.UnixMilli(created).UTC()
	if revoked != 0 {
		t.Revoked = time.UnixMilli(revoked).UTC()
	}
	if json.Unmarshal([]byte(tools), &t.Tools) != nil {
		t.Tools = ai.Preset{Name: ai.PresetNone} // what can't be read allows nothing
	}
	return t, hash, nil
}

// MCPTokens returns all tokens, the oldest first.
func (p *Operator) MCPTokens(ctx context.Context) ([]MCPToken, error) {
	db, err := p.look(ctx)
	if err != nil || db == nil {
		return []MCPToken{}, err
	}
	rows, err := db.QueryContext(ctx, `SELECT `+mcpColumns+` FROM mcp_tokens ORDER BY created_at, id`)
	if err != nil {
		return nil, store.DBFault(err, store.AIFile)
	}
	defer rows.Close() //nolint:errcheck // Err says what went wrong
	out := []MCPToken{}
	for rows.Next() {
		t, _, err := scanMCP(rows)
		if err != nil {
			return nil, store.DBFault(err, store.AIFile)
		}
		out = append(out, t)
	}
	return out, store.DBFault(rows.Err(), store.AIFile)
}

// RevokeMCPToken makes a token worthless, by its name or id. Revoking twice is
// revoking once.
func (p *Operator) RevokeMCPToken(ctx context.Context, ref string) (MCPToken, error) {
	unknown := fault.New(fault.NotFound, "no such token of an MCP client").Hintf("ape-claw ai mcp token list")
	if db, err := p.look(ctx); err != nil || db == nil {
		return MCPToken{}, errors.Join(err, errIf(err == nil, func() error { return unknown }))
	}
	var t MCPToken
	err := p.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE mcp_tokens SET revoked_at = ? WHERE (name = ? OR id = ?) AND revoked_at IS NULL`,
			p.o.Now().UnixMilli(), ref, ref); err != nil {
			return store.DBFault(err, store.AIFile)
		}
		var err error
		t, _, err = scanMCP(tx.QueryRowContext(ctx, `SELECT `+mcpColumns+` FROM mcp_tokens WHERE name = ? OR id = ?`, ref, ref))
		if errors.Is(err, sql.ErrNoRows) {
			return unknown
		}
		return store.DBFault(err, store.AIFile)
	})
	return t, err
}

// VerifyMCPToken returns whose token it is and which tools that client has.
// Whatever is wrong with one is the same fault.Auth.
func (p *Operator) VerifyMCPToken(ctx context.Context, token string) (client string, tools ai.Preset, err error) {
	refused := fault.New(fault.Auth, "this token is not accepted").Hintf("on the machine that serves: ape-claw ai mcp token new --name <client>")
	none := ai.Preset{Name: ai.PresetNone}
	db, err := p.look(ctx)
	if err != nil {
		return "", none, err
	}
	if db == nil {
		return "", none, refused
	}
	// Looked up by its hash, in an index: what the time of that tells is of the hash.
	given := hashOf(token)
	t, hash, err := scanMCP(db.QueryRowContext(ctx, `SELECT `+mcpColumns+` FROM mcp_tokens WHERE hash = ?`, given))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", none, store.DBFault(err, store.AIFile)
	}
	if err != nil || subtle.ConstantTimeCompare([]byte(hash), []byte(given)) != 1 || !t.Revoked.IsZero() {
		return "", none, refused
	}
	return t.Name, t.Tools, nil
}
