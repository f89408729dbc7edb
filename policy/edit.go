package policy

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// lockFile in the home is held by whoever writes a file of the fence.
	lockFile = "fence.lock"
	// lockWait is far more than any such write takes.
	lockWait = 10 * time.Second
)

// editing runs do while no other process writes a file of the fence.
func editing(home string, do func() error) error { return editingWithin(home, lockWait, do) }

// editingWithin is editing that waits no longer than it is told for the lock: then it
// is a fault.Conflict, and do was not called.
func editingWithin(home string, wait time.Duration, do func() error) (err error) {
	if home == "" {
		return fault.New(fault.Usage, "no home to write to").Hintf("set APE_CLAW_HOME or HOME").WithSent(fault.SentNo)
	}
	if err := store.EnsureDir(home); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	lock, err := store.AcquireLock(ctx, filepath.Join(home, lockFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return do()
}

// writable refuses a path at which something lies that must not be replaced: a
// link, a directory, another user's file. Nothing there is fine, and there is
// false then.
func writable(path string) (there bool, err error) {
	err = store.CheckPrivate(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// InitOptions say what Init writes.
type InitOptions struct {
	Force    bool   // replace a file that is there, which is kept beside it
	Template []byte // the text; nil: InitTemplate of the amounts
	// Amounts in APE, as they are typed: "12.5" or "unlimited"; "" is 0.
	MaxPricePerTx, DailySpendCap string
	PracticeChain                int64 // chain of a sandbox, which says itself where it is reached; 0: ApeChain
	Now                          time.Time
}

// Init writes <home>/policy.json, mode 0600, in one step, after it was read as
// strictly as any policy file. One that is there is fault.Conflict unless
// o.Force: then its content is kept in backup.
func Init(home string, o InitOptions) (path, backup string, err error) {
	text := o.Template
	if text == nil {
		if text, err = InitTemplate(o); err != nil {
			return "", "", err
		}
	}
	path = filepath.Join(home, policyFile)
	names := Sources{Home: home}.slugs()
	if _, err := basePolicy(&source{"the new " + policyFile, text}, names, false); err != nil {
		return path, "", err
	}
	err = editing(home, func() error {
		there, err := writable(path)
		if err != nil {
			return err
		}
		if there {
			if !o.Force {
				return fault.New(fault.Conflict, "%s is there already", store.Display(path)).
					Hintf("look at it: ape-claw policy show; replace it, and keep the old one beside it, with --force").WithSent(fault.SentNo)
			}
			if backup, err = keep(path, o.Now); err != nil {
				return err
			}
		}
		store.CrashPoint("policy: init")
		return store.WriteFile(path, text)
	})
	return path, backup, err
}

// keep copies a file beside itself, under a name that nothing has yet.
func keep(path string, now time.Time) (backup string, err error) {
	b, err := readSmall(path)
	if err != nil {
		return "", err
	}
	stem := path + "." + now.UTC().Format("20060102T150405Z")
	var f *os.File
	for n := 0; ; n++ {
		backup = stem + ".bak"
		if n > 0 {
			backup = stem + "-" + string(rune('a'+n-1)) + ".bak"
		}
		f, err = store.OpenPrivate(backup, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
		if err == nil || n == 26 {
			break
		}
	}
	if err != nil {
		return "", err
	}
	_, err = f.Write(b)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fault.Wrap(err, fault.NotDurable, "%s could not be kept as %s", store.Display(path), store.Display(backup)).WithSent(fault.SentNo)
	}
	return backup, store.SyncDir(filepath.Dir(path))
}
