package telemetry_test

import (
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// FuzzRotate plays any sequence of appends, foreign lines, rotations, removals,
// kills and reads, and holds every reader against what must be there.
func FuzzRotate(f *testing.F) {
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaa"))
	f.Add([]byte("aahaaaaaiaaibaaijaaaaiiskaaaa"))
	f.Add([]byte("aahpaaaaapaahipiaaaasaaapias"))
	f.Add([]byte("\x03aaafffaafaaagaafaasrrr"))
	f.Add([]byte("ahaaaD1aaaaiD2aaaaD3aaaiD4iaD5aaD6aaiD7aaD8aaD9s"))
	f.Add([]byte("ahaaaH1aaaaiH2aaaaiH3aaaiH4iaH5aaH6aaiH7aaH8aaH9s"))
	f.Add([]byte("ahaaaF1aaaaiF2aaaaiF3aaaiF4iaF5aaF6aaiF7aaF8aaF9s"))
	f.Add([]byte("ahaaaaXaaaaahXaaaaaaaXsaaaasaaaa"))
	f.Fuzz(func(t *testing.T, moves []byte) {
		if len(moves) == 0 || len(moves) > 200 {
			return
		}
		opt := telemetry.LogOptions{RotateBytes: []int64{1, 30, 100, 250}[moves[0]&3]}
		if moves[0]&4 != 0 {
			opt.KeepBytes = 200
		}
		w := newWorld(t, opt, 2, 3)
		at := 0
		held := func() { // the next of those that hold the file open
			if len(w.held) == 0 {
				w.hold()
				return
			}
			at++
		}
		for i := 1; i < len(moves); i++ {
			n := 1
			if i+1 < len(moves) {
				n = int(moves[i+1] & 15)
			}
			switch moves[i] {
			case 'h':
				w.hold()
			case 'f':
				w.foreign(nil)
			case 'i', 'p':
				held()
				file := w.held[at%len(w.held)]
				if moves[i] == 'p' {
					w.piece(file)
				} else {
					w.foreign(file)
				}
			case 's':
				_ = w.settle(n & 1) // the last one must succeed
			case 'r':
				w.follow(w.readers[0], 1, 2)
			case 'R':
				w.follow(w.readers[1], -1, 3)
			case 'D':
				w.die = n
			case 'H':
				w.die, w.half = n, true
			case 'F':
				w.fail = n
			case 'X': // a foreign line between all calls of the next writer
				w.atStep = func() {
					if held(); n&1 == 0 {
						w.foreign(w.held[at%len(w.held)])
					} else {
						w.foreign(nil)
					}
					w.follow(w.readers[1], -1, 2)
				}
			case 'x':
				w.atStep = nil
			default:
				w.append(int(moves[i]) & 1)
			}
		}
		w.die, w.fail, w.half = 0, 0, false
		w.check()
	})
}
