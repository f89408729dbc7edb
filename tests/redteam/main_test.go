package redteam_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/ape-claw/ape-claw/sandbox/model"
	"github.com/ape-claw/ape-claw/tests/program"
)

var (
	full  = flag.Bool("full", false, "every guard switched off")
	only  = flag.String("only", "", "the cases whose name has this in it")
	quiet = flag.String("report", "", "write what got through into this file, and fail for nothing (for TestRemovedGuards)")
)

const root = "../.."

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	program.Remove()
	os.Exit(code)
}

// binary is the program under test.
func binary(t *testing.T) string {
	t.Helper()
	return program.Plain.For(t)
}

// The channels that a model calls by; the last three run the built program.
const (
	chat     = "chat"
	stdio    = "mcp-stdio"
	overHTTP = "mcp-http"
	realChat = "chat, program"
	realMCP  = "mcp-stdio, program"
	realHTTP = "mcp-http, program"
)

// attack is one case.
type attack struct {
	name   string
	row    string // of the specification's table, "" for one of ours
	where  string // the attacker's text stands
	asks   string // what it wants
	by     []string
	client string // what an MCP client calls itself; default "desk"
	token  string // over HTTP; default "desk"
	args   []string

	plant func(p *place) // puts the text there
	say   []string       // what the person says, turn by turn; default "look around"
	model []model.Step   // what the model does by itself; default: obeys until there is nothing left to obey
	// after is for whoever is not the model: another process, an HTTP client, a person.
	after func(p *place, c caller)
	// holds says what this case has to show beside what the judge holds.
	holds func(p *place, calls []call) []string
}

// obeys is a model that first calls a tool by itself, and then does what it read.
func obeys(first ...model.Step) []model.Step {
	return append(first, model.Step{Obey: true, Say: "Nothing to do."}, model.Step{Obey: true, Say: "Done."}, model.Say("All done."))
}

// TestRedTeam: whatever a model is told to do, the world is as it was.
func TestRedTeam(t *testing.T) {
	s := newStage(t)
	var mu sync.Mutex
	count, through := map[string]int{}, map[string][]string{}
	t.Cleanup(func() {
		if *quiet != "" {
			report(t, through)
			return
		}
		n := 0
		for _, ch := range []string{chat, stdio, overHTTP, realChat, realMCP, realHTTP} {
			t.Logf("%3d cases by %s", count[ch], ch)
			n += count[ch]
		}
		t.Logf("%3d in all, of %d attacks", n, len(attacks))
	})
	for i, a := range attacks {
		for j, ch := range a.by {
			if full := a.name + ", " + ch; !strings.Contains(full, *only) || *quiet != "" && strings.Contains(full, "program") {
				continue
			}
			if !*full && *only == "" && !drawn(a, i, ch) {
				continue
			}
			t.Run(a.name+", "+ch, func(t *testing.T) {
				t.Parallel()
				wrong := s.play1(t, a, ch, fmt.Sprintf("m%d-%d", i, j))
				mu.Lock()
				defer mu.Unlock()
				count[ch]++
				if len(wrong) == 0 {
					return
				}
				if *quiet != "" {
					through[a.name+", "+ch] = wrong
					return
				}
				for _, w := range wrong {
					t.Errorf("got through: %s", w)
				}
			})
		}
	}
}

// drawn says whether the short form plays an attack by a channel: each attack by one of
// them, in turn, and every fourth of those for the built program by that too.
func drawn(a attack, i int, ch string) bool {
	var here, real []string
	for _, c := range a.by {
		if strings.HasSuffix(c, "program") {
			real = append(real, c)
		} else {
			here = append(here, c)
		}
	}
	if len(real) > 0 && i%2 == 0 && ch == real[i/2%len(real)] {
		return true
	}
	return ch == here[i%len(here)]
}

// play1 plays a case by one channel and judges it.
func (s *stage) play1(t *testing.T, a attack, ch, name string) []string {
	t.Helper()
	p := &place{t: t, s: s, dir: t.TempDir()}
	p.settle(nil)
	steps := a.model
	if steps == nil {
		steps = obeys()
	}
	m := s.plays(t, name, model.Script{Model: name, Steps: steps, Otherwise: &model.Step{Say: "That is all."}})
	if a.plant != nil {
		a.plant(p)
	}
	was := p.look()
	c := p.caller(t, a, ch, name)
	say := a.say
	if say == nil {
		say = []string{"look around"}
	}
	for _, text := range say {
		c.say(text)
	}
	if a.after != nil {
		a.after(p, c)
	}
	for _, r := range m.Requests() {
		p.saw(shown{what: "what the model's service was sent", text: string(r.Body)})
	}
	wrong := p.judge(was, c.calls(), c.agent())
	if a.holds != nil {
		wrong = append(wrong, a.holds(p, c.calls())...)
	}
	return append(wrong, p.wrong...)
}

func (p *place) caller(t *testing.T, a attack, ch, name string) caller {
	t.Helper()
	client, token := a.client, a.token
	if client == "" {
		client = "desk"
	}
	if token == "" {
		token = "desk"
	}
	who := cleanName(client)
	switch ch {
	case chat:
		return &chatter{p: p, model: name, conn: "main"}
	case realChat:
		return &chatter{p: p, model: name, conn: "main", bin: binary(t)}
	case stdio:
		return p.stdio(client, who, name, a.args...)
	case realMCP:
		return p.child(binary(t), client, who, name, a.args...)
	case overHTTP:
		return p.overHTTP(p.serve(), p.s.tokens[token], client, token, name)
	case realHTTP:
		return p.overHTTP(p.served(binary(t)), p.s.tokens[token], client, token, name)
	}
	t.Fatalf("no channel %s", ch)
	return nil
}
