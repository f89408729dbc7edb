package telemetry_test

import (
	"errors"
	"os"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// FuzzFollow writes to a log in every way, ours and others', cuts, renames and
// removes it, and holds a follower against the file: what it was given since the
// last reset is what the file holds, and a reset comes only when the file lost
// something, or became another.
func FuzzFollow(f *testing.F) {
	f.Add([]byte("aawwaapnwapawa"))
	f.Add([]byte("aaawt3aaawt1wwwat0aaa"))
	f.Add([]byte("awdawwdwwamaawmwwa"))
	f.Add([]byte("aawcaawcwwcaacw"))
	f.Add([]byte("pt1wnpazwzaqwd"))
	f.Add([]byte("aasct2sawasdsawsas"))
	f.Fuzz(func(t *testing.T, moves []byte) {
		if len(moves) > 200 {
			return
		}
		dir := t.TempDir()
		w := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: -1})
		w.SetSteps(func(string) error { return nil }) // nothing is synced
		defer func() {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}()
		r, lazy := &resuming{l: newLog(t, dir)}, &resuming{l: newLog(t, dir)}
		var since []string // of what r was given after the last reset
		n := 0
		for i, move := range moves {
			arg := int64(0)
			if i+1 < len(moves) {
				arg = int64(moves[i+1])
			}
			size := int64(0)
			if st, err := os.Stat(logPath(dir)); err == nil {
				size = st.Size()
			}
			resets, may := r.resets, false
			n++
			var err error
			switch move {
			case 'w':
				foreign(t, dir, string(line("%d", n))+"\n")
			case 'p':
				foreign(t, dir, `{"id":"half`)
			case 'q':
				foreign(t, dir, `"}`+"\r\n\n")
			case 'n':
				foreign(t, dir, "\n")
			case 'z':
				foreign(t, dir, "\x00\x00\xff")
			case 't':
				may = size > 0
				err = os.Truncate(logPath(dir), min(size, size*arg/64))
			case 'c':
				may = size > 0
				err = os.Truncate(logPath(dir), 0)
			case 'd':
				may = size > 0
				err = os.Remove(logPath(dir))
			case 'm':
				may = size > 0
				err = os.Rename(logPath(dir), logPath(dir)+".1")
			case 's':
				err = w.Settle(t.Context())
			case 'l':
				lazy.read(t)
			case 'o':
				err = w.Close()
			default:
				appendLine(t, w, line("%d", n))
			}
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			r.got = nil
			r.read(t)
			if r.resets > resets {
				since = nil
			}
			if n := r.resets - resets; n > 1 || n > 0 && !may {
				t.Fatalf("%d resets at move %d of %q", n, i, moves)
			}
			since = append(since, r.got...)
			raw, err := os.ReadFile(logPath(dir))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			want := goodLines(raw)
			equal(t, "follower", since, want)
			if i == len(moves)-1 {
				got, _ := readAll(t, newLog(t, dir), telemetry.Cursor{})
				equal(t, "fresh reader", got, want)
			}
			if t.Failed() {
				t.Fatalf("at move %d of %q", i, moves)
			}
		}
		lazy.read(t)
	})
}
