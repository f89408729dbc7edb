package chain

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Keystore is the folder of encrypted keys in a home, of the files that geth, cast
// and ethers write too. The folder and its files must be this user's alone.
type Keystore struct {
	dir  string
	cost scryptCost
	now  func() time.Time
}

// NewKeystore returns the keystore of home; it reads nothing. light makes keys that
// cost little to open, and little to guess: for practice.
func NewKeystore(home string, light bool, now func() time.Time) *Keystore {
	k := &Keystore{dir: filepath.Join(home, "keystore"), cost: standardCost, now: now}
	if light {
		k.cost = lightCost
	}
	return k
}

// StoredKey is a file of the keystore.
type StoredKey struct {
	Address common.Address // as the file says: Unlock holds it against the key
	Path    string
	Created time.Time
}

const (
	// maxKeyFile is more than any keystore file needs, in bytes.
	maxKeyFile = 64 << 10
	// mostKeys bounds how many files are looked at.
	mostKeys = 1000
	// createdForm is the time in the name of a file, as geth writes it.
	createdForm = "2006-01-02T15-04-05.999999999Z"
)

// Dir is where the files lie.
func (k *Keystore) Dir() string { return k.dir }

// List returns the keys, oldest first, and for each file that can't be one why it
// is passed over. A keystore that is not there is empty.
func (k *Keystore) List() (keys []StoredKey, bad []error, err error) {
	if err := store.CheckSecretDir(k.dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, nil, err
	}
	entries, err := os.ReadDir(k.dir)
	if err != nil {
		return nil, nil, fault.Wrap(err, fault.StateUnusable, "%s can't be read", store.Display(k.dir)).Hintf("fix its owner and mode (chmod 700)")
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue // of an editor, or of a write that was cut short
		}
		if len(keys)+len(bad) == mostKeys {
			return nil, nil, fault.New(fault.StateUnusable, "%s holds more than %d files", store.Display(k.dir), mostKeys).Hintf("move those away that are no keys in use")
		}
		key, err := k.look(filepath.Join(k.dir, e.Name()))
		if err != nil {
			bad = append(bad, err)
			continue
		}
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b StoredKey) int {
		if c := a.Created.Compare(b.Created); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return keys, bad, nil
}

func (k *Keystore) look(path string) (StoredKey, error) {
	raw, err := store.ReadSecret(path, maxKeyFile)
	if err != nil {
		return StoredKey{}, err
	}
	f, err := parseKeyFile(raw, store.Display(path))
	if err != nil {
		return StoredKey{}, err
	}
	if f.address == nil {
		return StoredKey{}, fault.New(fault.Auth, "%s names no address", store.Display(path)).Hintf("ape-claw wallet import --file %s", filepath.Base(path))
	}
	key := StoredKey{Address: *f.address, Path: path}
	if key.Created = createdIn(filepath.Base(path)); key.Created.IsZero() {
		if fi, err := os.Lstat(path); err == nil {
			key.Created = fi.ModTime().UTC()
		}
	}
	return key, nil
}

// createdIn is the time in a file's name; zero: it has none.
func createdIn(name string) time.Time {
	parts := strings.Split(name, "--")
	if len(parts) != 3 || parts[0] != "UTC" {
		return time.Time{}
	}
	t, err := time.Parse(createdForm, parts[1])
	if err != nil {
		return time.Time{}
	}
	return t
}

// Find returns the key of an account: a fault.Auth when there is none.
func (k *Keystore) Find(account common.Address) (StoredKey, error) {
	keys, _, err := k.List()
	if err != nil {
		return StoredKey{}, err
	}
	i := slices.IndexFunc(keys, func(s StoredKey) bool { return s.Address == account })
	if i < 0 {
		return StoredKey{}, fault.New(fault.Auth, "the keystore has no key of %s", account.Hex()).Hintf("ape-claw wallet list").WithSent(fault.SentNo)
	}
	return keys[i], nil
}

// Unlock opens a key. A wrong password is a fault.Auth; a key that is of another
// account than the file says is refused.
func (k *Keystore) Unlock(key StoredKey, password []byte) (*KeySigner, error) {
	if err := store.CheckSecretDir(filepath.Dir(key.Path)); err != nil {
		return nil, err
	}
	raw, err := store.ReadSecret(key.Path, maxKeyFile)
	if err != nil {
		return nil, err
	}
	s, err := DecryptKey(raw, store.Display(key.Path), password)
	if err != nil {
		return nil, err
	}
	if s.Address() != key.Address {
		s.Wipe()
		return nil, fault.New(fault.Auth, "%s says that it is of %s and holds a key of another account", store.Display(key.Path), key.Address.Hex()).
			Hintf("do not trust it: somebody changed it. Restore it from where it was kept").WithSent(fault.SentNo)
	}
	return s, nil
}

// Save encrypts a signer's key with a password into a file of its own, once it was
// seen that the file can be opened. A key that is there already is a fault.Conflict.
func (k *Keystore) Save(s *KeySigner, password []byte) (StoredKey, error) {
	switch at, err := k.Find(s.Address()); {
	case err == nil:
		return StoredKey{}, fault.New(fault.Conflict, "the keystore has the key of %s already, in %s", s.Address().Hex(), store.Display(at.Path)).
			Hintf("ape-claw wallet list").WithSent(fault.SentNo)
	case fault.CodeOf(err) != fault.Auth:
		return StoredKey{}, err
	}
	raw, err := encryptKey(s, password, k.cost)
	if err != nil {
		return StoredKey{}, err
	}
	// What can't be opened again is lost for good.
	again, err := DecryptKey(raw, "the new key", password)
	if err != nil || again.Address() != s.Address() {
		return StoredKey{}, fault.Wrap(err, fault.Internal, "the key could not be opened again after it was encrypted: nothing was saved").WithSent(fault.SentNo)
	}
	again.Wipe()
	if err := store.EnsureDir(k.dir); err != nil {
		return StoredKey{}, err
	}
	now, addr := k.now().UTC(), s.Address()
	key := StoredKey{Address: addr, Created: now, Path: filepath.Join(k.dir, "UTC--"+now.Format(createdForm)+"--"+hex.EncodeToString(addr[:]))}
	if err := store.WriteFile(key.Path, raw); err != nil {
		return StoredKey{}, err
	}
	back, err := store.ReadSecret(key.Path, maxKeyFile)
	if err == nil && !bytes.Equal(back, raw) {
		err = fault.New(fault.NotDurable, "%s does not hold what was written", store.Display(key.Path))
	}
	return key, err
}
