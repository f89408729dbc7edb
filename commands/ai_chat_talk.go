package commands

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// talk is a conversation at the terminal.
type talk struct {
	d     *Deps
	s     *chat.Service
	con   Console
	ed    *lineEditor
	show  *chatShow
	room  string // "" until the first message
	seen  int64  // the last message that was shown
	conn  string
	model string
	told  []action.Action // ended here; the model is yet to hear of it
	left  bool
}

// talk holds a conversation until the person leaves.
func (d *Deps) talk(ctx context.Context, s *chat.Service, in AIChatIn) (err error) {
	con, err := d.console()
	if err != nil {
		return fault.Wrap(err, fault.TTYRequired, "a conversation needs a terminal").
			Hintf("ape-claw ai chat 'your message' needs none").WithSent(fault.SentNo)
	}
	defer func() { err = errors.Join(err, con.Close()) }()
	if err := con.Raw(); err != nil {
		return fault.Wrap(err, fault.TTYRequired, "the terminal can't be used").WithSent(fault.SentNo)
	}
	t := &talk{d: d, s: s, con: con, room: in.Conversation, conn: in.Connection, model: in.Model}
	t.show = d.newChatShow(ctx, con, con)
	t.show.same, t.show.aside.color = true, t.show.text.color
	t.ed = newLineEditor(con, t.show.text.style(bold, "> "), func() { t.say("Ctrl-D or /quit leaves; /help lists what can be typed") })
	d.chat.later = func(a action.Action) { t.told = append(t.told, a) }
	if err := t.greet(ctx); err != nil {
		return err
	}
	for !t.left && ctx.Err() == nil {
		line, err := t.next(ctx)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			break
		}
		if err == nil {
			err = t.heard(ctx, line)
		}
		if err = errors.Join(err, t.show.end()); err != nil {
			return err
		}
	}
	t.bye()
	return t.show.end()
}

// say shows a line above the one that is edited.
func (t *talk) say(line string) {
	_, _ = io.WriteString(t.ed.t, t.show.aside.style(dim, "  "+line)+"\n") // the editor meets the same failure
}

// greet says who answers, and on resuming what was said last.
func (t *talk) greet(ctx context.Context) error {
	a := t.show.aside
	if t.room != "" {
		room, err := t.s.Room(ctx, t.room)
		if err != nil {
			return err
		}
		if err := t.recall(ctx, room); err != nil {
			return err
		}
		if t.conn == "" {
			t.conn = room.Connection
		}
	}
	c, _, err := t.d.openAny(ctx, t.conn, t.model)
	if err != nil {
		return err
	}
	t.conn, t.model = c.Name, c.Model
	a.Line("%s %s%s", a.style(bold, shownFact(c.Name)), shownFact(c.Model), a.style(dim, "  ·  /help lists what can be typed, Ctrl-C stops an answer, Ctrl-D leaves"))
	return t.show.end()
}

// recalled is how many messages of an old conversation are shown.
const recalled = 8

func (t *talk) recall(ctx context.Context, room chat.Room) error {
	list, err := t.s.Messages(ctx, room.ID, 0, 1<<20)
	if err != nil {
		return err
	}
	a := t.show.aside
	a.Line("%s", a.style(dim, "conversation "+room.ID+": "+chat.OneLine(room.Title)))
	for i, m := range list {
		t.seen = m.Seq
		for _, b := range m.Blocks {
			if m.Role == ai.RoleUser && b.Type == chat.BlockText {
				t.ed.hist.Add(chat.OneLine(b.Text))
			}
		}
		if i >= len(list)-recalled {
			t.show.message(m)
		}
	}
	return t.show.end()
}

// next reads a line, and shows meanwhile what others add to the conversation.
func (t *talk) next(ctx context.Context) (string, error) {
	looking, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { t.look(looking) })
	line, err := t.ed.line(ctx)
	stop()
	wg.Wait()
	return line, err
}

// idleLook is between two looks while a person types.
const idleLook = time.Second

