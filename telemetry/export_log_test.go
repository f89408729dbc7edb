package telemetry_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestSelection(t *testing.T) {
	t.Parallel()
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	noon, one := at("2026-02-18T12:00:00Z"), at("2026-02-18T13:00:00Z")
	period := telemetry.Selection{Since: noon, Until: one}
	for _, c := range []struct {
		name string
		sel  telemetry.Selection
		line string
		want bool
	}{
		{"the zero one takes all", telemetry.Selection{}, `{}`, true},
		{"its first moment", period, `{"ts":"2026-02-18T12:00:00.000Z"}`, true},
		{"its last moment", period, `{"ts":"2026-02-18T12:59:59.999Z"}`, true},
		{"after its last moment", period, `{"ts":"2026-02-18T13:00:00.000Z"}`, false},
		{"before its first", period, `{"ts":"2026-02-18T11:59:59.999Z"}`, false},
		{"another zone", period, `{"ts":"2026-02-18T14:30:00+02:00"}`, true},
		{"unix seconds", period, `{"ts":1771416000}`, true},
		{"unix milliseconds", period, `{"ts":1771416000000}`, true},
		{"no time", period, `{"ts":"soon"}`, false},
		{"none at all", period, `{}`, false},
		{"the last of two counts", period, `{"ts":"2026-02-18T12:00:00Z","ts":"2020-01-01T00:00:00Z"}`, false},
		{"open at the end", telemetry.Selection{Since: noon}, `{"ts":"2126-02-18T12:00:00Z"}`, true},
		{"open at the start", telemetry.Selection{Until: one}, `{"ts":"1969-02-18T12:00:00Z"}`, true},
		{"the session", telemetry.Selection{Session: "s1"}, `{"sessionId":"s1"}`, true},
		{"another session", telemetry.Selection{Session: "s1"}, `{"sessionId":"s2"}`, false},
		{"a nested session is none", telemetry.Selection{Session: "s1"}, `{"payload":{"sessionId":"s1"}}`, false},
	} {
		if got := c.sel.Match([]byte(c.line)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	w := telemetry.NewCSVWriter(&buf)
	if err := w.Header(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"v":1,"ts":"2026-02-18T12:00:00.000Z","eventType":"a.b","agentId":"=1+1","sessionId":"+1","traceId":"-1","command":"@x","dryRun":true,` +
			`"chainId":-5,"payload":{"a":"=1, \"2\""},"result":{},"ok":false,"error":"\tx","source":"\rx","eventId":"\nx","other":1}`,
		`{"agentId":"plain","sessionId":"a=b","traceId":"  =1","command":"\u0000\u001b[31m\u202e","source":"＝1","error":null,"data":{"n":1}}`,
		`{"payload":"=cmd()","result":null,"data":{"n":2}}`,
		`{"eventType":["=x"],"agentId":"'=1","command":"two\nlines, and \"quotes\""}`,
	} {
		if err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&buf).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rows[0], telemetry.CSVColumns()) || len(rows) != 5 {
		t.Fatalf("%q", rows)
	}
	for i, want := range []map[string]string{
		{"v": "1", "agentId": "'=1+1", "sessionId": "'+1", "traceId": "'-1", "command": "'@x", "dryRun": "true", "chainId": "-5",
			"payload": `{"a":"=1, \"2\""}`, "result": "{}", "ok": "false", "error": "'\tx", "source": "'\rx", "eventId": "'\nx"},
		{"agentId": "plain", "sessionId": "a=b", "traceId": "'  =1", "command": "\ufffd\ufffd[31m\u202e", "source": "'＝1", "error": "", "payload": `{"n":1}`},
		{"payload": `"=cmd()"`, "result": ""},
		{"eventType": `["=x"]`, "agentId": "'=1", "command": "two\nlines, and \"quotes\""},
	} {
		for name, cell := range want {
			if got := rows[i+1][slices.Index(telemetry.CSVColumns(), name)]; got != cell {
				t.Errorf("row %d, %s: %q, want %q", i+1, name, got, cell)
			}
		}
	}
}

// export collects what an export says.
func export(t *testing.T, l *telemetry.Log, opt telemetry.ExportOptions) ([]string, telemetry.ExportResult) {
	t.Helper()
	var out []string
	res, err := l.Export(t.Context(), opt, func(line []byte) error {
		out = append(out, string(line))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if int(res.Count) != len(out) {
		t.Errorf("the count is %d, and %d came", res.Count, len(out))
	}
	return out, res
}

func TestExportIsTheLogByteForByte(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	if out, res := export(t, l, telemetry.ExportOptions{}); len(out) != 0 || !res.Cursor.IsZero() {
		t.Errorf("no log: %q, %v", out, res)
	}
	appendLine(t, l, line("one"))
	foreign(t, dir, `{ "spaced" : 1 }`+"\r\n"+"torn\n\x00\x00\n"+`{"password":"hunter22"}`+"\n")
	appendLine(t, l, line("two"))
	foreign(t, dir, `{"unfinished":`)
	out, res := export(t, l, telemetry.ExportOptions{})
	equal(t, "export", out, []string{string(line("one")), `{ "spaced" : 1 }` + "\r", `{"password":"[redacted]"}`, string(line("two"))})
	if bad := l.Stats().Bad.Total(); bad != 2 {
		t.Errorf("%d bad lines", bad)
	}
	foreign(t, dir, "1}\n")
	out, _ = export(t, l, telemetry.ExportOptions{After: res.Cursor})
	equal(t, "what came later", out, []string{`{"unfinished":1}`})
	out, _ = export(t, l, telemetry.ExportOptions{Match: func(b []byte) bool { return bytes.Contains(b, []byte("two")) }})
	equal(t, "the matching", out, []string{string(line("two"))})
}

// An export ends at the end that the log had, however fast others write.
func TestExportEndsWhereTheLogEnded(t *testing.T) {
	t.Parallel()
	l := newLog(t, t.TempDir())
	const n = 3000 // more than is read at once
	var end telemetry.Cursor
	for i := range n {
		end = appendLine(t, l, line("%d %s", i, strings.Repeat("x", 200)))
	}
	var count int
	res, err := l.Export(t.Context(), telemetry.ExportOptions{}, func(b []byte) error {
		if count++; bytes.Contains(b, []byte("later")) {
			t.Errorf("%s", b)
		}
		if count%1000 == 1 {
			appendLine(t, l, line("later"))
		}
		return nil
	})
	if err != nil || count != n || res.Cursor != end {
		t.Errorf("%d events, %v, %v; the end was %s", count, res, err, end)
	}
}

func TestExportOverSegments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: 4 << 10, NoNotify: true})
	defer l.Close() //nolint:errcheck // read only by now
	var want []string
	for i := range 300 {
		b := line("%d %s", i, strings.Repeat("x", 50))
		appendLine(t, l, b)
		want = append(want, string(b))
	}
	var last int64
	out, res := export(t, l, telemetry.ExportOptions{Progress: func(done, total int64) {
		if done < last || done > total {
			t.Errorf("progress went from %d to %d of %d", last, done, total)
		}
		last = done
	}})
	equal(t, "export", out, want)
	if last != res.Cursor.Pos {
		t.Errorf("progress ended at %d of %d", last, res.Cursor.Pos)
	}
}

// A log that is cut under an export can't be exported whole, which is an error.
func TestExportOfACutLogFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	for i := range 9000 { // more than is read at once
		appendLine(t, l, line("%d %s", i, strings.Repeat("x", 200)))
	}
	cut := false
	_, err := l.Export(t.Context(), telemetry.ExportOptions{}, func([]byte) error {
		if !cut {
			cut = true
			replaceLog(t, dir, fmt.Sprintf("%s\n", line("new")))
		}
		return nil
	})
	if fault.CodeOf(err) != fault.Conflict {
		t.Errorf("%v", err)
	}
	other, _ := telemetry.ParseCursor("abc-5")
	_, err = l.Export(t.Context(), telemetry.ExportOptions{After: other}, func([]byte) error { return nil })
	var reset *telemetry.ResetError
	if !errors.As(err, &reset) {
		t.Errorf("a cursor of another log: %v", err)
	}
}

// With a semicolon or a tab between cells, as half of Europe has it, a quote inside
// of a cell means nothing: what follows a semicolon or a line break is a cell.
// tests/browser/format.test.mjs has the same table for the page.
func TestCSVHidesNoFormulaInACell(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"a;=1+1"`:                              `a;'=1+1`,
		`"a; \u00a0@x;b"`:                       "a;' \u00a0@x;b",
		`"a;\"=1+1;b"`:                          `a;'"=1+1;b`,
		`"x\n=1\r\n+2\t-3"`:                     "x\n'=1\r\n'+2\t'-3",
		`"\u00a0=1"`:                            "'\u00a0=1",
		`"\ufeff\u200b\u3000＝1"`:                "'\ufeff\u200b\u3000＝1",
		`" \t=1"`:                               "' \t'=1",
		`";;=1;"`:                               ";;'=1;",
		`"a;b\nc - d; 5-3"`:                     "a;b\nc - d; 5-3",
		`["a;=1+1; b;\u00a0=2",";",-5]`:         `["a\u003b=1+1; b;\u00a0=2",";",-5]`,
		`{"a;":-5,"b":"=1;\u00a0@c;"}`:          `{"a;":-5,"b":"=1;\u00a0@c;"}`,
		"{\"b\":\"c;\u00a0@SUM(1);\",\"n\":-1}": "{\"b\":\"c\\u003b\u00a0@SUM(1);\",\"n\":-1}",
	} {
		var buf bytes.Buffer
		w := telemetry.NewCSVWriter(&buf)
		if err := errors.Join(w.Write([]byte(`{"agentId":`+in+`}`)), w.Flush()); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&buf).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want = strings.ReplaceAll(want, "\r\n", "\n") // as the reader has it
		if got := rows[0][3]; got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
		if strings.HasPrefix(in, `"`) {
			continue
		}
		var was, is any
		if err := errors.Join(json.Unmarshal([]byte(in), &was), json.Unmarshal([]byte(rows[0][3]), &is)); err != nil || !reflect.DeepEqual(was, is) {
			t.Errorf("%s is another JSON: %v", rows[0][3], err)
		}
	}
}
