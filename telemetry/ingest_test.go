package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

var ingestNow = time.Date(2026, 2, 18, 12, 0, 0, 0, time.UTC)

func newIngest(l *telemetry.Log, secrets ...string) *telemetry.Ingest {
	return telemetry.OpenIngest(l, telemetry.IngestOptions{Redactor: telemetry.NewRedactor(secrets...), Now: func() time.Time { return ingestNow }})
}

// send takes lines of one agent.
func send(t *testing.T, g *telemetry.Ingest, lines ...string) telemetry.Taken {
	t.Helper()
	taken, err := g.Take(t.Context(), telemetry.Incoming{AgentID: "agent-1", Body: []byte(strings.Join(lines, "\n")), Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

// said is the answer in few words: how many, and of each line what.
func said(t telemetry.Taken) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %d:", t.Accepted, t.Duplicates, t.Rejected)
	for _, l := range t.Lines {
		fmt.Fprintf(&b, " %d %s", l.Line, l.Status[:1])
		if l.Code != "" {
			fmt.Fprintf(&b, "(%s %s)", l.Code, l.Field)
		}
	}
	return b.String()
}

func TestIngestNormalises(t *testing.T) {
	t.Parallel()
	const rest = `,"agentId":"agent-1","sessionId":"local-session","traceId":"t","command":"","dryRun":true,"chainId":33139,"payload":{},"result":{},"ok":true,"error":null,"eventId":"e1"}`
	for in, want := range map[string]string{
		`{"eventType":"custom.a","traceId":"t","eventId":"e1"}`:                                                                                                                                               `{"v":1,"ts":"2026-02-18T12:00:00.000Z","eventType":"custom.a"` + rest,
		`{"v":1.0,"eventType":"custom.a","traceId":"t","eventId":"e1","ts":1771416000.25,"agentId":"other","payload":null,"error":null}`:                                                                      `{"v":1,"ts":"2026-02-18T12:00:00.250Z","eventType":"custom.a"` + rest,
		`{"eventType":"custom.a","traceId":"t","eventId":"e1","ts":"2026-02-18T13:00:00+01:00","nonsense":{"a":1}}`:                                                                                           `{"v":1,"ts":"2026-02-18T12:00:00.000Z","eventType":"custom.a"` + rest,
		`{"eventType":"custom.a","eventId":"e1","traceId":"","command":"ape-claw x","sessionId":"s","dryRun":false,"chainId":1,"data":{"a": "b\u0041 "},"result":{"reason":"why"},"ok":false,"source":"cli"}`: `{"v":1,"ts":"2026-02-18T12:00:00.000Z","eventType":"custom.a","agentId":"agent-1","sessionId":"s","traceId":"trace_1771416000000_e1","command":"ape-claw x","dryRun":false,"chainId":1,"payload":{"a": "b\u0041 "},"result":{"reason":"why"},"ok":false,"error":"why","source":"cli","eventId":"e1"}`,
		`{"eventType":"custom.a","traceId":"t","eventId":"e1","payload":{"agentToken":"hidden","x":"Bearer abcdefgh","n":"exact-secret"}}`: `{"v":1,"ts":"2026-02-18T12:00:00.000Z","eventType":"custom.a"` +
			strings.Replace(rest, `"payload":{}`, `"payload":{"agentToken":"[redacted]","x":"Bearer [redacted]","n":"[redacted]"}`, 1),
	} {
		l := newLog(t, t.TempDir())
		if taken := send(t, newIngest(l, "exact-secret"), in); taken.Accepted != 1 {
			t.Fatalf("%s: %+v", in, taken)
		}
		got, _ := readAll(t, l, telemetry.Cursor{})
		equal(t, in, got, []string{want})
	}
}

func TestIngestRefuses(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	const e = `{"eventType":"custom.a",`
	for in, want := range map[string]string{
		`nonsense`:                             "not_json ",
		`{"eventType":"custom.a"`:              "not_json ",
		`[` + e + `"v":1}]`:                    "not_json ",
		e + `"v":1} {}`:                        "not_json ",
		e + `"payload":{"a":NaN}}`:             "not_json ",
		e + `"chainId":Infinity}`:              "not_json ",
		e + `"payload":{"a":01}}`:              "not_json ",
		"\ufeff" + e + `"v":1}`:                "bom ",
		e + "\"command\":\"a\x00\"}":           "nul ",
		"\x00":                                 "nul ",
		e + "\"command\":\"\xff\"}":            "utf8 ",
		e + `"payload":` + deep(10_000) + `}`:  "too_deep ",
		e + `"payload":` + deep(64) + `}`:      "too_deep ",
		e + `"x":` + strings.Repeat("[", 5000): "too_deep ",
		e + `"v":1,"v":1}`:                     "duplicate_key v",
		e + `"\u0076":1,"v":1}`:                "duplicate_key v",
		e + `"x":1,"x":1}`:                     "duplicate_key x",
		e + `"payload":{"a":{"b":1,"b":2}}}`:   "duplicate_key b",
		`{}`:                                   "no_type eventType",
		`{"eventType":""}`:                     "no_type eventType",
		`{"eventType":7}`:                      "bad_field eventType",
		`{"eventType":"` + strings.Repeat("x", 1<<19) + `"}`: "bad_id eventType",
		e + `"v":2}`:                           "newer_version v",
		e + `"v":"1"}`:                         "newer_version v",
		e + `"ts":"yesterday"}`:                "bad_ts ts",
		e + `"ts":"2026-02-18T12:00:00"}`:      "bad_ts ts",
		e + `"ts":"2026-13-18T12:00:00.000Z"}`: "bad_ts ts",
		e + `"ts":-1}`:                         "bad_ts ts",
		e + `"ts":1e999}`:                      "bad_ts ts",
		e + `"ts":true}`:                       "bad_ts ts",
		e + `"agentId":1}`:                     "bad_field agentId",
		e + `"sessionId":{}}`:                  "bad_field sessionId",
		e + `"sessionId":"a\nb"}`:              "bad_id sessionId",
		e + `"traceId":"a\u2028b"}`:            "bad_id traceId",
		e + `"eventId":"` + strings.Repeat("i", 1<<20-200) + `"}`:  "bad_id eventId",
		e + `"eventId":"claw_` + strings.Repeat("a1B2", 10) + `"}`: "bad_id eventId",
		e + `"eventId":7}`:             "bad_field eventId",
		e + `"command":["a"]}`:         "bad_field command",
		e + `"dryRun":"true"}`:         "bad_field dryRun",
		e + `"chainId":"33139"}`:       "bad_field chainId",
		e + `"chainId":1.5}`:           "bad_field chainId",
		e + `"payload":[]}`:            "bad_field payload",
		e + `"data":"x"}`:              "bad_field data",
		e + `"result":1}`:              "bad_field result",
		e + `"ok":1}`:                  "bad_field ok",
		e + `"ok":true,"error":"but"}`: "bad_field error",
		e + `"error":{"message":"x"}}`: "bad_field error",
		e + `"source":1}`:              "bad_field source",
		e + `"payload":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`:     "too_long ",
		e + strings.Repeat(`"k":1,`, 100_000) + `"v":1}`:                "duplicate_key k",
		strings.Repeat("[", 1<<20-1):                                    "not_json ",
		e + `"payload":{"a":"` + strings.Repeat(`\u12`, 1000) + `"}}`:   "not_json ",
		e + `"payload":{` + strings.Repeat(`"a":{`, 62) + `"b":1,"b":2`: "not_json ",
	} {
		dir := t.TempDir()
		taken := send(t, newIngest(newLog(t, dir)), in)
		l := taken.Lines[0]
		if l.Status != telemetry.LineRejected || l.Code+" "+l.Field != want || l.Error == "" || len(l.Error) > 300 {
			t.Errorf("%.90q: %+v\nwant %s", in, l, want)
		}
		if len(dirNames(t, dir)) > 0 {
			t.Fatalf("%.90q: something was written: %v", in, dirNames(t, dir))
		}
	}
	// As deep as may be, and names that are no fields.
	g := newIngest(newLog(t, t.TempDir()))
	for _, in := range []string{e + `"payload":` + deep(63) + `}`, e + `"payload":{"__proto__":{"v":2},"constructor":1},"__proto__":1}`} {
		if taken := send(t, g, in); taken.Accepted != 1 {
			t.Errorf("%.90q: %+v", in, taken)
		}
	}
}

func dirNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, e := range must(os.ReadDir(dir)) {
		names = append(names, e.Name())
	}
	return names
}

func TestIngestBatch(t *testing.T) {
	t.Parallel()
	l := newLog(t, t.TempDir())
	g := newIngest(l)
	a := send(t, g, id("ob-aaaaaaaa/7"), "", "bad", id("x"), " \r", `{"eventType":"odd.kind","more":1}`, id("x"))
	if got, want := said(a), "3 1 1: 1 a 3 r(not_json ) 4 a 6 a 7 d"; got != want || a.UnknownTypes != 1 || a.Dropped != 1 {
		t.Errorf("%s, %+v\nwant %s", got, a, want)
	}
	if end := must(l.End(t.Context())); a.Cursor != end || a.Lines[3].At != end {
		t.Errorf("the answer is at %v, the log ends at %v", a, end)
	}
	lines, next, err := l.ReadAfter(t.Context(), telemetry.Cursor{}, 0, 0)
	if err != nil || len(lines) != 3 || lines[0].At != a.Lines[0].At || lines[1].At != a.Lines[2].At || next != a.Cursor {
		t.Errorf("%v: %v\n%+v", err, lines, a)
	}
	if _, err := g.Take(t.Context(), telemetry.Incoming{AgentID: "a1", Lines: true, Body: []byte(strings.Repeat("{}\n", 1001))}); !errors.Is(err, telemetry.ErrTooMuch) {
		t.Errorf("1,001 lines: %v", err)
	}
	if _, err := g.Take(t.Context(), telemetry.Incoming{AgentID: "a1", Lines: true, Body: make([]byte, 2<<20+1)}); !errors.Is(err, telemetry.ErrTooMuch) {
		t.Errorf("2 MiB and a byte: %v", err)
	}
	one, err := g.Take(t.Context(), telemetry.Incoming{AgentID: "a1", Body: []byte("\n {\"eventType\":\r\n\t\"custom.a\",\n\"payload\":{\n\"a\" : \"b\u2028\",\r\n\"c\": [1,\n2]}\n}\n")})
	if err != nil || one.Accepted != 1 {
		t.Fatalf("%v: %+v", err, one)
	}
	got, _ := readAll(t, l, a.Cursor)
	if len(got) != 1 || !strings.Contains(got[0], `"payload":{"a":"b\u2028","c":[1,2]}`) {
		t.Errorf("several lines of one event: %q", got)
	}
}

func id(id string) string { return `{"eventType":"custom.a","traceId":"t","eventId":"` + id + `"}` }

// TestIngestOnce: a retry is harmless, in whichever process and after whatever came
// between.
func TestIngestOnce(t *testing.T) {
	t.Parallel()
	const sent = "ob-aaaaaaaa/100 ob-aaaaaaaa/250 ob-bbbbbbbb/7 my-id import-00/2 import-00/1 ob-x-dead-7"
	lines := func(ids string) (out []string) {
		for _, s := range strings.Fields(ids) {
			out = append(out, id(s))
		}
		return out
	}
	for name, between := range map[string]func(t *testing.T, dir string, g *telemetry.Ingest) *telemetry.Ingest{
		"the same": func(_ *testing.T, _ string, g *telemetry.Ingest) *telemetry.Ingest { return g },
		"a restart": func(t *testing.T, dir string, _ *telemetry.Ingest) *telemetry.Ingest {
			return newIngest(newLog(t, dir))
		},
		"a restart with its notes": func(t *testing.T, dir string, g *telemetry.Ingest) *telemetry.Ingest {
			runIngest(t, g)
			if _, err := os.Stat(filepath.Join(dir, "ingest.json")); err != nil {
				t.Error(err)
			}
			next := newIngest(newLog(t, dir))
			runIngest(t, next)
			return next
		},
		"a restart with the notes of another log": func(t *testing.T, dir string, _ *telemetry.Ingest) *telemetry.Ingest {
			put(t, filepath.Join(dir, "ingest.json"), `{"v":1,"cursor":"abc-12","agents":[],"ids":""}`)
			return newIngest(newLog(t, dir))
		},
		"a restart with torn notes": func(t *testing.T, dir string, g *telemetry.Ingest) *telemetry.Ingest {
			runIngest(t, g)
			b := must(os.ReadFile(filepath.Join(dir, "ingest.json")))
			put(t, filepath.Join(dir, "ingest.json"), string(b[:len(b)/2]))
			return newIngest(newLog(t, dir))
		},
		"others append": func(t *testing.T, dir string, g *telemetry.Ingest) *telemetry.Ingest {
			other := newLog(t, dir)
			for range 50 {
				appendLine(t, other, line("other"))
			}
			foreign(t, dir, `{"torn":`)
			return g
		},
		"others append much": func(t *testing.T, dir string, g *telemetry.Ingest) *telemetry.Ingest {
			other := newLog(t, dir)
			for range 4 {
				appendLine(t, other, []byte(`{"a":"`+strings.Repeat("x", 600<<10)+`"}`))
			}
			return g
		},
		"rotations": func(t *testing.T, dir string, g *telemetry.Ingest) *telemetry.Ingest {
			other := newLogWith(t, dir, telemetry.LogOptions{RotateBytes: 1})
			for range 3 {
				appendLine(t, other, line("other"))
			}
			return g
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			g := newIngest(newLog(t, dir))
			if taken := send(t, g, lines(sent)...); taken.Accepted != 7 {
				t.Fatal(said(taken))
			}
			g = between(t, dir, g)
			if taken := send(t, g, lines(sent+" ob-aaaaaaaa/249 ob-aaaaaaaa/251 new")...); said(taken) != "2 8 0: 1 d 2 d 3 d 4 d 5 d 6 d 7 d 8 d 9 a 10 a" {
				t.Error(said(taken))
			}
			taken, err := g.Take(t.Context(), telemetry.Incoming{AgentID: "agent-2", Lines: true, Body: []byte(strings.Join(lines(sent), "\n"))})
			if err != nil || taken.Accepted != 7 {
				t.Errorf("another agent's: %v %s", err, said(taken))
			}
		})
	}
}

