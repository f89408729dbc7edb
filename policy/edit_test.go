package policy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestInit(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "new", "home")
	path, backup, err := policy.Init(home, policy.InitOptions{MaxPricePerTx: "12.5", DailySpendCap: "unlimited", Now: noon})
	if err != nil || backup != "" || path != filepath.Join(home, "policy.json") {
		t.Fatal(path, backup, err)
	}
	for of, want := range map[string]os.FileMode{path: 0o600, home: 0o700 | os.ModeDir} {
		if fi, err := os.Stat(of); err != nil || fi.Mode() != want {
			t.Errorf("%s: %v %v", of, fi, err)
		}
	}
	p, err := policy.Load(policy.Sources{Home: home})
	if err != nil || p.NFTBuy.MaxPricePerTx != capOf(t, "12.5") || !p.Execution.DailySpendCap.Unlimited || p.Execution.AutonomousMode || len(p.Warnings) > 0 {
		t.Fatalf("%+v %v", p, err)
	}
	if r := policy.LoadReport(policy.Sources{Home: home}); len(r.Warnings) > 0 {
		t.Errorf("the file that init writes has doubtful rules: %q", r.Warnings)
	}

	first := read(t, path)
	_, _, err = policy.Init(home, policy.InitOptions{Now: noon})
	wantCode(t, err, fault.Conflict)
	for i, want := range []string{".20260301T120000Z.bak", ".20260301T120000Z-a.bak"} {
		_, backup, err := policy.Init(home, policy.InitOptions{Force: true, Now: noon})
		if err != nil || backup != path+want {
			t.Fatal(backup, err)
		}
		if i == 0 && read(t, backup) != first {
			t.Error("the backup is not what was there")
		}
	}
	if p, err := policy.Load(policy.Sources{Home: home}); err != nil || p.NFTBuy.MaxPricePerTx != (policy.Cap{}) || p.Execution.DailySpendCap != (policy.Cap{}) {
		t.Errorf("caps that nobody gave allow something: %+v %v", p, err)
	}
}

func TestInitWritesNothingThatIsWrong(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]policy.InitOptions{
		"junk":     {MaxPricePerTx: "abc"},
		"exponent": {DailySpendCap: "1e18"},
		"places":   {DailySpendCap: "0.1234567890123456789"},
		"negative": {MaxPricePerTx: "-1"},
		"key":      {Template: []byte(`{"exec":{}}`)},
		"empty":    {Template: []byte{}},
	} {
		home := t.TempDir()
		if _, _, err := policy.Init(home, o); fault.ExitCode(err) != 3 && fault.ExitCode(err) != 64 {
			t.Errorf("%s: %v", name, err)
		}
		if list, err := os.ReadDir(home); err != nil || len(list) > 0 {
			t.Errorf("%s left %v", name, list)
		}
	}
}

// Nothing is written through a link, onto a directory or into a pipe.
func TestWritersFollowNoLink(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]struct {
		file string
		do   func(home string) error
	}{
		"init": {"policy.json", func(home string) error {
			_, _, err := policy.Init(home, policy.InitOptions{Force: true, Now: noon})
			return err
		}},
		"halt":   {"HALT", func(home string) error { return policy.WriteHalt(home, "policy", "stop", noon) }},
		"unhalt": {"HALT", func(home string) error { _, err := policy.ClearHalt(home, ""); return err }},
		"add": {"allowlist.json", func(home string) error {
			_, err := policy.AddEntry(home, policy.Entry{Slug: "x", ContractAddress: addrA})
			return err
		}},
		"remove": {"allowlist.json", func(home string) error { _, err := policy.RemoveEntry(home, "dengs"); return err }},
	} {
		for way, put := range map[string]func(path, other string) error{
			"link":      func(path, other string) error { return os.Symlink(other, path) },
			"hard link": func(path, other string) error { return os.Link(other, path) },
			"directory": func(path, _ string) error { return os.Mkdir(path, 0o700) },
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				other := filepath.Join(t.TempDir(), "other")
				if err := os.WriteFile(other, []byte("[]"), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := put(filepath.Join(home, write.file), other); err != nil {
					t.Fatal(err)
				}
				wantCode(t, write.do(home), fault.StateUnusable)
				if read(t, other) != "[]" {
					t.Error("what the link leads to was changed")
				}
				if write.file == "HALT" && policy.Halted(home) == nil {
					t.Error("it no longer halts")
				}
			})
		}
	}
}

// To stop needs nobody's leave: neither who holds the lock keeps a halt from being
// written, nor a lock that can't be had at all.
func TestHaltWithoutTheLock(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, lock string){
		"held": func(t *testing.T, lock string) {
			l, ok, err := store.TryLock(lock)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			t.Cleanup(func() { _ = l.Unlock() })
		},
		"a directory": func(t *testing.T, lock string) {
			if err := os.Mkdir(lock, 0o700); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if err := os.WriteFile(filepath.Join(home, "HALT"), []byte("policy: before"), 0o600); err != nil {
				t.Fatal(err)
			}
			spoil(t, filepath.Join(home, "fence.lock"))
			for range 2 {
				if err := policy.WriteHalt(home, "ai", "stop", noon); err != nil {
					t.Fatal(err)
				}
			}
			if want := []string{"policy: before", "ai: stop (2026-03-01T12:00:00Z)"}; !slices.Equal(policy.Halted(home), want) {
				t.Errorf("%q, want %q", policy.Halted(home), want)
			}
		})
	}
}

