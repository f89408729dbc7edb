package chain_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The key, the password and the account of the files in testdata/keystore.
const fixturePassword = "correct horse"

var (
	fixtureKey     = strings.Repeat("22", 32)
	fixtureAccount = common.HexToAddress("0x1563915e194D8CfBA1943570603F7606A3115508")
)

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "keystore", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newKeystore(t *testing.T) (*chain.Keystore, string) {
	t.Helper()
	home := t.TempDir()
	return chain.NewKeystore(home, true, func() time.Time { return time.Date(2026, 12, 1, 4, 5, 6, 7, time.UTC) }), home
}

// Files of other tools open with their password and with no other.
func TestKeyFilesOfOtherTools(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cast.json", "ethers-scrypt.json", "ethereumjs-pbkdf2.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := fixture(t, name)
			s, err := chain.DecryptKey(raw, name, []byte(fixturePassword))
			if err != nil {
				t.Fatal(err)
			}
			if s.Address() != fixtureAccount || s.ExportHex() != "0x"+fixtureKey {
				t.Errorf("it opens as the key of %s", s.Address())
			}
			for _, wrong := range []string{"", "correct horse ", "Correct horse"} {
				_, err := chain.DecryptKey(raw, name, []byte(wrong))
				if fault.CodeOf(err) != fault.Auth || !strings.Contains(err.Error(), "the password does not open "+name) {
					t.Errorf("%q: %v", wrong, err)
				}
			}
		})
	}
}

// A file is data: whatever stands in it, it is opened or refused, without a panic
// and without more memory or time than a wallet's own files ask for.
func TestHostileKeyFiles(t *testing.T) {
	t.Parallel()
	good := string(fixture(t, "cast.json"))
	edit := func(from, to string) string {
		if !strings.Contains(good, from) {
			t.Fatalf("%s is not in the file", from)
		}
		return strings.Replace(good, from, to, 1)
	}
	for name, c := range map[string]struct{ raw, says string }{
		"empty":            {"", "no keystore file"},
		"no object":        {"[]", "no keystore file"},
		"cut":              {good[:len(good)/2], "no keystore file"},
		"version 1":        {edit(`"version":3`, `"version":"1"`), "version 3"},
		"no version":       {edit(`"version":3`, `"v":3`), "version 3"},
		"cipher":           {edit("aes-128-ctr", "aes-128-cbc"), "aes-128-ctr"},
		"short iv":         {edit("fb66eaec", ""), "damaged"},
		"long iv":          {edit("fb66eaec", "fb66eaecfb66eaec"), "damaged"},
		"odd iv":           {edit("fb66eaec", "fb66eae"), "damaged"},
		"no hex":           {edit("679b877b", "zz9b877b"), "damaged"},
		"short key":        {edit("679b877b", ""), "damaged"},
		"no mac":           {edit("95f4c9dd", ""), "damaged"},
		"no salt":          {edit(`"salt"`, `"pepper"`), "damaged"},
		"dklen":            {edit(`"dklen":32`, `"dklen":16`), "damaged"},
		"dklen as text":    {edit(`"dklen":32`, `"dklen":"32"`), "no keystore file"},
		"all memory":       {edit(`"n":8192`, `"n":1073741824`), "no wallet makes"},
		"overflow":         {edit(`"n":8192`, `"n":9223372036854775807`), "no wallet makes"},
		"n not a power":    {edit(`"n":8192`, `"n":8191`), "no wallet makes"},
		"n negative":       {edit(`"n":8192`, `"n":-8192`), "no wallet makes"},
		"n trivial":        {edit(`"n":8192`, `"n":2`), "no wallet makes"},
		"n a fraction":     {edit(`"n":8192`, `"n":8192.5`), "no keystore file"},
		"r":                {edit(`"r":8`, `"r":100000`), "no wallet makes"},
		"p for an hour":    {edit(`"p":1`, `"p":1000000`), "no wallet makes"},
		"no p":             {edit(`"p":1`, `"q":1`), "no wallet makes"},
		"kdf":              {edit(`"kdf":"scrypt"`, `"kdf":"argon2"`), "neither by scrypt nor by pbkdf2"},
		"pbkdf2 without c": {edit(`"kdf":"scrypt"`, `"kdf":"pbkdf2"`), "no wallet makes"},
		"address":          {edit(`"version":3`, `"version":3,"address":"nobody"`), "its address is none"},
		"changed key":      {edit("679b877b", "689b877b"), "the password does not open"},
		"changed mac":      {edit("95f4c9dd", "95f4c9de"), "the password does not open"},
		"changed salt":     {edit("dfdf537e", "dfdf537f"), "the password does not open"},
		"changed iv":       {edit("fb66eaec", "fb66eaed"), ""}, // the MAC does not cover it: another key
		"of another": {edit(`"version":3`, `"version":3,"address":"0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"`),
			"holds a key of another account"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := chain.DecryptKey([]byte(c.raw), "the file", []byte(fixturePassword))
			if c.says == "" {
				if err == nil && s.Address() == fixtureAccount {
					t.Error("it opened as the same key")
				}
				return
			}
			if fault.CodeOf(err) != fault.Auth || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%v, want auth saying %q", err, c.says)
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if text := e.Error(); strings.Contains(text, fixtureKey) || strings.Contains(text, fixturePassword) || strings.Contains(text, "679b877b") {
					t.Errorf("the error shows too much: %s", text)
				}
			}
		})
	}
}

