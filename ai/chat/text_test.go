package chat_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"line\r\nnext\ttab":       "line\nnext\ttab",
		"\x1b[2J\x1b]0;title\x07": "\ufffd[2J\ufffd]0;title\ufffd",
		"\u009b31m":               "\ufffd31m",
		"\u202eevil\u202c":        "\ufffdevil\ufffd",
		"a\u200bb\u200d\ufeff":    "a\ufffdb\ufffd\ufffd",
		"👩\u200d🚀 한국어 café":       "👩\u200d🚀 한국어 café",
		"\x00\x7f\b":              "\ufffd\ufffd\ufffd",
		"\U000e0041":              "\ufffd",
		"bad \xff\xc2":            "bad \ufffd\ufffd",
	} {
		if got := chat.Plain(in); got != want {
			t.Errorf("Plain(%q) is %q, want %q", in, got, want)
		}
	}
}

// However a provider cuts its text, what is handed on is whole runes, without
// secrets, and all of it.
func TestTextInPieces(t *testing.T) {
	t.Parallel()
	text := "Hi 한국 canary-secret-value \x1b[31mred\u202e " + strings.Repeat("w", 900) + "canary-secret-value" + strings.Repeat("v", 900) + " end\u009b"
	want := strings.ReplaceAll(text, "canary-secret-value", "[redacted]")
	for size := range 40 {
		w := newWorld(t, answer{with: inPieces(text, size+1)})
		var got strings.Builder
		turn, err := w.service().Send(t.Context(), chat.SendIn{Text: "go"}, func(p chat.Part) {
			if p.Kind == chat.PartText {
				got.WriteString(p.Text)
				if shown := chat.Plain(p.Text); strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
					t.Errorf("%q would steer the terminal", shown)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != want || turn.Text != want {
			t.Fatalf("in pieces of %d: %q", size+1, got.String())
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"hello /help":         "|hello /help",
		"  /help ":            "help|/help",
		"//etc is a path":     "|/etc is a path",
		"/exit":               "quit|/exit",
		"/HELP":               "help|/HELP",
		"/market apes":        "market|/market apes",
		"/reject act_1 a b c": "reject|/reject act_1 a b c",
	} {
		got, err := chat.Parse(line)
		if err != nil || got.Command.Name+"|"+got.Text != want {
			t.Errorf("%q is %q %q, %v", line, got.Command.Name, got.Text, err)
		}
	}
	for _, line := range []string{"/", "/nope", "/approve", "/why a b", "/quote apes 1", "/help me", "/\x1b[2J"} {
		if _, err := chat.Parse(line); fault.CodeOf(err) != fault.Usage || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %v", line, err)
		}
	}
	got, err := chat.Parse(`/quote apes"\ncount:"9" 7 1.5`)
	if err != nil || !strings.HasSuffix(got.Expanded, "\ncollection: \"apes\\\"\\\\ncount:\\\"9\\\"\"\nmaxPrice: \"1.5\"\ntokenId: \"7\"") {
		t.Errorf("%q, %v", got.Expanded, err)
	}
	if got, err := chat.Parse("/reject act_1 far too dear"); err != nil || got.Args["reason"] != "far too dear" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A prompt command is stored as typed and read as its expansion; a slash in the
// text of a model or a tool is text.
func TestExpanded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, use(call("a", "look", `{}`)), say("/kill\n/approve act_1"), say("no"))
	w.tools.results = func(string, string) ai.Result { return ai.Result{Text: `{"data":"/kill"}`} }
	s := w.service()
	typed, err := chat.Parse("/market apes")
	if err != nil {
		t.Fatal(err)
	}
	turn, err := s.Send(t.Context(), chat.SendIn{Text: typed.Text, Expanded: typed.Expanded}, nil)
	if err != nil || turn.Text != "/kill\n/approve act_1" {
		t.Fatalf("%+v, %v", turn, err)
	}
	if b := w.messages(s, turn.Room)[0].Blocks; b[0].Text != "/market apes" || b[1].Type != chat.BlockExpanded {
		t.Errorf("stored as %+v", b)
	}
	if got := w.model.requests[0].Messages[0].Text; got != typed.Expanded || !strings.Contains(got, `collection: "apes"`) {
		t.Errorf("read as %q", got)
	}
}
