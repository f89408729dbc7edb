package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// pageMost bounds what is taken of one answer; ours are much smaller.
	pageMost = 64 << 20
	// foldMost bounds the events that are held to find the newest of many.
	foldMost = 64 << 20
)

// BacklogEnd is how a read of the backlog ended.
type BacklogEnd struct {
	Cursor telemetry.Cursor // goes on from there
	// Truncated: older events were asked for, but left out because together they
	// are too large, or not looked for because that is too far back.
	Truncated bool
}

// Backlog calls fn for what is in a server's log now, oldest first: the newest
// opt.Backlog events, or all after opt.After. A line is as it stands in the log.
func Backlog(ctx context.Context, opt TailOptions, fn func(line []byte) error) (BacklogEnd, error) {
	b := backlogClient{opt: opt, http: &http.Client{Transport: opt.transport(opt.URL)}}
	switch {
	case opt.After != "":
		return b.forward(ctx, opt.After, fn)
	case opt.Backlog > backlogMax:
		return b.fold(ctx, opt.Backlog, fn)
	}
	p, err := b.page(ctx, "", max(opt.Backlog, 1))
	if err != nil || opt.Backlog <= 0 { // none is wanted, but a place to go on from
		return BacklogEnd{Cursor: p.cursor}, err
	}
	for _, line := range p.lines {
		if err := fn(line); err != nil {
			return BacklogEnd{}, err
		}
	}
	return BacklogEnd{p.cursor, p.truncated}, nil
}

type backlogClient struct {
	opt  TailOptions
	http *http.Client
}

// forward reads page after page until the cursor stands still.
func (b backlogClient) forward(ctx context.Context, after string, fn func([]byte) error) (BacklogEnd, error) {
	for {
		p, err := b.page(ctx, after, backlogMax)
		if err != nil {
			return BacklogEnd{}, err
		}
		for _, line := range p.lines {
			if err := fn(line); err != nil {
				return BacklogEnd{}, err
			}
		}
		at := p.cursor.String()
		if at == after {
			return BacklogEnd{Cursor: p.cursor}, nil
		}
		after = at
	}
}

// fold finds the newest n of more events than one answer may have. Cursors lead
// forward only, so all are read for it.
func (b backlogClient) fold(ctx context.Context, n int, fn func([]byte) error) (BacklogEnd, error) {
	var kept [][]byte
	size, cut := 0, false
	end, err := b.forward(ctx, telemetry.Cursor{}.String(), func(line []byte) error {
		kept = append(kept, bytes.Clone(line)) // a line must not keep its page
		size += len(line)
		for len(kept) > n || size > foldMost && len(kept) > 1 {
			cut = len(kept) <= n
			size -= len(kept[0])
			kept[0] = nil
			kept = kept[1:]
		}
		return nil
	})
	if err != nil {
		return end, err
	}
	for _, line := range kept {
		if err := fn(line); err != nil {
			return end, err
		}
	}
	end.Truncated = cut && len(kept) < n
	return end, nil
}

// page is one answer of /events/backlog.
type page struct {
	lines     [][]byte
	cursor    telemetry.Cursor
	truncated bool
}

func (b backlogClient) page(ctx context.Context, after string, limit int) (page, error) {
	u, err := eventsURL(b.opt.URL, "/events/backlog")
	if err != nil {
		return page{}, err
	}
	q := u.Query()
	filterQuery(q, b.opt)
	q.Set("limit", strconv.Itoa(limit))
	if after != "" {
		q.Set("after", after)
	}
	u.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return page{}, fmt.Errorf("backlog request: %w", err)
	}
	resp, err := b.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return page{}, ctx.Err()
		}
		return page{}, unreachable(b.opt.URL, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return page{}, answerError(resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, pageMost))
	if ctx.Err() != nil {
		return page{}, ctx.Err()
	}
	var p page
	if err == nil {
		p, err = parsePage(body)
	}
	if err != nil {
		return page{}, fault.Wrap(err, fault.Upstream, "the backlog of %s can't be read", showURL(b.opt.URL))
	}
	return p, nil
}

// parsePage reads an answer. The events keep the space around them, which is
// part of the line and which a json.RawMessage would not have.
func parsePage(body []byte) (p page, err error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil {
		return p, err
	} else if t != json.Delim('{') {
		return p, fmt.Errorf("the answer is no object but %v", t)
	}
	cursor := ""
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return p, err
		}
		switch name {
		case "events":
			p.lines, err = arrayOf(dec, body)
		case "cursor":
			err = dec.Decode(&cursor)
		case "truncated":
			err = dec.Decode(&p.truncated)
		default:
			err = dec.Decode(new(json.RawMessage))
		}
		if err != nil {
			return p, err
		}
	}
	if _, err := dec.Token(); err != nil {
		return p, err
	}
	p.cursor, err = telemetry.ParseCursor(cursor)
	return p, err
}

// arrayOf returns the elements of the array that dec is at, with the space
// around them unless that has line breaks and so was never in a line.
func arrayOf(dec *json.Decoder, body []byte) (lines [][]byte, err error) {
	t, err := dec.Token()
	if err != nil || t == nil {
		return nil, err
	}
	if t != json.Delim('[') {
		return nil, fmt.Errorf("events is no array but %v", t)
	}
	from := int(dec.InputOffset())
	for dec.More() {
		var element json.RawMessage
		if err := dec.Decode(&element); err != nil {
			return nil, err
		}
		end := int(dec.InputOffset())
		for end < len(body) && body[end] != ',' && body[end] != ']' {
			end++
		}
		line := body[from:end:end]
		if bytes.IndexByte(line, '\n') >= 0 {
			line = element
		}
		lines = append(lines, line)
		from = end + 1
	}
	_, err = dec.Token()
	return lines, err
}
