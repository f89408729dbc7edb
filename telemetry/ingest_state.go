package telemetry

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"time"

	"github.com/ape-claw/ape-claw/store"
)

const (
	// ingestName is the file with what was found in the log up to a cursor, so that a
	// start does not read all of it. Without it, that is done.
	ingestName = "ingest.json"
	// maxIngestState is more than such a file has, in bytes.
	maxIngestState = 32 << 20
	// catchBytes is how much of the log is read at once.
	catchBytes = 1 << 20
	// saveEvery is how often it is looked whether it is time to write the file: when
	// reading on from the last one would take more than saveBytes.
	saveEvery = 30 * time.Second
	saveBytes = 16 << 20
)

// ingestState is the file. The oldest come first.
type ingestState struct {
	V      int                `json:"v"`
	Cursor string             `json:"cursor"`
	Agents []ingestStateAgent `json:"agents"`
	IDs    string             `json:"ids"` // base64 of all idKeys
}

type ingestStateAgent struct {
	ID       string             `json:"agentId"`
	Outboxes []ingestStateBoxes `json:"outboxes"`
}

type ingestStateBoxes struct {
	ID  string `json:"outbox"`
	Seq int64  `json:"seq"`
}

// Run reads what the log has, so that the first events do not wait for that, and
// writes down what it learned until ctx ends. It may be left out.
func (g *Ingest) Run(ctx context.Context) error {
	g.turn.Lock()
	err := g.catchUp(ctx)
	g.turn.Unlock()
	if err != nil && ctx.Err() == nil {
		g.log.tell("the event log could not be read for events that were sent before: " + reasonOf(err))
	}
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return g.save(1)
		case <-tick.C:
			if err := g.save(saveBytes); err != nil {
				g.log.tell("what was found in the event log could not be written down, and is looked for again at the next start: " + reasonOf(err))
			}
		}
	}
}

// catchUp reads the log up to its end. The caller has the turn. What was read stays
// read when ctx ends.
func (g *Ingest) catchUp(ctx context.Context) error {
	if !g.begun {
		g.load(ctx)
		g.begun = true
	}
	for resets := 0; ; {
		lines, next, err := g.log.ReadAfter(ctx, g.at, 0, catchBytes)
		var reset *ResetError
		if errors.As(err, &reset) && resets < 3 {
			resets++
			if g.at = reset.Oldest; reset.Reason != ResetGone {
				g.at, g.seen = Cursor{}, newSeenIDs() // it is another log
			}
			continue
		}
		if err != nil {
			return err
		}
		for _, line := range lines {
			g.seen.learn(line.Data)
		}
		if next == g.at {
			return nil
		}
		g.at = next
	}
}

// load begins with what the file says, if that fits the log.
func (g *Ingest) load(ctx context.Context) {
	f, err := store.OpenToRead(filepath.Join(g.log.dir, ingestName))
	if err != nil {
		return // all that it says is in the log too
	}
	b, err := io.ReadAll(io.LimitReader(f, maxIngestState))
	if err = errors.Join(err, f.Close()); err != nil {
		return
	}
	var st ingestState
	if json.Unmarshal(b, &st) != nil || st.V != 1 {
		return
	}
	at, err := ParseCursor(st.Cursor)
	if err != nil || at.IsZero() {
		return
	}
	if _, _, err := g.log.ReadAfter(ctx, at, 1, 1); err != nil {
		return
	}
	keys, err := base64.StdEncoding.DecodeString(st.IDs)
	if err != nil || len(keys)%len(idKey{}) != 0 {
		return
	}
	seen := newSeenIDs()
	for _, a := range st.Agents {
		for _, box := range a.Outboxes {
			if a.ID == "" || box.ID == "" || box.Seq < 0 {
				return
			}
			seen.add(a.ID, eventID{outbox: box.ID, seq: box.Seq})
		}
	}
	for ; len(keys) > 0; keys = keys[len(idKey{}):] {
		seen.addExact(idKey(keys[:len(idKey{})]))
	}
	g.at, g.saved, g.seen = at, at, seen
}

// save writes the file, when the log has grown by so many bytes since the last one.
func (g *Ingest) save(atLeast int64) error {
	g.turn.Lock()
	defer g.turn.Unlock()
	empty := g.seen.count == 0 && len(g.seen.exact) == 0
	if empty {
		atLeast = saveBytes // nothing was ever sent: a short log is read as fast
	}
	if !g.begun || g.at.Log == "" || g.at.Log == g.saved.Log && g.at.Pos-g.saved.Pos < atLeast || empty && g.at.Pos < atLeast {
		return nil
	}
	st := ingestState{V: 1, Cursor: g.at.String()}
	for el := g.seen.recent.Back(); el != nil; el = el.Prev() {
		a := el.Value.(*seenAgent)
		out := ingestStateAgent{ID: a.id}
		for box := a.recent.Back(); box != nil; box = box.Prev() {
			b := box.Value.(*seenOutbox)
			out.Outboxes = append(out.Outboxes, ingestStateBoxes{b.name, b.high})
		}
		st.Agents = append(st.Agents, out)
	}
	var keys []byte
	for i := range g.seen.ring {
		k := g.seen.ring[(g.seen.next+i)%len(g.seen.ring)]
		keys = append(keys, k[:]...)
	}
	st.IDs = base64.StdEncoding.EncodeToString(keys)
	b, err := json.Marshal(st)
	if err == nil {
		err = store.WriteFile(filepath.Join(g.log.dir, ingestName), append(b, '\n'))
	}
	if err == nil {
		g.saved = g.at
	}
	return err
}
