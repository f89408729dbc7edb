package connection

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// KeyFile is the key that secrets are sealed under, in the home: 32 bytes.
const KeyFile = "ai.key"

// keyLock is held while the file is made, so that two processes make one.
const keyLock = "ai.key.lock"

const (
	keyBytes = 32
	idBytes  = 8
	// sealedForm is the first byte of a sealed value: form 1 is the id of the key
	// file, then AES-256-GCM's random nonce, the sealed bytes and the tag.
	sealedForm = 1
)

func (s *Store) keyPath() string { return filepath.Join(s.o.Home, KeyFile) }

// readKey returns what is in the key file. One that others can read, that is not
// ours or has another length is refused; a missing one wraps fs.ErrNotExist.
func (s *Store) readKey() ([]byte, error) {
	path := s.keyPath()
	f, err := store.OpenPrivate(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read: nothing to lose
	fi, err := f.Stat()
	if err != nil {
		return nil, store.DBFault(err, KeyFile)
	}
	if fi.Mode().Perm()&0o077 != 0 {
		return nil, fault.New(fault.StateUnusable, "%s can be read by others (mode %04o): the keys of the AI connections are not used", store.Display(path), fi.Mode().Perm()).
			Hintf("chmod 600 %s; if somebody else may have read it, replace the keys at their providers too", store.Display(path))
	}
	key, err := io.ReadAll(io.LimitReader(f, keyBytes+1))
	if err != nil || len(key) != keyBytes {
		return nil, fault.Wrap(err, fault.StateUnusable, "%s is not a key file of ape-claw: it does not hold %d bytes", store.Display(path), keyBytes).
			Hintf("restore it from a backup, or move it away and give the keys again: ape-claw ai connections set <name> --ask-key")
	}
	return key, nil
}

// makeKey returns the key of the file, which it makes once.
func (s *Store) makeKey(ctx context.Context) ([]byte, error) {
	key, err := s.readKey()
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := store.EnsureDir(s.o.Home); err != nil {
		return nil, err
	}
	lock, err := store.AcquireLock(ctx, filepath.Join(s.o.Home, keyLock))
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Unlock() }() // the system lets it go with the process, at the latest
	key, err = s.readKey()
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key = make([]byte, keyBytes)
	_, _ = rand.Read(key) // it never fails: the program ends instead
	return key, store.WriteFile(s.keyPath(), key)
}

// keyID tells one key file from another without telling the key.
func keyID(key []byte) []byte {
	sum := sha256.Sum256(append([]byte("ape-claw ai.key id\x00"), key...))
	return sum[:idBytes]
}

// bound is what a sealed value is for: under another connection's name, or for
// another address, it does not open.
func bound(id, baseURL string) []byte {
	return []byte("ape-claw ai connection\x00" + id + "\x00" + baseURL)
}

