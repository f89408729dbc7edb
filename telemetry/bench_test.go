package telemetry_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/telemetry"
)

// benchLine has the size of an ordinary event.
var benchLine = []byte(buyLine)

// BenchmarkAppend compares an append with the bare system calls that it can't
// do without: flock, one write, flock. It reports how many times as long it takes.
func BenchmarkAppend(b *testing.B) {
	bare := func(b *testing.B) {
		dir := b.TempDir()
		lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			b.Fatal(err)
		}
		defer lock.Close()
		log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			b.Fatal(err)
		}
		defer log.Close()
		line := append(append([]byte{}, benchLine...), '\n')
		for b.Loop() {
			if unix.Flock(int(lock.Fd()), unix.LOCK_EX) != nil {
				b.Fatal("flock")
			}
			if n, err := unix.Write(int(log.Fd()), line); n != len(line) || err != nil {
				b.Fatal(err)
			}
			if unix.Flock(int(lock.Fd()), unix.LOCK_UN) != nil {
				b.Fatal("flock")
			}
		}
	}
	var bareTime time.Duration
	b.Run("bare", func(b *testing.B) {
		bare(b)
		bareTime = b.Elapsed() / time.Duration(b.N)
	})
	ratio := func(b *testing.B) {
		if bareTime > 0 {
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(bareTime), "x-bare")
		}
	}
	b.Run("log", func(b *testing.B) {
		l := newLog(b, b.TempDir())
		b.ReportAllocs()
		for b.Loop() {
			if _, err := l.Append(b.Context(), benchLine, false); err != nil {
				b.Fatal(err)
			}
		}
		ratio(b)
	})
	b.Run("two-logs-in-turn", func(b *testing.B) { // each finds the other's line
		dir := b.TempDir()
		logs := []*telemetry.Log{newLog(b, dir), newLog(b, dir)}
		for i := 0; b.Loop(); i++ {
			if _, err := logs[i%2].Append(b.Context(), benchLine, false); err != nil {
				b.Fatal(err)
			}
		}
		ratio(b)
	})
	b.Run("record", func(b *testing.B) { // with marshalling and redaction
		r := telemetry.NewRecorder(newLog(b, b.TempDir()), telemetry.NewRedactor(keySecret, tokenSecret), time.Now, telemetry.Scope{Command: "ape-claw nft buy"})
		b.ReportAllocs()
		for b.Loop() {
			if err := r.Record(b.Context(), benchDraft); err != nil {
				b.Fatal(err)
			}
		}
		ratio(b)
	})
	b.Run("parallel", func(b *testing.B) {
		l := newLog(b, b.TempDir())
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := l.Append(b.Context(), benchLine, false); err != nil {
					b.Error(err)
					return
				}
			}
		})
		ratio(b)
	})
	b.Run("durable", func(b *testing.B) {
		l := newLog(b, b.TempDir())
		for b.Loop() {
			if _, err := l.Append(b.Context(), benchLine, true); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type benchPayload struct {
	QuoteID string `json:"quoteId"`
}

type benchResult struct {
	TxHash      string `json:"txHash"`
	BlockNumber uint64 `json:"blockNumber"`
	Owner       string `json:"owner"`
	PriceWei    string `json:"priceWei"`
}

var benchDraft = telemetry.Draft{
	Type:    "nft.buy.dry_run",
	Payload: benchPayload{"q_1234567890"},
	Result:  benchResult{txHash, 12345, wallet, "10500000000000000000"},
}

func BenchmarkEncode(b *testing.B) {
	r := telemetry.NewRecorder(nil, telemetry.NewRedactor(keySecret, tokenSecret), time.Now, telemetry.Scope{Command: "ape-claw nft buy"})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Encode(benchDraft); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRedact(b *testing.B) {
	r := telemetry.NewRedactor(keySecret, tokenSecret)
	b.Run("bytes", func(b *testing.B) {
		b.SetBytes(int64(len(benchLine)))
		b.ReportAllocs()
		for b.Loop() {
			r.Bytes(benchLine)
		}
	})
	b.Run("foreign", func(b *testing.B) {
		b.SetBytes(int64(len(benchLine)))
		b.ReportAllocs()
		for b.Loop() {
			r.Foreign(benchLine)
		}
	})
}

func BenchmarkFilter(b *testing.B) {
	f, err := telemetry.ParseFilter([]string{"nft.*"}, "agent-1", "", nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(benchLine)))
	b.ReportAllocs()
	for b.Loop() {
		if !f.Match(benchLine) {
			b.Fatal("no match")
		}
	}
}

func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	l := newLog(b, dir)
	for range 100_000 {
		if _, err := l.Append(b.Context(), benchLine, false); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("all", func(b *testing.B) {
		b.SetBytes(int64(100_000 * (len(benchLine) + 1)))
		for b.Loop() {
			var at telemetry.Cursor
			for n := 0; n < 100_000; {
				lines, next, err := l.ReadAfter(b.Context(), at, 0, 256<<10)
				if err != nil {
					b.Fatal(err)
				}
				n += len(lines)
				at = next
			}
		}
	})
	b.Run("last-300", func(b *testing.B) {
		for b.Loop() {
			if lines, _, err := l.Last(b.Context(), 300, nil); err != nil || len(lines) != 300 {
				b.Fatal(len(lines), err)
			}
		}
	})
	b.Run("nothing-new", func(b *testing.B) {
		end, err := l.End(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, next, err := l.ReadAfter(b.Context(), end, 0, 0); err != nil || next != end {
				b.Fatal(next, err)
			}
		}
	})
}
