package agents

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// MaxClawbots bounds a file of agents, in bytes.
const MaxClawbots = 4 << 20

// Clawbots is what the published server's clawbots.json says.
type Clawbots struct {
	Agents []Imported
	// Skipped are those that can't be taken over, and why.
	Skipped []Skipped
	// SharedKey: a marketplace key is in the file. It is not taken over.
	SharedKey bool
}

// Imported is an agent with the hash of a token that it has already.
type Imported struct {
	Agent
	hash [sha256.Size]byte
}

// Skipped is an agent of a file that can't be taken over.
type Skipped struct {
	AgentID string `json:"agentId"`
	Reason  string `json:"reason"`
}

// maxShownID bounds an id that is none, in characters.
const maxShownID = 40

// ParseClawbots reads a clawbots.json. Whoever is in it twice counts as in the last place.
func ParseClawbots(data []byte, now time.Time) (Clawbots, error) {
	var file struct {
		Agents    map[string]json.RawMessage `json:"agents"`
		SharedKey json.RawMessage            `json:"sharedOpenseaApiKey"`
	}
	// The decoder's error may quote content: it stays in the cause.
	if err := json.Unmarshal(data, &file); err != nil || file.Agents == nil {
		return Clawbots{}, fault.Wrap(err, fault.Usage, "the file is not a clawbots.json").
			Hintf(`it has the form {"agents":{"<id>":{"name":…,"tokenHash":…,"createdAt":…,"enabled":…}}}`)
	}
	shared := string(file.SharedKey)
	out := Clawbots{SharedKey: shared != "" && shared != "null" && shared != `""`}
	for _, id := range slices.Sorted(maps.Keys(file.Agents)) {
		a, err := parseClawbot(id, file.Agents[id], now)
		if err != nil {
			out.Skipped = append(out.Skipped, Skipped{fault.Excerpt(id, maxShownID), fault.From(err).Message})
			continue
		}
		out.Agents = append(out.Agents, a)
	}
	return out, nil
}

func parseClawbot(id string, data []byte, now time.Time) (Imported, error) {
	if err := checkNew(id); err != nil {
		return Imported{}, err
	}
	var in struct {
		Name, TokenHash, CreatedAt string
		Enabled                    bool // missing is off, as it is where tokens are checked
	}
	if json.Unmarshal(data, &in) != nil {
		return Imported{}, fault.New(fault.Usage, "its entry can't be read")
	}
	hash, err := hex.DecodeString(in.TokenHash)
	if err != nil || len(hash) != sha256.Size {
		return Imported{}, fault.New(fault.Usage, "its tokenHash is not a SHA-256 in hex")
	}
	a := Imported{Agent: Agent{ID: id, Name: strings.TrimSpace(in.Name), Enabled: in.Enabled, Created: now}, hash: [sha256.Size]byte(hash)}
	if !IsName(a.Name) {
		a.Name = id
	}
	if at, err := time.Parse(time.RFC3339, in.CreatedAt); err == nil && at.Before(now) && at.Unix() > 0 {
		a.Created = at
	}
	a.Created = a.Created.UTC().Truncate(time.Millisecond)
	return a, nil
}

// Import adds agents whose tokens others gave out. Those that are registered already
// stay as they are. It returns which were added; with dry, which would be.
func (r *Registry) Import(ctx context.Context, list []Imported, dry bool) (added []Agent, err error) {
	db, err := r.db(ctx, !dry && len(list) > 0)
	if err != nil {
		return nil, err
	}
	if dry || len(list) == 0 {
		known, err := r.List(ctx)
		for _, a := range list {
			if !slices.ContainsFunc(known, func(k Agent) bool { return k.ID == a.ID }) {
				added = append(added, a.Agent)
			}
		}
		return added, err
	}
	err = r.write(ctx, db, func(tx *sql.Tx) error {
		added = nil
		for _, a := range list {
			res, err := tx.ExecContext(ctx, `INSERT INTO agents (id, name, token_hash, generation, enabled, created_at)
				VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT (id) DO NOTHING`, a.ID, a.Name, a.hash[:], a.Enabled, a.Created.UnixMilli())
			if err != nil {
				return store.DBFault(err, store.StateFile)
			}
			if n, err := res.RowsAffected(); err != nil {
				return store.DBFault(err, store.StateFile)
			} else if n > 0 {
				added = append(added, a.Agent)
			}
		}
		return room(ctx, tx, 0)
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}
