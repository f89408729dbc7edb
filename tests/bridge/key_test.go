package bridge

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain/units"
)

const canaryPassword = "canary correct horse battery"

// TestTheKeyIsNowhere: a transfer is signed with a key of the keystore, whose password is
// in a file or behind a descriptor. While it runs, neither of them is in the arguments or
// the environment of it or of a child, and no core file could hold them; afterwards they
// are in no output, and in no file that was written.
func TestTheKeyIsNowhere(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"file", "descriptor"} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			key, err := crypto.GenerateKey()
			if err != nil {
				t.Fatal(err)
			}
			account := crypto.PubkeyToAddress(key.PublicKey)
			given := t.TempDir() // what the person has; the program writes elsewhere
			password := filepath.Join(given, "password")
			if err := os.WriteFile(password, []byte(canaryPassword+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			ks := keystore.NewKeyStore(filepath.Join(w.dir, "home", "sandbox", "keystore"), keystore.LightScryptN, keystore.LightScryptP)
			if _, err := ks.ImportECDSA(key, canaryPassword); err != nil {
				t.Fatal(err)
			}
			funds, err := units.Parse("100", units.APEDecimals)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Fund(t.Context(), account, funds); err != nil {
				t.Fatal(err)
			}
			secrets := []string{canaryPassword, strings.TrimPrefix(hexutil.Encode(crypto.FromECDSA(key)), "0x")}
			q := w.must("bridge", "quote", "--account", account.Hex(), "--from", "apechain", "--to", "ethereum", "--token", "APE", "--amount", "30")
			// A node that takes its time leaves some to look at the process.
			if err := w.SetFault("rpc-slow=40ms"); err != nil {
				t.Fatal(err)
			}
			args := append(execute(q.RequestID), "--account", account.Hex())
			var more []*os.File
			if source == "file" {
				args = append(args, "--password-file", password)
			} else {
				f, err := os.Open(password)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close() //nolint:errcheck // only read
				args, more = append(args, "--password-fd", "3"), []*os.File{f}
			}
			p := w.beginWith(more, args...)
			seen := watchProcess(t, p.cmd, secrets)
			o := p.wait(t)
			if o.exit != 0 {
				t.Fatal(o)
			}
			if n := <-seen; n < 3 {
				t.Fatalf("the process was looked at %d times", n)
			}
			for _, s := range secrets {
				if strings.Contains(strings.ToLower(o.text), strings.ToLower(s)) {
					t.Errorf("a secret was printed: %s", o)
				}
				err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					b, err := os.ReadFile(path)
					if strings.Contains(strings.ToLower(string(b)), strings.ToLower(s)) {
						t.Errorf("a secret is in %s", path)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// watchProcess looks at a process and its children until it is gone, and returns how often.
func watchProcess(t *testing.T, cmd *exec.Cmd, secrets []string) <-chan int {
	done := make(chan int, 1)
	proc := fmt.Sprintf("/proc/%d", cmd.Process.Pid)
	if _, err := os.Stat(proc); err != nil {
		t.Skip("there is no /proc")
	}
	go func() {
		n, last := 0, ""
		defer func() {
			// At first it is still what the shell gave it: no key is open then.
			if n > 0 && !strings.Contains(last, "Max core file size 0 0") {
				t.Errorf("a core file could be written: %s", last)
			}
			done <- n
		}()
		for {
			limits, err := os.ReadFile(proc + "/limits")
			if err != nil {
				return
			}
			state, err := os.ReadFile(proc + "/stat")
			if err != nil || strings.Contains(string(state), ") Z ") {
				return
			}
			line, err := os.ReadFile(proc + "/cmdline")
			if err != nil {
				return
			}
			started := strings.Contains(string(line), "ape-claw") // before that it is still the test's own image
			for _, name := range []string{"/cmdline", "/environ"} {
				b, _ := os.ReadFile(proc + name) // gone between two looks
				for _, s := range secrets {
					if strings.Contains(string(b), s) {
						t.Errorf("a secret is in %s", name)
					}
				}
			}
			tasks, _ := filepath.Glob(proc + "/task/*/children")
			for _, task := range tasks {
				if b, _ := os.ReadFile(task); len(strings.TrimSpace(string(b))) > 0 {
					t.Errorf("it has a child: %s", b)
				}
			}
			if started {
				n, last = n+1, strings.Join(strings.Fields(string(limits)), " ")
			}
		}
	}()
	return done
}