// look shows new messages above the line that is edited.
func (t *talk) look(ctx context.Context) {
	if t.room == "" {
		return
	}
	tick := time.NewTicker(idleLook)
	defer tick.Stop()
	above := t.d.newChatShow(ctx, t.ed.t, t.ed.t)
	above.text.color, above.aside.color = t.show.text.color, t.show.text.color
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if t.others(ctx, above) != nil {
			return // the next line or message meets the same failure, and says it
		}
	}
}

// others shows what was stored since the last look.
func (t *talk) others(ctx context.Context, show *chatShow) error {
	list, err := t.s.Messages(ctx, t.room, t.seen, 100)
	if err != nil {
		return err
	}
	for _, m := range list {
		show.message(m)
		t.seen = m.Seq
	}
	return show.end()
}

// heard does what a line asks for. What goes wrong is said, and the conversation
// goes on; an error ends it.
func (t *talk) heard(ctx context.Context, line string) error {
	if strings.TrimSpace(line) == "" {
		return nil
	}
	typed, err := chat.Parse(line)
	switch {
	case err != nil:
	case typed.Command.Name == "" || typed.Command.IsPrompt():
		err = t.send(ctx, typed)
	default:
		err = t.command(ctx, typed)
	}
	if err == nil {
		err = t.tell(ctx)
	}
	if err != nil {
		t.wrong(err)
	}
	return nil
}

// wrong says what went wrong, as an error of a command is said.
func (t *talk) wrong(err error) {
	e := fault.From(err)
	if e.Code == fault.Canceled {
		t.show.line("%s", t.show.aside.style(yellow, "  stopped"))
		return
	}
	t.show.line("%s", t.show.aside.style(red, "  "+shownFact(e.Message))+t.show.aside.style(dim, " ("+string(e.Code)+")"))
	if e.Hint != "" {
		t.show.line("%s", t.show.aside.style(dim, "  "+shownFact(t.d.inProfile(e.Hint))))
	}
}

// turn runs a turn while the keys are watched: Ctrl-C and /stop end it.
func (t *talk) turn(ctx context.Context, work func(ctx context.Context, on chat.Sink) (chat.Turn, error)) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	watching, done := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		if t.ed.watch(watching, stop) != nil {
			stop() // the terminal is gone
		}
	})
	turn, err := work(running, t.show.part)
	done()
	wg.Wait()
	t.show.breakLine()
	if turn.Room != "" {
		t.room, t.seen = turn.Room, max(t.seen, turn.LastSeq)
	}
	return err
}

func (t *talk) send(ctx context.Context, typed chat.Typed) error {
	if t.room != "" {
		if err := t.d.tellUnreported(ctx, t.room); err != nil {
			return err
		}
		if err := t.others(ctx, t.show); err != nil {
			return err
		}
	}
	return t.turn(ctx, func(ctx context.Context, on chat.Sink) (chat.Turn, error) {
		return t.s.Send(ctx, chat.SendIn{Room: t.room, Text: typed.Text, Expanded: typed.Expanded, Connection: t.conn, Model: t.model}, on)
	})
}

// tell has the model hear of what was decided here.
func (t *talk) tell(ctx context.Context) error {
	for len(t.told) > 0 {
		a := t.told[0]
		t.told = t.told[1:]
		err := t.turn(ctx, func(ctx context.Context, on chat.Sink) (chat.Turn, error) { return t.d.tellModel(ctx, a, on) })
		if err != nil {
			return err
		}
	}
	return nil
}

// away gives the terminal to what asks there itself.
func (t *talk) away(work func() error) error {
	if err := errors.Join(t.show.end(), t.con.Restore()); err != nil {
		return err
	}
	err := work()
	return errors.Join(err, t.con.Raw())
}

func (t *talk) bye() {
	if t.room != "" {
		t.show.line("%s", t.show.aside.style(dim, t.d.again(t.room)+"   goes on with this conversation"))
	}
}
