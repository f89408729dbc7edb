package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/tests/pty"
)

// walletElsewhere are the commands that TestWallet holds to their terminal.
func walletElsewhere() []string { return []string{"wallet new", "wallet import", "wallet export"} }

const walletPassword = "canary correct horse"

// nowhereFor fails if a secret is in a file of the world, its name, or what was printed.
func (w *world) nowhereFor(secret, printed string) {
	w.t.Helper()
	bare := strings.ToLower(strings.TrimPrefix(secret, "0x"))
	if strings.Contains(strings.ToLower(printed), bare) {
		w.t.Errorf("a secret was printed:\n%s", printed)
	}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "given-") {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(strings.ToLower(string(b)), bare) {
			w.t.Errorf("a secret is in %s", path)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// given writes a file that a person hands to the program.
func (w *world) given(name, text string, mode fs.FileMode) string {
	w.t.Helper()
	path := filepath.Join(w.dir, "given-"+name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// A key is made, listed, chosen and shown to a person, and is in nothing that the
// program prints or keeps.
func TestWallet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.home(".keep", "")
	before := len(w.files())
	for _, wrong := range [][][2]string{
		{{"new password: ", "short"}},
		{{"new password: ", walletPassword}, {"new password again: ", walletPassword + "!"}},
	} {
		s := w.at([]string{"wallet", "new", "--json"}, pty.Apart())
		typing(s, wrong...)
		if exit := s.Wait(); exit != 64 || len(w.files()) != before {
			t.Errorf("exit status %d: %s", exit, s.Stdout())
		}
	}
	if s := w.at([]string{"wallet", "new", "--json"}, pty.NoTerminal(), pty.Stdin(strings.Repeat(walletPassword+"\n", 2))); s.Wait() != 4 || len(w.files()) != before {
		t.Errorf("made without a terminal: %s", s.Stdout())
	}
	s := w.at([]string{"wallet", "new", "--json"}, pty.Apart())
	s.Expect("new password: ")
	if s.Echo() {
		t.Error("the password would be echoed")
	}
	s.Send(walletPassword)
	typing(s, [2]string{"new password again: ", walletPassword})
	if exit := s.Wait(); exit != 0 {
		t.Fatalf("exit status %d: %s", exit, s.Stdout())
	}
	made := regexp.MustCompile(`"address":"(0x[0-9a-fA-F]{40})"`).FindStringSubmatch(s.Stdout())
	if made == nil {
		t.Fatal(s.Stdout())
	}
	address := made[1]
	printed := s.Stdout() + s.Stderr()

	for _, args := range [][]string{{"wallet", "list"}, {"wallet", "address"}, {"auth", "show"}} {
		doc, exit := w.doc(args...)
		if exit != 0 {
			t.Errorf("%v: %d %v", args, exit, doc)
		}
	}
	if doc, _ := w.doc("wallet", "address"); doc["address"] != address || doc["source"] != "keystore" {
		t.Errorf("%v", doc)
	}
	doctor, _ := w.doc("doctor")
	signer, _ := doctor["execution"].(map[string]any)["signer"].(map[string]any)
	if signer["address"] != address || signer["source"] != "keystore" || signer["locked"] != true {
		t.Errorf("doctor says %v", signer)
	}

	ask := [2]string{"show it? Type yes: ", "yes"}
	for _, c := range []struct {
		typed [][2]string
		exit  int
	}{
		{[][2]string{{ask[0], "no"}}, 4},
		{[][2]string{ask, {"password of " + address + ": ", "wrong password"}}, 5},
	} {
		s := w.at([]string{"wallet", "export"})
		typing(s, c.typed...)
		if exit := s.Wait(); exit != c.exit || regexp.MustCompile(`0x[0-9a-f]{64}`).MatchString(s.Screen()) {
			t.Errorf("exit status %d, want %d:\n%s", exit, c.exit, s.Screen())
		}
	}
	s = w.at([]string{"wallet", "export", "--json"}, pty.Apart())
	typing(s, ask, [2]string{"password of " + address + ": ", walletPassword})
	exit := s.Wait()
	key := regexp.MustCompile(`0x[0-9a-f]{64}`).FindString(s.Screen())
	if exit != 0 || key == "" || !strings.Contains(s.Stdout(), `"shown":true`) {
		t.Fatalf("exit status %d: %s\n%s", exit, s.Stdout(), s.Screen())
	}
	printed += s.Stdout() + s.Stderr()
	w.nowhereFor(key, printed)
	w.nowhereFor(walletPassword, printed)

	// The same key again is there already; another makes a choice necessary.
	again := w.at([]string{"wallet", "import", "--json"}, pty.Apart())
	typing(again, [2]string{"private key: ", key}, [2]string{"new password: ", walletPassword}, [2]string{"new password again: ", walletPassword})
	if exit := again.Wait(); exit != 10 {
		t.Errorf("exit status %d: %s", exit, again.Stdout())
	}
	w.nowhereFor(key, again.Stdout()+again.Stderr())
}

// Keys come in from files and descriptors that are this user's alone, after a yes.
func TestWalletImport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.home(".keep", "")
	cast, err := os.ReadFile(filepath.Join("..", "..", "chain", "testdata", "keystore", "cast.json"))
	if err != nil {
		t.Fatal(err)
	}
	const account = "0x1563915e194D8CfBA1943570603F7606A3115508"
	file, loose := w.given("cast.json", string(cast), 0o600), w.given("loose.json", string(cast), 0o644)
	good, wrong := w.given("password", "correct horse\n", 0o600), w.given("wrong", "incorrect horse\n", 0o600)
	open, two := w.given("open", "correct horse\n", 0o640), w.given("two", "correct\nhorse\n", 0o600)
	link := filepath.Join(w.dir, "given-link")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	none := len(w.files())
	for name, c := range map[string]struct {
		file, password string
		exit           int
		says           string
	}{
		"wrong password":   {file, wrong, 5, "the password does not open given-cast.json"},
		"loose key":        {loose, good, 12, "given-loose.json has mode 0644 and others can reach it"},
		"loose password":   {file, open, 12, "given-open has mode 0640 and others can reach it"},
		"password link":    {file, link, 12, "is a symbolic link"},
		"two lines":        {file, two, 5, "no single line"},
		"no such key":      {file + "x", good, 64, "does not exist"},
		"no such password": {file, good + "x", 64, "does not exist"},
		"no key":           {good, good, 5, "is not hex"},
	} {
		s := w.at([]string{"wallet", "import", "--file", c.file, "--password-file", c.password, "--json"}, pty.Apart())
		if exit := s.Wait(); exit != c.exit || !strings.Contains(s.Stdout(), c.says) || strings.Contains(s.Stdout(), "horse") {
			t.Errorf("%s: exit status %d: %s", name, exit, s.Stdout())
		}
	}
	args := []string{"wallet", "import", "--file", file, "--password-file", good, "--json"}
	if s := w.at(args, pty.NoTerminal(), pty.Stdin("yes\n")); s.Wait() != 4 {
		t.Errorf("without a terminal: %s", s.Stdout())
	}
	question := "keep the key of " + account + "? Type yes: "
	s := w.at(args, pty.Apart(), pty.Stdin("yes\n"))
	typing(s, [2]string{question, "no"})
	if exit := s.Wait(); exit != 4 || len(w.files()) != none {
		t.Errorf("after a no: exit status %d: %s", exit, s.Stdout())
	}
	s = w.at(args, pty.Apart())
	typing(s, [2]string{question, "yes"})
	if exit := s.Wait(); exit != 0 || !strings.Contains(s.Stdout(), account) {
		t.Fatalf("exit status %d: %s", exit, s.Stdout())
	}
	w.nowhereFor(strings.Repeat("22", 32), s.Stdout()+s.Stderr())
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"--account", account}, 0, ""},
		{[]string{"--account", strings.ToLower(account)}, 0, ""},
		{[]string{"--account", strings.Replace(account, "e194D", "e194d", 1)}, 64, "is no address"},
		{[]string{"--account", demoAddress}, 5, "there is no key of " + demoAddress},
		{[]string{"--private-key", demoKey, "--account", account}, 64, "the private key on the command line is of " + demoAddress},
		{[]string{"--private-key", demoKey, "--account", demoAddress}, 0, ""},
	} {
		doc, exit := w.doc(append([]string{"wallet", "address"}, c.args...)...)
		said, _ := doc["error"].(string)
		if exit != c.exit || !strings.Contains(said, c.says) {
			t.Errorf("%v: %d %v", c.args[1:], exit, doc)
		}
	}
	env := w.env
	w.env = append(env[:len(env):len(env)], "APE_CLAW_PRIVATE_KEY="+demoKey)
	if doc, _ := w.doc("wallet", "address"); doc["address"] != demoAddress || doc["source"] != "env" || len(doc["warnings"].([]any)) != 2 {
		t.Errorf("two sources: %v", doc)
	}
	if doc, _ := w.doc("wallet", "address", "--account", account); doc["address"] != account || doc["source"] != "keystore" || len(doc["warnings"].([]any)) != 1 {
		t.Errorf("the keystore's, by its account: %v", doc)
	}
}
