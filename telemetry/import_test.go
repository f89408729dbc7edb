package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// replaceLog cuts the log, as copytruncate does, and writes anew.
func replaceLog(t *testing.T, dir, content string) {
	t.Helper()
	if err := os.WriteFile(logPath(dir), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func importText(t *testing.T, l *telemetry.Log, text string, opt telemetry.ImportOptions) telemetry.ImportResult {
	t.Helper()
	res, err := l.Import(t.Context(), strings.NewReader(text), int64(len(text)), opt)
	if err != nil {
		t.Fatal(err)
	}
	if res.Imported+res.Known+res.Invalid != res.Lines {
		t.Errorf("the counts don't add up: %+v", res)
	}
	return res
}

// events returns the log's events, each a valid envelope.
func events(t *testing.T, dir string) []telemetry.Event {
	t.Helper()
	l := newLog(t, dir)
	lines, _ := readAll(t, l, telemetry.Cursor{})
	out := make([]telemetry.Event, len(lines))
	for i, line := range lines {
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&out[i]); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e := out[i]; e.V != 1 || len(e.TS) != 24 || e.EventType == "" || e.AgentID == "" || e.SessionID == "" || e.TraceID == "" ||
			e.Payload[0] != '{' || e.Result[0] != '{' || e.OK != (e.Error == nil) || e.Source == "" || e.EventID == "" {
			t.Errorf("not a whole envelope: %s", line)
		}
	}
	return out
}

// The example of the published document comes in as it is, with its source and its
// id behind it.
func TestImportKeepsThePublishedEnvelope(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := `{"v":1,"ts":"2026-02-18T12:00:00.000Z","eventType":"nft.buy.confirmed","agentId":"agent-123","sessionId":"session-123",` +
		`"traceId":"trace-123","command":"ape-claw nft buy","dryRun":false,"chainId":33139,"payload":{"quoteId":"quote-123"},"result":{"txHash":"0x..."},"ok":true,"error":null`
	res := importText(t, newLog(t, dir), in+"}\r\n", telemetry.ImportOptions{})
	got := rawLog(t, dir)
	if !strings.HasPrefix(got, in+`,"source":"import","eventId":"import-`) || !strings.HasSuffix(got, "/1\"}\n") {
		t.Errorf("%s", got)
	}
	if res.Imported != 1 || len(res.Filled) != 0 || res.UnknownTypes != 0 {
		t.Errorf("%+v", res)
	}
}

func TestImportFillsIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		check    func(e telemetry.Event) bool
	}{
		{"defaults", `{"ts":"2026-02-18T12:00:00Z","eventType":"a.b"}`, func(e telemetry.Event) bool {
			return e.TS == "2026-02-18T12:00:00.000Z" && e.AgentID == "local-cli" && e.SessionID == "local-session" && e.ChainID == 33139 && e.DryRun && e.OK &&
				e.Source == "import" && string(e.Payload) == "{}" && strings.HasPrefix(e.TraceID, "trace_1771416000000_")
		}},
		{"data is payload", `{"ts":1771416000,"eventType":"a.b","data":{"n":1}}`, func(e telemetry.Event) bool { return string(e.Payload) == `{"n":1}` }},
		{"payload is more than data", `{"ts":1771416000,"eventType":"a.b","data":{"n":1},"payload":{"n":2}}`, func(e telemetry.Event) bool { return string(e.Payload) == `{"n":2}` }},
		{"half a surrogate pair", `{"ts":1771416000,"eventType":"a.b","agentId":"\ud800","payload":{"a":"\ud800"},"result":["\udc00"]}`, func(e telemetry.Event) bool {
			return e.AgentID == "\ufffd" && string(e.Payload) == `{"a":"\ufffd"}` && string(e.Result) == `{"value":["\ufffd"]}`
		}},
		{"unix seconds", `{"ts":1771416000.25,"eventType":"a.b"}`, func(e telemetry.Event) bool { return e.TS == "2026-02-18T12:00:00.250Z" }},
		{"milliseconds", `{"ts":1771416000250,"eventType":"a.b"}`, func(e telemetry.Event) bool { return e.TS == "2026-02-18T12:00:00.250Z" }},
		{"another zone", `{"ts":"2026-02-18T14:00:00+02:00","eventType":"a.b"}`, func(e telemetry.Event) bool { return e.TS == "2026-02-18T12:00:00.000Z" }},
		{"nulls", `{"v":null,"ts":1771416000,"eventType":"a.b","agentId":null,"sessionId":"","payload":null,"chainId":null,"dryRun":null,"ok":null}`,
			func(e telemetry.Event) bool {
				return e.AgentID == "local-cli" && e.SessionID == "local-session" && e.OK
			}},
		{"a payload that is no object", `{"ts":1771416000,"eventType":"a.b","payload":[1,2]}`, func(e telemetry.Event) bool { return string(e.Payload) == `{"value":[1,2]}` }},
		{"an error says it failed", `{"ts":1771416000,"eventType":"a.b","error":"no luck"}`, func(e telemetry.Event) bool { return !e.OK && *e.Error == "no luck" }},
		{"an error's message", `{"ts":1771416000,"eventType":"a.b","ok":false,"error":{"message":"no luck","stack":"x"}}`, func(e telemetry.Event) bool { return !e.OK && *e.Error == "no luck" }},
		{"a reason in the result", `{"ts":1771416000,"eventType":"a.b","ok":false,"result":{"reason":"Insufficient balance"}}`, func(e telemetry.Event) bool { return *e.Error == "Insufficient balance" }},
		{"a failure without words", `{"ts":1771416000,"eventType":"a.b","ok":false}`, func(e telemetry.Event) bool { return *e.Error != "" }},
		{"its source", `{"ts":1771416000,"eventType":"a.b","source":"backend"}`, func(e telemetry.Event) bool { return e.Source == "backend" }},
		{"its id", `{"ts":1771416000,"eventType":"a.b","eventId":"box/7"}`, func(e telemetry.Event) bool { return e.EventID == "box/7" }},
		{"a type of its own form", `{"ts":1771416000,"eventType":"Chat Message"}`, func(e telemetry.Event) bool { return e.EventType == "Chat Message" }},
		{"a command with line breaks", `{"ts":1771416000,"eventType":"a.b","command":"ape-claw\nnft ` + strings.Repeat("x", 500) + `"}`,
			func(e telemetry.Event) bool {
				return strings.HasPrefix(e.Command, "ape-claw nft x") && len(e.Command) <= 256
			}},
		{"the last of two equal names", `{"ts":1771416000,"eventType":"a.a","eventType":"a.b"}`, func(e telemetry.Event) bool { return e.EventType == "a.b" }},
		{"a byte order mark", "\ufeff" + `{"ts":1771416000,"eventType":"a.b"}`, func(telemetry.Event) bool { return true }},
		{"no newline at the end, and space", `  {"ts":1771416000,"eventType":"a.b"} `, func(telemetry.Event) bool { return true }},
		{"too much payload", `{"ts":1771416000,"eventType":"a.b","payload":{"n":1,"text":"` + strings.Repeat("y", 3<<20) + `"}}`,
			func(e telemetry.Event) bool {
				return strings.HasPrefix(string(e.Payload), `{"n":1,"truncated":true,"bytes":`)
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			res := importText(t, newLog(t, dir), c.in, telemetry.ImportOptions{})
			if got := events(t, dir); len(got) != 1 || !c.check(got[0]) {
				t.Errorf("%+v\n%s", res, rawLog(t, dir))
			}
		})
	}
}

