package store

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Profile is the auth profile, <home>/auth.json, mode 0600. It holds secrets:
// its String is redacted and it is never marshalled except by Save.
type Profile struct {
	AgentID       string `json:"agentId,omitempty"`
	AgentToken    string `json:"agentToken,omitempty"`
	OpenSeaAPIKey string `json:"openseaApiKey,omitempty"`
	PrivateKey    string `json:"privateKey,omitempty"`
	// Other keeps fields that another version wrote, so that saving loses nothing.
	Other map[string]json.RawMessage `json:"-"`
}

// ProfilePath is where the profile of a home lies.
func ProfilePath(home string) string { return filepath.Join(home, "auth.json") }

// maxProfile bounds what is read of a profile; a real one has some hundred bytes.
const maxProfile = 1 << 20

// LoadProfile reads the profile of home; a missing one is empty. It must be a plain
// file of ours (OpenPrivate).
func LoadProfile(home string) (Profile, error) {
	path := ProfilePath(home)
	b, err := readPrivate(path, maxProfile)
	if errors.Is(err, fs.ErrNotExist) {
		return Profile{}, nil
	}
	if err != nil {
		return Profile{}, err
	}
	var p Profile
	var all map[string]json.RawMessage
	// The decoder's error quotes content: it stays in the cause.
	if err := errors.Join(json.Unmarshal(b, &p), json.Unmarshal(b, &all)); err != nil {
		return Profile{}, fault.Wrap(err, fault.StateUnusable, "%s is not valid JSON", Display(path)).
			Hintf("mend it, or remove it and run ape-claw auth set again")
	}
	for _, known := range []string{"agentId", "agentToken", "openseaApiKey", "privateKey"} {
		delete(all, known)
	}
	p.Other = all
	return p, nil
}

// readPrivate returns what is in a file of ours that holds no more than limit bytes.
func readPrivate(path string, limit int64) ([]byte, error) {
	f, err := OpenPrivate(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read: nothing to lose
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, unusable(err, path)
	}
	if int64(len(b)) > limit {
		return nil, fault.New(fault.StateUnusable, "%s is larger than %d bytes", Display(path), limit).
			Hintf("it is not a file of ape-claw: move it away")
	}
	return b, nil
}

// Save writes the profile of home atomically with mode 0600.
func (p Profile) Save(home string) error {
	fields := map[string]json.RawMessage{}
	for k, v := range p.Other {
		fields[k] = v
	}
	for k, v := range map[string]string{"agentId": p.AgentID, "agentToken": p.AgentToken, "openseaApiKey": p.OpenSeaAPIKey, "privateKey": p.PrivateKey} {
		if v == "" {
			continue
		}
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		fields[k] = b
	}
	b, err := json.MarshalIndent(fields, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(ProfilePath(home), append(b, '\n'))
}

// String hides everything but which fields are set.
func (p Profile) String() string {
	s := "profile{"
	for _, f := range []struct{ name, value string }{{"agentId", p.AgentID}, {"agentToken", p.AgentToken}, {"openseaApiKey", p.OpenSeaAPIKey}, {"privateKey", p.PrivateKey}} {
		if f.value != "" {
			s += f.name + ":*** "
		}
	}
	return s + "}"
}

// GoString is String, so that %#v shows no secret either.
func (p Profile) GoString() string { return p.String() }