// runIngest lets g read the log, and write down what it has found.
func runIngest(t *testing.T, g *telemetry.Ingest) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := g.Run(ctx); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestIngestAnotherLog: what a log had that is gone may come again.
func TestIngestAnotherLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLogWith(t, dir, telemetry.LogOptions{RotateBytes: 1})
	g := newIngest(l)
	for _, want := range []string{"1 0 0: 1 a", "0 1 0: 1 d"} {
		if got := said(send(t, g, id("ob-aaaaaaaa/5"))); got != want {
			t.Fatal(got)
		}
	}
	for _, name := range dirNames(t, dir) {
		if strings.HasPrefix(name, "events") {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := said(send(t, g, id("ob-aaaaaaaa/5"))); got != "1 0 0: 1 a" {
		t.Error(got)
	}
}

// TestIngestTogether: several servers of one log, and many senders of the same
// events: each is there once, an outbox's in order.
func TestIngestTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	servers := []*telemetry.Ingest{newIngest(newLog(t, dir)), newIngest(newLog(t, dir))}
	var wg sync.WaitGroup
	var accepted atomic.Int64
	for s := range 8 {
		wg.Go(func() {
			for from := 1; from <= 200; from += 10 {
				var lines []string
				for n := from; n < from+20; n++ {
					lines = append(lines, id(fmt.Sprintf("ob-aaaaaaaa/%d", n)), id(fmt.Sprintf("own-%d", n)))
				}
				taken, err := servers[s%2].Take(t.Context(), telemetry.Incoming{AgentID: "agent-1", Lines: true, Body: []byte(strings.Join(lines, "\n"))})
				if err != nil {
					t.Error(err)
					return
				}
				accepted.Add(int64(taken.Accepted))
			}
		})
	}
	wg.Wait()
	got, _ := readAll(t, newLog(t, dir), telemetry.Cursor{})
	seen, last := map[string]bool{}, 0
	for _, l := range got {
		_, rest, _ := strings.Cut(l, `"eventId":"`)
		name := strings.TrimSuffix(rest, `"}`)
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
		if num, ok := strings.CutPrefix(name, "ob-aaaaaaaa/"); ok {
			n := must(strconv.Atoi(num))
			if n <= last {
				t.Errorf("%d comes after %d", n, last)
			}
			last = n
		}
	}
	if int(accepted.Load()) != len(got) || last != 210 || len(seen) != 420 {
		t.Errorf("%d accepted, %d in the log, %d of 420, the last is %d", accepted.Load(), len(got), len(seen), last)
	}
}

