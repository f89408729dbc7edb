package skill

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Vetted is the file that lists the cards which a person vetted, by content: another
// card under the same name and version is not. It is in the home, since the state
// directory may have come with somebody's repository.
type Vetted struct{ Path string }

// vettedFile is what the file holds.
type vettedFile struct {
	Vetted []vettedCard `json:"vetted"`
}

type vettedCard struct {
	ContentHash string `json:"contentHash"`
	Slug        string `json:"slug"`
	Version     string `json:"version"`
	At          string `json:"at"`
}

// maxVetted bounds the file, in bytes.
const maxVetted = 4 << 20

// load reads the list; a file that is missing is an empty one.
func (v Vetted) load() (out vettedFile, err error) {
	f, err := store.OpenPrivate(v.Path, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	defer f.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.LimitReader(f, maxVetted+1))
	if err == nil && len(text) > maxVetted {
		err = errors.New("too long")
	}
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return out, fault.Wrap(err, fault.StateUnusable, "%s can't be read", store.Display(v.Path)).Hintf("move it away: what it lists has to be vetted anew")
	}
	return out, nil
}

func (v Vetted) hashes() ([]string, error) {
	list, err := v.load()
	if err != nil {
		return nil, err
	}
	out := make([]string, len(list.Vetted))
	for i, c := range list.Vetted {
		out[i] = c.ContentHash
	}
	return out, nil
}

// Set lists a card, or takes it off the list.
func (v Vetted) Set(ctx context.Context, c Card, yes bool, now time.Time) (err error) {
	lock, err := store.WaitLock(ctx, v.Path+".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	list, err := v.load()
	if err != nil {
		return err
	}
	hash := c.ContentHash.Hex()
	list.Vetted = slices.DeleteFunc(list.Vetted, func(o vettedCard) bool { return o.ContentHash == hash })
	if yes {
		list.Vetted = append(list.Vetted, vettedCard{hash, c.Slug, c.Version, stamp(now.UnixMilli())})
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return store.WriteFile(v.Path, append(text, '\n'))
}
