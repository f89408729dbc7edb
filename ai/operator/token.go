package operator

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TokenFile holds the token by which serve knows the operator, in the home.
const TokenFile = "operator.token"

// Every token begins with claw_, so that redactors know one when they see it.
const (
	operatorPrefix = "claw_op_"
	mcpPrefix      = "claw_mcp_"
)

const maxToken = 256

func newToken(prefix string) string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never fails: the program ends instead
	return prefix + base64.RawURLEncoding.EncodeToString(b[:])
}

// TokenPath is where the token lies.
func (p *Operator) TokenPath() string { return filepath.Join(p.o.Home, TokenFile) }

// Token returns the operator's token, which it makes on first use.
func (p *Operator) Token(ctx context.Context) (string, error) {
	t, err := p.readToken()
	if !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	if err := store.EnsureDir(p.o.Home); err != nil {
		return "", err
	}
	lock, err := store.AcquireLock(ctx, p.TokenPath()+".lock")
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Unlock() }() // the system lets it go with the process, at the latest
	if t, err = p.readToken(); !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	t = newToken(operatorPrefix)
	return t, store.WriteFile(p.TokenPath(), []byte(t+"\n"))
}

// readToken returns what is in the file. One that others can read is refused.
func (p *Operator) readToken() (string, error) {
	path := p.TokenPath()
	f, err := store.OpenPrivate(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read: nothing to lose
	fi, err := f.Stat()
	if err != nil {
		return "", store.DBFault(err, TokenFile)
	}
	if fi.Mode().Perm()&0o077 != 0 {
		return "", fault.New(fault.StateUnusable, "%s can be read by others (mode %04o): it is not accepted", store.Display(path), fi.Mode().Perm()).
			Hintf("remove it: the next use makes another one, mode 0600")
	}
	b, err := io.ReadAll(io.LimitReader(f, maxToken))
	t := strings.TrimSpace(string(b))
	if err != nil || !strings.HasPrefix(t, operatorPrefix) || len(t) != len(newToken(operatorPrefix)) {
		return "", fault.Wrap(err, fault.StateUnusable, "%s does not hold a token of ape-claw", store.Display(path)).
			Hintf("remove it: the next use makes another one")
	}
	return t, nil
}

// VerifyToken returns nil for the operator's token. Whatever is wrong with one is
// the same fault.Auth; a token file that can't be used is its own fault.
func (p *Operator) VerifyToken(_ context.Context, token string) error {
	t, err := p.readToken()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	given, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(t))
	if err != nil || subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
		return fault.New(fault.Auth, "these operator credentials are not accepted").
			Hintf("the operator's token is in %s of ape-claw's home", TokenFile)
	}
	return nil
}
