package api

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// maxText is a message, in bytes.
const maxText = 16 << 10

func listRooms(q *request) (any, error) { return q.back.Rooms.List(q.Context()) }

func messages(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	s, err := q.param("after", numberForm())
	if err != nil {
		return nil, err
	}
	var after int64
	if s != "" {
		if after, err = strconv.ParseInt(s, 10, 64); err != nil {
			return nil, fault.New(fault.Usage, "after is a message's number")
		}
	}
	return q.back.Rooms.Messages(q.Context(), id, after)
}

// post sends a message and answers with the turn that it begins. The turn goes on,
// and its messages are read with GET.
func post(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	var in struct {
		Text string `json:"text"`
	}
	if err := q.decode(&in); err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Text) == "" || len(in.Text) > maxText {
		return nil, fault.New(fault.Usage, "a message has text, of at most %d bytes", maxText)
	}
	return q.outlive(func(ctx context.Context, b Backend, answer func(any, error)) {
		b.Rooms.Post(ctx, id, in.Text, func(out any, err error) { answer(accepted{out}, err) })
	})
}

func cancelTurn(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	turn, err := q.id("turn")
	if err != nil {
		return nil, err
	}
	if err := q.nothing(); err != nil {
		return nil, err
	}
	return q.back.Rooms.Cancel(q.Context(), id, turn)
}

func killState(q *request) (any, error) { return q.back.Switch.State(q.Context()) }

// killAll needs no passphrase: to stop must be easy.
func killAll(q *request) (any, error) {
	var in struct {
		Reason string `json:"reason"`
	}
	if err := q.decode(&in); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(in.Reason) > maxReason {
		return nil, fault.New(fault.Usage, "a reason is at most %d characters", maxReason)
	}
	return q.back.Switch.Kill(context.WithoutCancel(q.Context()), in.Reason)
}

func unkill(q *request) (any, error) {
	var in struct {
		Shown []string `json:"shown"`
	}
	if err := q.decode(&in); err != nil {
		return nil, err
	}
	return q.back.Switch.Unkill(q.Context(), in.Shown)
}

var clientForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(claude|codex|cursor|generic)$`) })

func mcpConfig(q *request) (any, error) {
	client, err := q.param("client", clientForm())
	if err != nil {
		return nil, err
	}
	if client == "" {
		client = "generic"
	}
	return q.back.Book.MCPConfig(q.Context(), client)
}
