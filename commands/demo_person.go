package commands

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// patient is how long the demo's person waits for a question.
const patient = 30 * time.Second

// person sits at a pseudo-terminal and answers what a run asks there, as somebody
// would: each answer is typed once its question is on the screen, and not before.
type person struct {
	pty  PTY
	done chan struct{} // closed when the terminal ended

	mu   sync.Mutex
	seen bytes.Buffer  // all that the terminal showed
	more chan struct{} // closed and replaced when seen grew
}

// line is a question, by what it says, and what is typed then.
type line struct{ question, answer string }

func sitDown(open func() (PTY, error)) (*person, error) {
	if open == nil {
		return nil, fault.New(fault.TTYRequired, "there is no way here to open a terminal for the person of the story")
	}
	pty, err := open()
	if err != nil {
		return nil, fault.Wrap(err, fault.TTYRequired, "no pseudo-terminal can be opened").Hintf("is /dev/pts mounted?")
	}
	p := &person{pty: pty, done: make(chan struct{}), more: make(chan struct{})}
	go p.watch()
	return p, nil
}

// watch reads the screen until the terminal ends, which is all its error says.
func (p *person) watch() {
	defer close(p.done)
	buf := make([]byte, 4096)
	for {
		n, err := p.pty.Read(buf)
		p.mu.Lock()
		p.seen.Write(buf[:n])
		close(p.more)
		p.more = make(chan struct{})
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// standUp ends the terminal. A run that was called off may have left a read of it
// behind, which a line ends.
func (p *person) standUp() error {
	_, _ = io.WriteString(p.pty, "\n")
	err := p.pty.Close()
	timeout := time.NewTimer(time.Second)
	defer timeout.Stop()
	select {
	case <-p.done:
	case <-timeout.C: // the demo has failed already, and the process ends
	}
	return err
}

// screen is what was shown from at on, and a channel that ends when there is more.
func (p *person) screen(at int) (string, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.seen.Bytes()[at:]), p.more
}

// shown is how much the terminal has shown so far.
func (p *person) shown() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.Len()
}

// answer answers questions in their order, of what the screen shows from start on,
// until the last one or until ctx ends, and returns what stood there meanwhile.
func (p *person) answer(ctx context.Context, start int, script []line) (shown string, err error) {
	defer func() { shown, _ = p.screen(start) }()
	at := start
	timeout := time.NewTimer(patient)
	defer timeout.Stop()
	for _, l := range script {
		for {
			text, more := p.screen(at)
			if i := strings.Index(text, l.question); i >= 0 {
				at += i + len(l.question)
				break
			}
			select {
			case <-more:
			case <-p.done:
				return "", fault.New(fault.Internal, "the terminal ended before it asked for %q", l.question)
			case <-ctx.Done():
				return "", fault.New(fault.Internal, "the run ended before it asked for %q", l.question)
			case <-timeout.C:
				return "", fault.New(fault.Internal, "the run did not ask for %q", l.question)
			}
		}
		if _, err := io.WriteString(p.pty, l.answer+"\n"); err != nil {
			return "", fault.Wrap(err, fault.Internal, "nothing can be typed at the terminal")
		}
	}
	return "", nil
}

// typing has the person answer while run goes on, which ends when the person gives
// up, and hands on what the screen showed.
func (p *person) typing(ctx context.Context, script []line, run func(context.Context)) (shown string, err error) {
	running, giveUp := context.WithCancel(ctx)
	defer giveUp()
	asking, over := context.WithCancel(ctx)
	defer over()
	answered := make(chan error, 1)
	start := p.shown() // before the run begins: it may ask before the person looks
	go func() {
		var err error
		if shown, err = p.answer(asking, start, script); err != nil {
			giveUp()
		}
		answered <- err
	}()
	run(running)
	over()
	err = <-answered
	return strings.ReplaceAll(shown, "\r\n", "\n"), err
}