// TestIngestDurable: what has an id, or tells of money, is on disk when it is answered,
// duplicates too; the rest costs no sync.
func TestIngestDurable(t *testing.T) {
	t.Parallel()
	l := newLog(t, t.TempDir())
	syncs := 0
	var fail error
	l.SetSystem(nil, func(*os.File) error { syncs++; return fail })
	g := newIngest(l)
	for i, step := range []struct {
		line string
		want int
	}{{`{"eventType":"custom.a"}`, 0}, {id("x"), 1}, {id("x"), 2}, {`{"eventType":"nft.buy.confirmed"}`, 3}, {`{"eventType":"custom.a"}`, 3}} {
		if send(t, g, step.line); syncs != step.want {
			t.Errorf("step %d: %d syncs, want %d", i, syncs, step.want)
		}
	}
	fail = syscall.EIO
	if _, err := g.Take(t.Context(), telemetry.Incoming{AgentID: "agent-1", Body: []byte(id("y"))}); fault.CodeOf(err) != fault.NotDurable {
		t.Errorf("no sync: %v", err)
	}
	if _, err := g.Take(t.Context(), telemetry.Incoming{AgentID: "agent-1", Body: []byte(id("y"))}); fault.CodeOf(err) != fault.NotDurable {
		t.Errorf("no sync, again: %v", err)
	}
	fail = nil
	if got := said(send(t, g, id("y"))); got != "0 1 0: 1 d" {
		t.Error(got)
	}
}

