package approve_test

import (
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/tests/pty"
)

// person is somebody at a terminal who approves.
type person struct {
	*pty.Session
	t    *testing.T
	args []string
}

// answers are what is typed instead of what is right.
type answers struct {
	read, collection, phrase string // "": the right one
}

// sit starts ai actions approve at a terminal.
func (w *world) sit(id string, more ...string) person {
	w.t.Helper()
	return w.sitIn(w.wd(), id, more...)
}

func (w *world) sitIn(dir, id string, more ...string) person {
	w.t.Helper()
	args := []string{"ai", "actions", "approve", id, "--json"}
	return person{pty.Start(w.t, w.bin, args, append(w.env("MODEL_KEY=k-"+strings.Repeat("0", 20)), more...), pty.Dir(dir), pty.Apart()), w.t, args}
}

// steps goes through the three, up to the passphrase; whether it comes to that is
// for the caller to know.
func (p person) steps(a answers) {
	p.t.Helper()
	p.stepsOf(a, "collection", "priceApe", "tokenId")
}

// stepsOf is steps for a card of which other things are retyped.
func (p person) stepsOf(a answers, identifiers ...string) {
	p.t.Helper()
	p.Expect("Step 1 of 3")
	p.Expect("Type yes: ")
	if a.read != "" {
		p.Send(a.read)
		return
	}
	p.Send("yes")
	for _, name := range identifiers {
		p.Expect("Step 2 of 3: retype the ")
		asked := p.Expect("): ")
		value := strings.TrimSuffix(asked[strings.LastIndex(asked, "(")+1:], "): ")
		if name == "collection" && a.collection != "" {
			p.Send(a.collection)
			return
		}
		p.Send(value)
	}
	p.Expect("Step 3 of 3: type ")
	phrase := strings.TrimSuffix(p.Expect(" to approve: "), " to approve: ")
	if a.phrase != "" {
		p.Send(a.phrase)
		return
	}
	p.Send(phrase)
	p.Expect("passphrase, to approve ")
	p.Expect(": ")
}

// end waits for what came of it.
func (p person) end() outcome {
	p.t.Helper()
	o := outcome{args: p.args, exit: p.Wait()}
	o.killed = o.exit == -1
	o.text = p.Screen() + "\n" + p.Stdout() + p.Stderr()
	o.decode(p.t, p.Stdout())
	return o
}

// approve is all of it.
func (w *world) approve(id string, more ...string) outcome {
	w.t.Helper()
	p := w.sit(id, more...)
	p.steps(answers{})
	p.Send(passphrase)
	return p.end()
}

// refused approves at a terminal where it does not come to a question.
func (w *world) refused(id string, more ...string) outcome {
	w.t.Helper()
	return w.sit(id, more...).end()
}