// An event without a time happened when the line before it says, not now.
func TestImportOfAMissingTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	res := importText(t, newLog(t, dir), `{"eventType":"a.first"}
{"ts":"2026-02-18T12:00:00Z","eventType":"a.b"}
{"eventType":"a.c"}
`, telemetry.ImportOptions{})
	got := events(t, dir)
	if len(got) != 2 || got[1].TS != got[0].TS || res.Invalid != 1 || res.Problems[0].Line != 1 || res.Problems[0].Code != "bad_ts" || res.Filled["ts"] != 1 {
		t.Errorf("%+v\n%+v", res, got)
	}
}

func TestImportReportsWhatIsNoEvent(t *testing.T) {
	t.Parallel()
	lines := []struct{ line, code string }{
		{`{"ts":1771416000,"eventType":"a.b"}`, ""},
		{`not json`, "not_json"},
		{`[1]`, "not_json"},
		{"{\"ts\":1771416000,\"eventType\":\"a.\x00b\"}", "nul"},
		{"{\"ts\":1771416000,\"eventType\":\"a.\xff\"}", "utf8"},
		{`{"ts":1771416000}`, "no_type"},
		{`{"ts":1771416000,"eventType":7}`, "no_type"},
		{`{"ts":1771416000,"eventType":"a\u0007b"}`, "bad_field"},
		{`{"ts":"yesterday","eventType":"a.b"}`, "bad_ts"},
		{`{"ts":-1,"eventType":"a.b"}`, "bad_ts"},
		{`{"ts":1e300,"eventType":"a.b"}`, "bad_ts"},
		{`{"ts":true,"eventType":"a.b"}`, "bad_ts"},
		{`{"v":2,"ts":1771416000,"eventType":"a.b"}`, "newer_version"},
		{`{"ts":1771416000,"eventType":"a.b","agentId":{}}`, "bad_field"},
		{`{"ts":1771416000,"eventType":"a.b","traceId":"` + strings.Repeat("x", 129) + `"}`, "bad_field"},
		{`{"ts":1771416000,"eventType":"a.b","ok":1}`, "bad_field"},
		{`{"ts":1771416000,"eventType":"a.b","ok":true,"error":"but"}`, "bad_field"},
		{`{"ts":1771416000,"eventType":"a.b","dryRun":"yes"}`, "bad_field"},
		{`{"ts":1771416000,"eventType":"a.b","chainId":1.5}`, "bad_field"},
		{`{"ts":1771416000,"eventType":"a.b","x":"` + strings.Repeat("x", 16<<20) + `"}`, "too_long"},
		{``, ""},
		{`{"ts":17714`, "torn"},
	}
	var in []string
	want := map[string]int64{}
	for _, l := range lines {
		in = append(in, l.line)
		if l.code != "" {
			want[l.code]++
		}
	}
	text := strings.Join(in, "\n")
	dir := t.TempDir()
	l := newLog(t, dir)
	_, err := l.Import(t.Context(), strings.NewReader(text), int64(len(text)), telemetry.ImportOptions{Strict: true})
	if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("strict: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("strict left %v", left)
	}
	res := importText(t, l, text, telemetry.ImportOptions{})
	if fmt.Sprint(res.Reasons) != fmt.Sprint(want) || res.Imported != 1 || len(res.Problems) != 20 || res.Lines != 21 {
		t.Errorf("%+v\nwant %v", res, want)
	}
}