func TestHaltAndUnhalt(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := filepath.Join(home, "HALT")
	halt := func(cause, reason string, at time.Time) {
		t.Helper()
		if err := policy.WriteHalt(home, cause, reason, at); err != nil {
			t.Fatal(err)
		}
	}
	halt("policy", "looks\nodd\x1b[31m ", noon)
	halt("policy", "looks\nodd\x1b[31m ", noon.Add(time.Hour)) // said already
	halt("ai", "", noon)
	halt("policy", strings.Repeat("x", 500), noon)
	want := "policy: looks odd\ufffd[31m (2026-03-01T12:00:00Z)\nai: no reason given (2026-03-01T12:00:00Z)\npolicy: " + strings.Repeat("x", 140) + "… (2026-03-01T12:00:00Z)\n"
	if got := read(t, path); got != want {
		t.Fatalf("%q", got)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode() != 0o600 {
		t.Errorf("%v %v", fi, err)
	}
	for _, cause := range []string{"", "Policy", "a b", "a:b", "x\ny", strings.Repeat("a", 40)} {
		wantCode(t, policy.WriteHalt(home, cause, "x", noon), fault.Usage)
	}
	clearLines := func(n int, cause string, shown ...string) {
		t.Helper()
		removed, err := policy.ClearHalt(home, cause, shown...)
		if err != nil || len(removed) != n {
			t.Fatalf("%q %v, want %d lines", removed, err, n)
		}
	}
	clearLines(0, "a")
	clearLines(1, "ai")
	seen := policy.Halted(home)
	halt("ai", "meanwhile", noon)
	clearLines(2, "", seen...) // what a person did not see stays
	if got := policy.Halted(home); len(got) != 1 || !strings.HasPrefix(got[0], "ai: meanwhile") {
		t.Fatalf("%q", got)
	}
	clearLines(1, "ai")
	clearLines(0, "")
	if policy.Halted(home) != nil {
		t.Fatal("still halted")
	}
	// A file that says nothing halts too, and only "all" removes it.
	write(t, home, "HALT", "\n")
	clearLines(0, "ai")
	if policy.Halted(home) == nil {
		t.Fatal("ai removed a halt that is not its own")
	}
	clearLines(1, "")
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Error(err)
	}
	write(t, home, "HALT", "policy\nby hand\n")
	clearLines(1, "policy")
	clearLines(1, "")
}

// Many at once lose no line.
func TestManyHalts(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if err := policy.WriteHalt(home, "policy", fmt.Sprint("reason ", i), noon); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(policy.Halted(home)); n != 12 {
		t.Errorf("%d lines of 12", n)
	}
}