// A key that was saved is listed without its password and opens with it.
func TestKeystoreRoundTrip(t *testing.T) {
	t.Parallel()
	ks, home := newKeystore(t)
	if keys, bad, err := ks.List(); len(keys)+len(bad) != 0 || err != nil {
		t.Fatalf("an empty one: %v %v %v", keys, bad, err)
	}
	s, err := chain.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	secret := s.ExportHex()
	saved, err := ks.Save(s, []byte("p\u00e4ssword"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{filepath.Join(home, "keystore"): 0o700, saved.Path: 0o600} {
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v", path, fi.Mode(), err)
		}
	}
	if base := filepath.Base(saved.Path); base != "UTC--2026-12-01T04-05-06.000000007Z--"+strings.ToLower(s.Address().Hex()[2:]) {
		t.Errorf("the file is called %s", base)
	}
	raw, err := os.ReadFile(saved.Path)
	if err != nil || bytes.Contains(raw, []byte(secret[2:])) {
		t.Errorf("the file holds the key in the clear, %v", err)
	}
	keys, bad, err := ks.List()
	if err != nil || len(bad) != 0 || len(keys) != 1 || keys[0].Address != s.Address() || !keys[0].Created.Equal(saved.Created) {
		t.Fatalf("%v %v %v", keys, bad, err)
	}
	again, err := ks.Unlock(keys[0], []byte("p\u00e4ssword"))
	if err != nil || again.ExportHex() != secret {
		t.Fatalf("it opened as another key, %v", err)
	}
	if _, err := ks.Save(s, []byte("another")); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("saved twice: %v", err)
	}
	if _, err := ks.Find(common.Address{1}); fault.CodeOf(err) != fault.Auth {
		t.Errorf("found what is not there: %v", err)
	}
	if again.Wipe(); strings.Contains(again.ExportHex(), secret[2:]) {
		t.Error("the key outlived its wiping")
	}
	if all := fmt.Sprintf("%v %+v %#v", s, keys, again); strings.Contains(all, secret[2:]) {
		t.Error("the key is printed")
	}
}

// What others can read, or put there, is no key of ours.
func TestKeystoreRefusesWhatOthersReach(t *testing.T) {
	t.Parallel()
	name := "UTC--2026-12-01T04-05-06.000000007Z--" + strings.ToLower(fixtureAccount.Hex()[2:])
	for what, c := range map[string]struct {
		spoil func(t *testing.T, dir, file string)
		says  string
		all   bool // the whole keystore is refused
	}{
		"file mode": {func(t *testing.T, _, file string) { must(t, os.Chmod(file, 0o640)) }, "has mode 0640 and others can reach it", false},
		"dir mode":  {func(t *testing.T, dir, _ string) { must(t, os.Chmod(dir, 0o755)) }, "has mode 0755 and others can reach it", true},
		"symlink": {func(t *testing.T, dir, file string) {
			must(t, os.Rename(file, filepath.Join(filepath.Dir(dir), "elsewhere")))
			must(t, os.Symlink(filepath.Join(filepath.Dir(dir), "elsewhere"), file))
		}, "is a symbolic link", false},
		"hard link": {func(t *testing.T, dir, file string) {
			must(t, os.Link(file, filepath.Join(filepath.Dir(dir), "other")))
		}, "has other names", false},
		"linked dir": {func(t *testing.T, dir, _ string) {
			must(t, os.Rename(dir, dir+"2"))
			must(t, os.Symlink(dir+"2", dir))
		}, "is a symbolic link", true},
		"no dir": {func(t *testing.T, dir, _ string) {
			must(t, os.RemoveAll(dir))
			must(t, os.WriteFile(dir, nil, 0o600))
		}, "not a directory", true},
		"huge": {func(t *testing.T, _, file string) { must(t, os.Truncate(file, 1<<20)) }, "larger than", false},
		"junk": {func(t *testing.T, _, file string) { must(t, os.WriteFile(file, []byte("{}"), 0o600)) }, "no keystore file", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			ks, home := newKeystore(t)
			dir := filepath.Join(home, "keystore")
			file := filepath.Join(dir, name)
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.WriteFile(file, fixture(t, "ethers-scrypt.json"), 0o600))
			if keys, bad, err := ks.List(); len(keys) != 1 || len(bad) != 0 || err != nil {
				t.Fatalf("%v %v %v", keys, bad, err)
			}
			c.spoil(t, dir, file)
			keys, bad, err := ks.List()
			if !c.all && len(bad) == 1 {
				err = bad[0]
			}
			if len(keys) != 0 || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v %v %v, want it to say %q", keys, bad, err, c.says)
			}
			if _, err := ks.Unlock(chain.StoredKey{Address: fixtureAccount, Path: file}, []byte(fixturePassword)); err == nil {
				t.Error("it was opened")
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
