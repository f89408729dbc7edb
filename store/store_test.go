package store_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestEnsureDirMakesPrivateDirectories(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := store.EnsureDir(dir); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		fi, err := os.Stat(d)
		if err != nil || fi.Mode().Perm() != 0o700 {
			t.Errorf("%s: mode %v, err %v", d, fi.Mode(), err)
		}
	}
}

func TestUnusableDirectories(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(root, "foreign")
	if err := os.Mkdir(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ dir, want string }{
		"a file":         {file, "is not a directory"},
		"beneath a file": {filepath.Join(file, "state"), "is not a directory"},
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(foreign, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		cases["another user's"] = struct{ dir, want string }{foreign, "belongs to user 12345"}
	}
	for name, c := range cases {
		err := store.EnsureDir(c.dir)
		if fault.CodeOf(err) != fault.StateUnusable || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want state_unusable with %q", name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), root) {
			t.Errorf("%s: the message shows a machine's path: %v", name, err)
		}
	}
	if err := store.CheckDir(filepath.Join(root, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing directory: %v", err)
	}
}

func TestWriteFileReplacesAtomically(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f.json")
	if err := os.WriteFile(path, []byte("old, and much longer than the new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil || string(b) != "new" {
		t.Fatalf("%q, %v", b, err)
	}
	if fi, _ := os.Stat(path); fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", fi.Mode())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".f.json.*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	// A target that can't be replaced leaves no temporary file either.
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteFile(filepath.Join(dir, "d"), []byte("x")); err == nil {
		t.Error("a directory was replaced by a file")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".d.*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNewIDIsReadableAndUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		id := store.NewID("q_")
		if len(id) != 22 || !strings.HasPrefix(id, "q_") || strings.ContainsAny(id[2:], "lo01_ABC") || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}

func TestLockExcludes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "locks", "a.lock")
	l, ok, err := store.TryLock(path)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if _, ok, err := store.TryLock(path); ok || err != nil {
		t.Fatalf("taken twice: %v %v", ok, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := store.AcquireLock(ctx, path); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("waited in vain: %v", err)
	}
	got := make(chan error, 1)
	go func() {
		l2, err := store.AcquireLock(t.Context(), path)
		if err == nil {
			err = l2.Unlock()
		}
		got <- err
	}()
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}

func openMoney(t *testing.T, home string) *sql.DB {
	t.Helper()
	db, err := store.OpenMoney(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestDatabaseSettings(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "it's 100% odd?#")
	db := openMoney(t, home)
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000"} {
		var got string
		if err := db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q, %v; want %q", pragma, got, err, want)
		}
	}
	fi, err := os.Stat(filepath.Join(home, store.MoneyFile))
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
}

func TestNewerAndBrokenDatabasesAreRefused(t *testing.T) {
	t.Parallel()
	newer, broken := t.TempDir(), t.TempDir()
	db := openMoney(t, newer)
	if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	_, err := store.OpenMoney(t.Context(), newer)
	if fault.CodeOf(err) != fault.StateUnusable || !strings.Contains(err.Error(), "schema 99") {
		t.Errorf("newer: %v", err)
	}
	if err := os.WriteFile(filepath.Join(broken, store.MoneyFile), []byte(strings.Repeat("no database ", 999)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = store.OpenMoney(t.Context(), broken)
	if fault.CodeOf(err) != fault.StateUnusable || !strings.Contains(err.Error(), "corrupt") {
		t.Errorf("broken: %v", err)
	}
	if b, _ := os.ReadFile(filepath.Join(broken, store.MoneyFile)); !strings.HasPrefix(string(b), "no database") {
		t.Error("the broken file was touched")
	}
	asDir := t.TempDir()
	if err := os.Mkdir(filepath.Join(asDir, store.MoneyFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := store.OpenMoney(t.Context(), asDir); fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("a directory: %v", err)
	}
}

func TestManyOpenAtOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			db, err := store.OpenMoney(t.Context(), home)
			if err != nil {
				t.Errorf("open %d: %v", i, err)
				return
			}
			defer db.Close()
			if _, err := db.Exec("INSERT INTO spend (id, chain_id, account, asset, subject, kind, ref, amount, state, reserved_at) VALUES (?,1,'a','native','s','k','r','1','reserved',1)", fmt.Sprint(i)); err != nil {
				t.Errorf("insert %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

// SQLite turns away at once who switches a file to WAL while another is at it; an
// open waits for its turn all the same.
func TestOpenWaitsForWhoCreates(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	other, err := sql.Open("sqlite", filepath.Join(home, store.MoneyFile))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	// What a switch to WAL takes and others meet: here it is kept for a while.
	if _, err := other.Exec("PRAGMA user_version = 0; BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		db, err := store.OpenMoney(t.Context(), home)
		if err == nil {
			err = db.Close()
		}
		done <- err
	}()
	select {
	case err = <-done:
		t.Fatalf("did not wait: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestProfileRoundTripKeepsForeignFields(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.WriteFile(store.ProfilePath(home), []byte(`{"agentId":"a1","later":{"x":1},"privateKey":"0xsecret"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := store.LoadProfile(home)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(fmt.Sprintf("%v %+v %#v %s", p, p, p, p), "secret") {
		t.Error("formatting a profile shows a secret")
	}
	p.PrivateKey = ""
	if err := p.Save(home); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(store.ProfilePath(home))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil || got["agentId"] != "a1" || got["later"] == nil || got["privateKey"] != nil {
		t.Errorf("%s, %v", b, err)
	}
	if fi, _ := os.Stat(store.ProfilePath(home)); fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", fi.Mode())
	}
}

func TestBrokenProfileShowsNothingOfItself(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.WriteFile(store.ProfilePath(home), []byte(`{"privateKey": canary}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := store.LoadProfile(home)
	if fault.CodeOf(err) != fault.StateUnusable || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
}

func TestDisplayNeverShowsForeignDirectories(t *testing.T) {
	t.Parallel()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(wd, "state", "x"): "state/x",
		"/srv/deep/down/file.json":      "…/down/file.json",
		"/srv/file.json":                "…/srv/file.json",
		"/srv":                          "/srv",
		"/":                             "/",
		"":                              "",
	} {
		if got := store.Display(path); got != want {
			t.Errorf("Display(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestLooseMode(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	if got := store.LooseMode(path); !strings.Contains(got, "0644") || !strings.Contains(got, "chmod 600") {
		t.Errorf("%q", got)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := store.LooseMode(path); got != "" {
		t.Errorf("%q", got)
	}
}

// A new directory inside another user's would belong to root and lock the owner out.
func TestRootMakesNothingInOthersDirectories(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can own what it makes elsewhere")
	}
	parent := filepath.Join(t.TempDir(), "theirs")
	if err := errors.Join(os.Mkdir(parent, 0o755), os.Chown(parent, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, "state")
	if err := store.EnsureDir(dir); fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("it was made all the same")
	}
}

// TestUnlockIsForAll: a lock that was given back is free, though a child that is being
// started still has its file open.
func TestUnlockIsForAll(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	l, ok, err := store.TryLock(path)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("open files can't be listed here: %v", err)
	}
	copied := false
	for _, e := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err != nil || to != path {
			continue
		}
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		fd, err := syscall.Dup(n)
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(fd)
		copied = true
	}
	if !copied {
		t.Fatal("the lock's file is not open")
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	again, ok, err := store.TryLock(path)
	if err != nil || !ok {
		t.Fatalf("it is still held: %v", err)
	}
	if err := again.Unlock(); err != nil {
		t.Error(err)
	}
}