func TestAllowlistAddAndRemove(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := filepath.Join(home, "allowlist.json")
	add := func(e policy.Entry) (bool, error) { return policy.AddEntry(home, e) }
	load := func() *policy.Allowlist {
		t.Helper()
		a, err := policy.LoadAllowlist(policy.Sources{Home: home})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if added, err := add(policy.Entry{Slug: "dengs", ContractAddress: dengs}); added || err != nil {
		t.Fatal(added, err) // it is built in
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Error("nothing was added, and the file was written")
	}
	if added, err := add(policy.Entry{Slug: "newcomers", ContractAddress: strings.ToUpper(addrA[2:])}); added || fault.CodeOf(err) != fault.Usage {
		t.Fatal(added, err)
	}
	if added, err := add(policy.Entry{Slug: "newcomers", Name: "The <Newcomers> & Co", ContractAddress: "0x" + strings.ToUpper(addrA[2:])}); !added || err != nil {
		t.Fatal(added, err)
	}
	if e, err := load().Resolve("newcomers"); err != nil || e.ContractAddress != addrA || e.Name != "The <Newcomers> & Co" || len(load().Entries()) != 29 {
		t.Fatalf("%+v %v", e, err)
	}
	if added, err := add(policy.Entry{Slug: "newcomers", ContractAddress: addrA}); added || err != nil {
		t.Fatal(added, err)
	}
	if e, err := policy.RemoveEntry(home, "Dengs"); err != nil || e.ContractAddress != dengs || len(load().Entries()) != 28 {
		t.Fatal(e, err)
	}
	_, err := policy.RemoveEntry(home, "dengs")
	wantCode(t, err, fault.NotFound)
	if fi, err := os.Stat(path); err != nil || fi.Mode() != 0o600 {
		t.Errorf("%v %v", fi, err)
	}

	// What is disabled is enabled, what is unresolved is resolved, and one name of
	// two contracts is not removed by that name.
	write(t, home, "allowlist.json", `[{"slug":"off","contractAddress":"`+addrA+`","enabled":false},{"slug":"half"},
		{"slug":"twin-a","name":"Twin","contractAddress":"`+addrB+`"},{"slug":"twin-b","name":"Twin","contractAddress":"`+addrC+`"}]`)
	if added, err := add(policy.Entry{Slug: "off", ContractAddress: addrA}); !added || err != nil {
		t.Fatal(added, err)
	}
	if added, err := add(policy.Entry{Slug: "half", ContractAddress: dengs}); !added || err != nil || len(load().Entries()) != 4 {
		t.Fatal(added, err, load().Entries())
	}
	_, err = policy.RemoveEntry(home, "twin")
	wantCode(t, err, fault.CollectionAmbiguous)
	if e, err := policy.RemoveEntry(home, addrC); err != nil || e.Slug != "twin-b" {
		t.Fatal(e, err)
	}
	write(t, home, "allowlist.json", `[{"slug":"a"`)
	_, err = add(policy.Entry{Slug: "b", ContractAddress: addrB})
	wantCode(t, err, fault.PolicyInvalid)
}

func TestLookAlikesAreNotAdded(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	fresh := "0x1234567890123456789012345678901234567890"
	for _, e := range []policy.Entry{
		{Slug: "dengs", ContractAddress: fresh}, {Slug: "other", Name: "DENGS", ContractAddress: fresh}, {Slug: "den-gs", ContractAddress: fresh},
		{Slug: "other", Name: "D\u0435ngs", ContractAddress: fresh},  // Cyrillic е among Latin letters
		{Slug: "other", Name: "Ｄｅｎｇｓ", ContractAddress: fresh},       // full width
		{Slug: "other", Name: "𝐃𝐞𝐧𝐠𝐬", ContractAddress: fresh},       // mathematical bold
		{Slug: "other", Name: "Dèngs", ContractAddress: fresh},       // a mark
		{Slug: "other", Name: "De\u0301ngs", ContractAddress: fresh}, // a combining mark
		{Slug: "d3ngs", ContractAddress: fresh}, {Slug: "z4rds", Name: "Zards", ContractAddress: fresh},
		{Slug: "rilliaz", Name: "RlLLAZ", ContractAddress: fresh}, {Slug: "b00ximus", Name: "B0ximus", ContractAddress: fresh},
		{Slug: "other", Name: "мonos", ContractAddress: fresh}, {Slug: "other", Name: "мопоs", ContractAddress: fresh},
		{Slug: "other", Name: "Fr\u043estbyte", ContractAddress: fresh}, {Slug: "other", Name: "Νew", ContractAddress: fresh}, // Greek Ν
		{Slug: "renamed", ContractAddress: dengs},
	} {
		if added, err := policy.AddEntry(home, e); added || fault.CodeOf(err) != fault.Conflict {
			t.Errorf("%+v: %t %v", e, added, err)
		}
	}
	for _, e := range []policy.Entry{
		{Slug: "", ContractAddress: fresh}, {Slug: "a b", ContractAddress: fresh}, {Slug: "x"}, {Slug: "x", ContractAddress: "0x12"},
		{Slug: "x", Name: "zero\u200bwidth", ContractAddress: fresh}, {Slug: "x", Name: "right\u202eleft", ContractAddress: fresh},
		{Slug: "x", ContractAddress: "0x" + strings.Repeat("0", 40)},
	} {
		if added, err := policy.AddEntry(home, e); added || fault.CodeOf(err) != fault.Usage {
			t.Errorf("%+v: %t %v", e, added, err)
		}
	}
	for _, e := range []policy.Entry{
		{Slug: "кошки", ContractAddress: fresh},
		{Slug: "tokyo-cats", Name: "東京ねこカフェ", ContractAddress: fresh}, {Slug: "cats", Name: "Кошки 9", ContractAddress: "0x1234567890123456789012345678901234567891"},
		{Slug: "frogs", Name: "🐸", ContractAddress: "0x1234567890123456789012345678901234567892"}, {Slug: "foxes", Name: "🦊", ContractAddress: "0x1234567890123456789012345678901234567893"},
	} {
		want := e.Slug != "кошки" // a slug is ASCII
		if added, err := policy.AddEntry(home, e); added != want {
			t.Errorf("%+v: %t %v", e, added, err)
		}
	}
	twin := dengs[:6] + strings.Repeat("7", 32) + dengs[38:]
	clean, warnings, err := policy.CheckEntry(home, policy.Entry{Slug: "rengs", ContractAddress: twin})
	if err != nil || clean.Name != "rengs" || !clean.Enabled || len(warnings) != 2 || !strings.Contains(warnings[0], "begins and ends like "+dengs) || !strings.Contains(warnings[1], "by one character") {
		t.Errorf("%+v %q %v", clean, warnings, err)
	}
}