// TestIngestDiskFull: what was not written was not taken; of half a block, the lines
// that are there are known.
func TestIngestDiskFull(t *testing.T) {
	t.Parallel()
	for _, half := range []bool{false, true} {
		dir := t.TempDir()
		l := newLog(t, dir)
		g := newIngest(l)
		send(t, g, id("ob-aaaaaaaa/1"))
		l.SetSystem(func(fd int, p []byte) (int, error) {
			if !half {
				return 0, syscall.ENOSPC
			}
			return unix.Write(fd, p[:len(p)/2+20])
		}, nil)
		_, err := g.Take(t.Context(), telemetry.Incoming{AgentID: "agent-1", Lines: true, Body: []byte(id("ob-aaaaaaaa/2") + "\n" + id("ob-aaaaaaaa/3"))})
		if fault.CodeOf(err) != fault.StateUnusable {
			t.Fatalf("half %v: %v", half, err)
		}
		l.SetSystem(unix.Write, nil)
		want := "2 0 0: 1 a 2 a"
		if half {
			want = "1 1 0: 1 d 2 a"
		}
		if got := said(send(t, g, id("ob-aaaaaaaa/2"), id("ob-aaaaaaaa/3"))); got != want {
			t.Errorf("half %v: %s", half, got)
		}
	}
}

