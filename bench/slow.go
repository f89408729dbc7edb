package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// flatMB is how much a server's memory may move while twice as much passes a
// client that never reads: what the Go runtime does with its heap meanwhile.
const flatMB = 8

// slow puts 100 good clients beside one that never reads.
func (b *bench) slow(ctx context.Context, p *page) error {
	alone, beside := runs{}, runs{}
	for round := range b.size.rounds {
		for _, kind := range allServers {
			if !b.wants(kind) || kind == r3labs && round > 0 { // it always takes a whole timeout
				continue
			}
			a := ask{clients: b.size.slowClients, events: b.events(kind, b.size.slowEvents), timeout: 30 * time.Second}
			if !fast(kind) {
				a.events = max(1, a.events/3)
			}
			if kind != r3labs {
				r, err := b.quiet(ctx, kind, a)
				if err != nil {
					return fmt.Errorf("%s: %w", kind, err)
				}
				alone[kind] = append(alone[kind], r)
			}
			a.slow = 1
			r, err := b.quiet(ctx, kind, a)
			if err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			beside[kind] = append(beside[kind], r)
		}
	}
	speeds := func(kind string) float64 {
		var v []float64
		for i, one := range alone[kind] {
			v = append(v, beside[kind][i].PerSec/one.PerSec)
		}
		return median(v)
	}
	least := func(kind string) int {
		n := b.size.slowClients
		for _, one := range beside[kind] {
			n = min(n, one.Complete)
		}
		return n
	}
	name := fmt.Sprintf("%d good clients beside one that never reads", b.size.slowClients)
	p.row(name+": how many finish, speed beside none such", beside, func(kind string) string {
		switch n := least(kind); {
		case n == 0:
			return "**none finishes**"
		case len(alone[kind]) == 0:
			return fmt.Sprint(n)
		default:
			return fmt.Sprintf("%d, %.2fx", n, speeds(kind))
		}
	}, b.absent())
	if len(beside[apeClaw]) > 0 {
		n, x := least(apeClaw), speeds(apeClaw)
		p.verdict(name+", that finish", fmt.Sprintf("all %d", b.size.slowClients), fmt.Sprint(n), n == b.size.slowClients && b.has(beside, apeClaw))
		p.verdict("the same, speed beside none such", ">= 0.95x", fmt.Sprintf("%.2fx", x), x >= 0.95)
	}
	return nil
}

// stall lets events pass a client that never reads, and looks at the memory.
func (b *bench) stall(ctx context.Context, p *page) error {
	r := runs{}
	grown := map[string]float64{}
	for _, kind := range allServers {
		if !b.wants(kind) || kind == r3labs { // stops with its slow client
			continue
		}
		one, mb, err := b.stalled(ctx, kind)
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		r[kind], grown[kind] = runs{kind: {one}}[kind], mb
		b.logf("%-10s memory while %d events passed a client that never reads: %+.1f MB", kind, one.Events, mb)
	}
	why := b.absent()
	if b.wants(r3labs) {
		why = addWhy(why, r3labs, "stops")
	}
	p.row(fmt.Sprintf("memory that grows while %d events pass a client that never reads", b.size.stallEvents), r, func(kind string) string {
		text := megabytes(grown[kind])
		if n := r[kind][0].Events; n != b.size.stallEvents {
			text += fmt.Sprintf(" after %d", n)
		}
		return b.measured(r, kind, b.whole(r, kind, text))
	}, why)
	if r.all(apeClaw, isMeasured) {
		p.verdict(fmt.Sprintf("memory while %d events (%d MB) pass a client that never reads", b.size.stallEvents, b.size.stallEvents*eventSize/1e6),
			fmt.Sprintf("flat: <= %d MB", flatMB), megabytes(grown[apeClaw]), grown[apeClaw] <= flatMB)
	}
	return nil
}

func addWhy(why map[string]string, kind, text string) map[string]string {
	all := map[string]string{kind: text}
	for k, v := range why {
		all[k] = v
	}
	return all
}

// stalled returns how far a server's peak memory rose above what it held after half
// as many events had passed the client that never reads.
func (b *bench) stalled(ctx context.Context, kind string) (run, float64, error) {
	srv, err := b.start(ctx, kind, b.size.stallClients+1)
	if err != nil {
		return run{}, 0, err
	}
	defer srv.stop()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(srv.url, "http://"))
	if err != nil {
		return run{}, 0, err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /events HTTP/1.1\r\nHost: "+conn.RemoteAddr().String()+"\r\n\r\n"); err != nil {
		return run{}, 0, err
	}
	events := b.events(kind, b.size.stallEvents)
	before, err := b.load(ctx, srv, kind, ask{clients: b.size.stallClients, events: max(1, events/2)})
	if err != nil {
		return run{}, 0, err
	}
	r, err := b.load(ctx, srv, kind, ask{clients: b.size.stallClients, events: events})
	return r, r.ServerPeakMB - before.ServerRSSMB, err
}
