package serve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// What is counted while there is no stream is the same whoever wrote it, this server
// or others between its own, good or not.
func TestEventsAreCountedWithoutAStream(t *testing.T) {
	t.Parallel()
	s := startTaking(t, serve.Options{})
	foreign := func(text string) {
		t.Helper()
		f := must[*os.File](t)(os.OpenFile(filepath.Join(s.dir, "events.jsonl"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600))
		must[int](t)(f.WriteString(text))
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	good, bad := 0, 0
	for i := range 6 {
		for n := range 20 * i {
			if status, a := s.send(fmt.Sprintf(`{"eventType":"custom.n","payload":{"n":%d}}`, n)); status != 200 {
				t.Fatal(status, a)
			}
			good++
		}
		if i%2 == 1 {
			foreign(event("a.b", i) + "\n" + "no json\n" + event("a.b", i) + "\n")
			good, bad = good+2, bad+1
		}
		size := int64(0)
		if st, err := os.Stat(filepath.Join(s.dir, "events.jsonl")); err == nil {
			size = st.Size()
		}
		eventually(t, "not all of the log is counted", func() bool { return s.Read().Pos == size })
		_, text := s.get("/metrics")
		for name, want := range map[string]int64{"lines_total": int64(good), "end_bytes": size, `bad_lines_total{kind="not_json"}`: int64(bad)} {
			if line := fmt.Sprintf("\nape_claw_log_%s %d\n", name, want); !strings.Contains(text, line) {
				t.Errorf("after %d good and %d bad lines there is no %q", good, bad, line)
			}
		}
	}
	st := s.stream("")
	s.send(`{"eventType":"custom.last"}`)
	if f := st.next(); !strings.Contains(f.data, "custom.last") {
		t.Errorf("the stream has %+v", f)
	}
}