func seal(key []byte, secret Secret, id, baseURL string) ([]byte, error) {
	aead, err := newAEAD(key)
	if err != nil {
		return nil, err
	}
	out := append([]byte{sealedForm}, keyID(key)...)
	return aead.Seal(out, nil, []byte(secret), bound(id, baseURL)), nil
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// open returns a sealed key, or says why there is none to be had.
func open(key, sealed []byte, name, id, baseURL string) (Secret, error) {
	again := "give the key again: ape-claw ai connections set " + name + " --ask-key"
	if len(sealed) < 1+idBytes || sealed[0] != sealedForm {
		return "", fault.New(fault.StateUnusable, "the stored key of connection %s has an unknown form", name).Hintf("%s", again)
	}
	if subtle.ConstantTimeCompare(sealed[1:1+idBytes], keyID(key)) != 1 {
		return "", fault.New(fault.StateUnusable, "the stored key of connection %s was sealed under another %s than the one that is here", name, KeyFile).
			Hintf("restore the %s that belongs to this %s, or %s", KeyFile, store.AIFile, again)
	}
	aead, err := newAEAD(key)
	if err != nil {
		return "", err
	}
	plain, err := aead.Open(nil, nil, sealed[1+idBytes:], bound(id, baseURL))
	if err != nil {
		return "", fault.Wrap(err, fault.StateUnusable, "the stored key of connection %s does not open: it was changed, or is another connection's or another address's", name).
			Hintf("%s", again)
	}
	return Secret(plain), nil
}

func secretName(id string) string { return "connection:" + id }

// sealedOf returns what is stored for a connection; nil when nothing is.
func sealedOf(ctx context.Context, q querier, id string) ([]byte, error) {
	var sealed []byte
	err := q.QueryRowContext(ctx, `SELECT sealed FROM secrets WHERE name = ?`, secretName(id)).Scan(&sealed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return sealed, store.DBFault(err, store.AIFile)
}

// fromEnv is the key in the connection's variable; "" without one.
func (s *Store) fromEnv(r row) Secret {
	if r.doc.KeyEnv == "" || s.reserved(r.doc.KeyEnv) {
		return ""
	}
	v, _ := s.o.Env(r.doc.KeyEnv)
	s.loaded(v)
	return Secret(v)
}

func (s *Store) loaded(secret string) {
	if s.o.Loaded != nil && secret != "" {
		s.o.Loaded(secret)
	}
}

// keyOf says what there is of a key, without opening it.
func (s *Store) keyOf(ctx context.Context, q querier, r row) (Key, error) {
	k := Key{Env: r.doc.KeyEnv}
	if v := s.fromEnv(r); v != "" {
		k.Has, k.Hint = true, hint(v)
		return k, nil
	}
	sealed, err := sealedOf(ctx, q, r.id)
	if err == nil && sealed != nil {
		k.Has, k.Hint = true, clean(r.doc.Hint, hintChars)
	}
	return k, err
}

// secret returns the key of a connection: the variable that it names, else what is
// sealed. A connection that needs one and has none is a fault.ProviderAuth.
func (s *Store) secret(ctx context.Context, q querier, r row) (Secret, error) {
	if v := s.fromEnv(r); v != "" {
		return v, nil
	}
	sealed, err := sealedOf(ctx, q, r.id)
	if err != nil {
		return "", err
	}
	if sealed == nil {
		if r.doc.KeyFree {
			return "", nil
		}
		return "", missing(r)
	}
	return s.unseal(r, sealed)
}

func (s *Store) unseal(r row, sealed []byte) (Secret, error) {
	key, err := s.readKey()
	if errors.Is(err, fs.ErrNotExist) {
		return "", fault.Wrap(err, fault.StateUnusable, "%s is missing: what is stored of the key of connection %s can't be opened", KeyFile, r.name).
			Hintf("restore %s beside %s, or give the key again: ape-claw ai connections set %s --ask-key", KeyFile, store.AIFile, r.name)
	}
	if err != nil {
		return "", err
	}
	v, err := open(key, sealed, r.name, r.id, r.doc.BaseURL)
	if err == nil {
		s.loaded(string(v))
	}
	return v, err
}

// CheckKeys opens every stored key, and returns why one can't be: a key file that is
// missing, loose or another one.
func (s *Store) CheckKeys(ctx context.Context) error {
	db, err := s.look(ctx)
	if err != nil || db == nil {
		return err
	}
	all, err := rows(ctx, db)
	if err != nil {
		return err
	}
	for _, r := range all {
		sealed, err := sealedOf(ctx, db, r.id)
		if err == nil && sealed != nil {
			_, err = s.unseal(r, sealed)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func missing(r row) error {
	e := fault.New(fault.ProviderAuth, "connection %s has no key", r.name).Hintf("ape-claw ai connections set %s --ask-key", r.name)
	if r.doc.KeyEnv != "" {
		e = fault.New(fault.ProviderAuth, "connection %s has no key: %s is not set", r.name, r.doc.KeyEnv).
			Hintf("export %s, or ape-claw ai connections set %s --ask-key", r.doc.KeyEnv, r.name)
	}
	return e
}

const (
	hintChars = 4
	// hintFrom is how long a key is before its end is shown: of a shorter one, four
	// characters would be a good part.
	hintFrom = 16
)

// hint is the end of a key, to recognise it by.
func hint(v Secret) string {
	r := []rune(string(v))
	if len(r) < hintFrom {
		return ""
	}
	return clean(string(r[len(r)-hintChars:]), hintChars)
}
