package commands

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// maxPassword is the longest password, in bytes, with its newline.
	maxPassword = 1 << 10
	// leastPassword is the shortest for a new key, in bytes. Whoever copied the file
	// can try as many as they like.
	leastPassword = 8
)

// password is what opens a key of the keystore: from the file or the descriptor that
// was named, else typed by the person at the terminal. typed says which. It never
// comes from an argument or a variable. The caller clears it.
func (d *Deps) password(ctx context.Context, act, question string) (p []byte, typed bool, err error) {
	if p, err = d.givenPassword(); err != nil || p != nil {
		return p, false, err
	}
	if d.spec.Name == "serve" || d.spec.Protocol {
		return nil, false, fault.New(fault.ApprovalRequired, "nobody is asked for the password to %s while %s runs", act, d.spec.Name).
			Hintf("start it with --password-file FILE").WithSent(fault.SentNo)
	}
	line, err := d.askSecret(ctx, question)
	if err != nil {
		if e := fault.From(err); e.Code == fault.ApprovalRequired && e.Hint == "run the command in a terminal" {
			return nil, false, e.Hintf("run the command in a terminal, or name a file with --password-file")
		}
		return nil, false, err
	}
	d.redactor().Add(line)
	return []byte(line), true, nil
}

// givenPassword is nil where neither a file nor a descriptor was named.
func (d *Deps) givenPassword() ([]byte, error) {
	c, err := d.Config()
	if err != nil {
		return nil, err
	}
	var raw []byte
	switch {
	case c.PasswordFD.Value != "":
		raw, err = d.fromDescriptor("--password-fd", c.PasswordFD.Value, maxPassword)
	case c.PasswordFile.Value != "":
		raw, err = secretFile(c.PasswordFile.Value, maxPassword)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	raw = bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte("\n")), []byte("\r"))
	if len(raw) == 0 || bytes.ContainsAny(raw, "\r\n\x00") {
		return nil, fault.New(fault.Auth, "what should hold the password holds no single line").Hintf("write the password alone into it").WithSent(fault.SentNo)
	}
	d.redactor().Add(string(raw))
	return raw, nil
}

// secretFile reads a file that a person named, of this user alone.
func secretFile(path string, limit int64) ([]byte, error) {
	raw, err := store.ReadSecret(path, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(err, fault.Usage, "%s does not exist", store.Display(path)).Hintf("name a file that is there").WithSent(fault.SentNo)
	}
	return raw, err
}

// fromDescriptor reads what a caller passes by an open descriptor, to its end.
func (d *Deps) fromDescriptor(flag, value string, limit int64) (raw []byte, err error) {
	n, err := strconv.ParseUint(value, 10, 16)
	if err != nil || n == 1 || n == 2 {
		return nil, fault.New(fault.Usage, "%s names no descriptor that can be read: a number is expected, 0 or from 3 up", flag).
			Hintf("for example %s 3 with 3<FILE", flag).WithSent(fault.SentNo)
	}
	var from io.Reader = d.host.Stdin
	if n != 0 {
		f := os.NewFile(uintptr(n), "fd"+value)
		defer f.Close() //nolint:errcheck // only read
		from = f
	}
	raw, err = io.ReadAll(io.LimitReader(from, limit+1))
	if err != nil || int64(len(raw)) > limit {
		return nil, fault.Wrap(err, fault.Usage, "descriptor %s can't be read, or holds more than %d bytes", value, limit).
			Hintf("for example %s 3 with 3<FILE", flag).WithSent(fault.SentNo)
	}
	return raw, nil
}