// source is n lines of the original's form, the same whenever it is asked.
func source(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"ts":%d,"eventType":"a.b","payload":{"n":%d}}`+"\n", 1771416000+i, i)
	}
	return b.String()
}

// numbers are the payloads' n, in the log's order.
func numbers(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	for _, e := range events(t, dir) {
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(string(e.Payload), `{"n":`), "}"))
	}
	return strings.Join(out, " ")
}

func upTo(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(i)
	}
	return strings.Join(out, " ")
}

func TestImportAgainAddsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	importText(t, l, source(20), telemetry.ImportOptions{})
	before := rawLog(t, dir)
	res := importText(t, l, source(20), telemetry.ImportOptions{})
	if res.Known != 20 || res.Imported != 0 || rawLog(t, dir) != before {
		t.Errorf("%+v", res)
	}
	res = importText(t, l, source(25), telemetry.ImportOptions{}) // it has grown
	if res.Known != 20 || res.Imported != 5 || numbers(t, dir) != upTo(25) {
		t.Errorf("%+v\n%s", res, numbers(t, dir))
	}
	// Its own lines, and what was exported from here, are known as well.
	appendLine(t, l, []byte(`{"v":1,"ts":"2026-02-18T12:00:00.000Z","eventType":"own.event"}`))
	before = rawLog(t, dir)
	if res = importText(t, l, before, telemetry.ImportOptions{}); res.Imported != 0 || rawLog(t, dir) != before {
		t.Errorf("its own log: %+v", res)
	}
	// And on another machine they stay known by their ids.
	other := t.TempDir()
	o := newLog(t, other)
	importText(t, o, source(3), telemetry.ImportOptions{})
	if res = importText(t, o, before, telemetry.ImportOptions{}); res.Known != 3 || res.Imported != 23 {
		t.Errorf("over another log: %+v", res)
	}
}

// What an import appended is on disk when it has ended, also what a rotation has put
// into another file since: whoever has imported may delete the source.
func TestImportSyncsWhatIsRotated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: 2 << 10})
	t.Cleanup(func() { _ = l.Close() })
	importText(t, l, source(10), telemetry.ImportOptions{})
	old := segmentFiles(t, dir)
	synced := map[string]bool{}
	l.SetSystem(nil, func(f *os.File) error { synced[filepath.Base(f.Name())] = true; return nil })
	importText(t, l, source(60), telemetry.ImportOptions{})
	files := segmentFiles(t, dir)
	if len(old) < 1 || len(files) < len(old)+3 {
		t.Fatalf("%d and %d segments", len(old), len(files))
	}
	for _, f := range files[len(old):] {
		if !synced[f] {
			t.Errorf("%s was not synced", f)
		}
	}
	for _, f := range old {
		if synced[f] {
			t.Errorf("%s was synced again", f)
		}
	}
	l.SetSystem(nil, func(*os.File) error { return unix.EIO })
	text := source(90)
	if _, err := l.Import(t.Context(), strings.NewReader(text), int64(len(text)), telemetry.ImportOptions{Redactor: telemetry.NewRedactor()}); fault.CodeOf(err) != fault.NotDurable {
		t.Errorf("a failed sync: %v", err)
	}
}

// segmentFiles are the names of the rotated files, oldest first.
func segmentFiles(t *testing.T, dir string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "events.meta"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Segments []struct{ Name string } }
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range m.Segments {
		names = append(names, s.Name)
	}
	return names
}

func TestImportKeepsEqualLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	one := `{"ts":1771416000,"eventType":"a.b"}` + "\n"
	importText(t, l, one+one+one, telemetry.ImportOptions{})
	res := importText(t, l, one+one+one+one, telemetry.ImportOptions{})
	if got := events(t, dir); len(got) != 4 || res.Known != 3 || !strings.HasSuffix(got[3].EventID, "/4") {
		t.Errorf("%+v\n%s", res, rawLog(t, dir))
	}
	// With an id of their own they are one.
	id := `{"ts":1771416000,"eventType":"a.b","eventId":"box/1"}` + "\n"
	if res = importText(t, l, id+id, telemetry.ImportOptions{}); res.Imported != 1 || res.Known != 1 {
		t.Errorf("%+v", res)
	}
	if res = importText(t, l, id+id, telemetry.ImportOptions{}); res.Imported != 0 {
		t.Errorf("%+v", res)
	}
}

// However often it ends in the middle, every event is there once in the end, and in
// order.
func TestImportGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := source(30)
	for stop := 1; stop <= 30; stop += 7 {
		l := telemetry.NewLog(dir, telemetry.LogOptions{NoNotify: true})
		n := 0
		l.SetSystem(func(fd int, p []byte) (int, error) {
			if n++; n > 4 {
				half, err := unix.Write(fd, p[:len(p)/2])
				return half, errors.Join(err, unix.ENOSPC)
			}
			return unix.Write(fd, p)
		}, nil)
		res, err := l.Import(t.Context(), strings.NewReader(text), int64(len(text)), telemetry.ImportOptions{})
		if fault.CodeOf(err) != fault.StateUnusable || res.Imported != 4 {
			t.Errorf("%+v, %v", res, err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	importText(t, newLog(t, dir), text, telemetry.ImportOptions{})
	if got := numbers(t, dir); got != upTo(30) {
		t.Errorf("%s", got)
	}
}

func TestImportIsInterrupted(t *testing.T) {
	t.Parallel()
	text := source(50)
	for _, dry := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		res, err := newLog(t, t.TempDir()).Import(ctx, strings.NewReader(text), int64(len(text)), telemetry.ImportOptions{DryRun: dry, Progress: func(stage string, done, _ int64) {
			if stage == "import" && done > int64(len(text)/2) {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || res.Imported == 0 || res.Imported > 30 {
			t.Errorf("%+v, %v", res, err)
		}
	}
}

// No secret is cut in half and kept.
func TestImportRedactsBeforeItCuts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const secret = "correct-horse-battery"
	text := fmt.Sprintf(`{"ts":1771416000,"eventType":"a.b","command":"%s%s","error":"%s%s"}`, strings.Repeat("c", 206), secret, strings.Repeat("e", 8<<10-10), secret)
	importText(t, newLog(t, dir), text, telemetry.ImportOptions{Redactor: telemetry.NewRedactor(secret)})
	if strings.Contains(rawLog(t, dir), "corre") {
		t.Errorf("%s", rawLog(t, dir))
	}
}

func TestImportDryRunWritesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	res := importText(t, newLog(t, dir), source(5)+"bad\n", telemetry.ImportOptions{DryRun: true})
	if _, err := os.Stat(dir); err == nil || res.Imported != 5 || res.Invalid != 1 {
		t.Errorf("%+v", res)
	}
}

func TestImportRedacts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := `{"ts":1771416000,"eventType":"a.b","command":"ape-claw x --agent-token claw_abcdefabcdef0123","payload":{"privateKey":"0x` + strings.Repeat("ab", 32) + `","note":"top-secret-word"},"result":{"password":"1234"},"error":"Bearer abcdefghijklmnop"}` + "\n"
	red := telemetry.NewRedactor("top-secret-word")
	l := newLog(t, dir)
	res := importText(t, l, text, telemetry.ImportOptions{Redactor: red})
	for _, secret := range []string{"claw_abc", "abababab", "top-secret", "1234\"", "abcdefghijkl"} {
		if strings.Contains(rawLog(t, dir), secret) {
			t.Errorf("%s is in the log: %s", secret, rawLog(t, dir))
		}
	}
	// Who knows other secrets still knows the line again.
	again := importText(t, l, text, telemetry.ImportOptions{})
	if res.Redacted != 1 || again.Known != 1 {
		t.Errorf("%+v, %+v", res, again)
	}
}

// What could be guessed of a line that is written without a secret must not be
// checked against its id.
func TestImportIDsDoNotDependOnSecrets(t *testing.T) {
	t.Parallel()
	id := func(password string) string {
		dir := t.TempDir()
		importText(t, newLog(t, dir), fmt.Sprintf(`{"ts":1771416000,"eventType":"a.b","payload":{"password":%q}}`, password), telemetry.ImportOptions{})
		return events(t, dir)[0].EventID
	}
	if id("1234") != id("5678") {
		t.Error("the id tells passwords apart")
	}
}

func TestTwoImportsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := source(10)
	var second error
	importing := false
	_, err := newLog(t, dir).Import(t.Context(), strings.NewReader(text), int64(len(text)), telemetry.ImportOptions{Progress: func(stage string, _, _ int64) {
		if stage == "import" && !importing {
			importing = true
			_, second = newLog(t, dir).Import(t.Context(), strings.NewReader(text), int64(len(text)), telemetry.ImportOptions{})
		}
	}})
	if err != nil || fault.CodeOf(second) != fault.Conflict || numbers(t, dir) != upTo(10) {
		t.Errorf("%v, %v\n%s", err, second, numbers(t, dir))
	}
}

// changing is a file that is another when it is read again.
type changing struct {
	first, then *bytes.Reader
	reads       *int
}

// ReadAt implements io.ReaderAt.
func (c changing) ReadAt(p []byte, off int64) (int, error) {
	if *c.reads++; *c.reads > 1 {
		return c.then.ReadAt(p, off)
	}
	return c.first.ReadAt(p, off)
}

func TestImportOfAChangingFile(t *testing.T) {
	t.Parallel()
	a, b := source(3), strings.ReplaceAll(source(3), `"n"`, `"m"`)
	reads := 0
	_, err := newLog(t, t.TempDir()).Import(t.Context(), changing{bytes.NewReader([]byte(a)), bytes.NewReader([]byte(b)), &reads}, int64(len(a)), telemetry.ImportOptions{})
	if fault.CodeOf(err) != fault.Conflict {
		t.Errorf("%v", err)
	}
}