// TestIngestLarge: what grows too long is cut as our own events are.
func TestIngestLarge(t *testing.T) {
	t.Parallel()
	l := newLog(t, t.TempDir())
	send(t, newIngest(l), `{"eventType":"custom.a","payload":{"small":1,"big":"`+strings.Repeat("x", 1<<20-100)+`"},"command":"`+strings.Repeat("c", 30)+`"}`)
	got, _ := readAll(t, l, telemetry.Cursor{})
	if len(got) != 1 || !strings.Contains(got[0], `"payload":{"small":1,"truncated":true,"bytes":`) {
		t.Errorf("%d lines, %.300q", len(got), got)
	}
}

// FuzzIngest: whatever comes in, the log gets whole envelopes, as many as were
// accepted, and each of them is a duplicate when it comes again.
func FuzzIngest(f *testing.F) {
	f.Add([]byte(id("ob-aaaaaaaa/7")+"\n"+id("x")+"\n\nnonsense"), true)
	f.Add([]byte("{\"eventType\":\n\"a\",\"ts\":1771416000.5,\"data\":{\"a\":\"\\ud800\u2028\"},\"ok\":false,\"x\":[[{}]]}"), false)
	f.Add([]byte(`{"eventType":"nft.buy.confirmed","payload":{"apiKey":"k","a":"claw_abcdefghijkl"},"chainId":1e3,"command":"\n"}`), true)
	l := telemetry.NewLog(f.TempDir(), telemetry.LogOptions{KeepBytes: 1 << 20})
	f.Cleanup(func() { _ = l.Close() })
	l.SetSystem(nil, func(*os.File) error { return nil })
	g := newIngest(l, "exact-secret")
	agent := 0
	f.Fuzz(func(t *testing.T, body []byte, lines bool) {
		agent++ // who has sent nothing yet
		in := telemetry.Incoming{AgentID: fmt.Sprint("agent-", agent), Body: bytes.Clone(body), Lines: lines}
		before, bad := must(l.End(t.Context())), l.Stats().Bad.Total()
		taken, err := g.Take(t.Context(), in)
		if err != nil {
			if !errors.Is(err, telemetry.ErrTooMuch) {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(in.Body, body) {
			t.Error("the body was changed")
		}
		got, _, err := l.ReadAfter(t.Context(), before, 0, 64<<20)
		if err != nil || len(got) != taken.Accepted || l.Stats().Bad.Total() > bad {
			t.Fatalf("%v: %d accepted, %d in the log, %+v", err, taken.Accepted, len(got), l.Stats().Bad)
		}
		if taken.Accepted+taken.Duplicates+taken.Rejected != len(taken.Lines) {
			t.Errorf("%+v", taken)
		}
		for _, line := range got {
			if err := telemetry.Validate(line.Data); err != nil && strings.HasPrefix(err.Error(), "event: ") {
				t.Errorf("%v: %q", err, line.Data)
			}
			again, err := g.Take(t.Context(), telemetry.Incoming{AgentID: in.AgentID, Body: line.Data})
			if err != nil || again.Rejected > 0 {
				t.Errorf("%v, %+v: %q", err, again, line.Data)
			}
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func newLogWith(t *testing.T, dir string, opt telemetry.LogOptions) *telemetry.Log {
	t.Helper()
	l := telemetry.NewLog(dir, opt)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// TestIngestForeignWriteBetween: what a program that takes no lock writes just before
// a block is known afterwards.
func TestIngestForeignWriteBetween(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	g := newIngest(l)
	send(t, g, id("a"))
	l.SetSystem(func(fd int, p []byte) (int, error) {
		foreign(t, dir, `{"agentId":"agent-1","eventId":"b"}`+"\n")
		return unix.Write(fd, p)
	}, nil)
	taken := send(t, g, id("c"))
	if end := must(l.End(t.Context())); taken.Cursor != end {
		t.Errorf("the answer is at %v, the log ends at %v", taken.Cursor, end)
	}
	l.SetSystem(unix.Write, nil)
	if got := said(send(t, g, id("a"), id("b"), id("c"))); got != "0 3 0: 1 d 2 d 3 d" {
		t.Error(got)
	}
}
