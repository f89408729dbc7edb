package main

import (
	"context"
	"fmt"
)

// events is how many a server gets: Node a share of them, since it would need
// half a minute and gigabytes, and its rate is what is compared.
func (b *bench) events(kind string, n int) int { return share(kind, n, b.size.nodeShare) }

func share(kind string, n, part int) int {
	if kind == node {
		return max(1, n/part)
	}
	return n
}

func oneIn(n int) string {
	if n == 1 {
		return "all"
	}
	return fmt.Sprintf("one in %d", n)
}

// fanout200 is the main figure: as fast as possible, 200 clients.
func (b *bench) fanout200(ctx context.Context, p *page) error {
	clients, events := b.size.fanClients, b.size.fanEvents
	r, err := b.inTurns(ctx, b.size.fastRounds, func(kind string) ask {
		return ask{clients: clients, events: share(kind, events, b.size.nodeFan)}
	})
	if err != nil {
		return err
	}
	p.row(fmt.Sprintf("%d clients x %d events, deliveries/s", clients, events), r, b.speed(r), b.absent())
	p.row("the same, memory", r, func(kind string) string { return b.measured(r, kind, megabytes(r.median(kind, memory))) }, b.absent())
	p.row("the same, server CPU a delivery", r, func(kind string) string {
		return b.measured(r, kind, fmt.Sprintf("%.0f ns", r.median(kind, cpuNs)))
	}, b.absent())
	p.note("Node gets %s events of the first row and %s of the others that are about speed: what is compared is its rate, which falls as it keeps, in gigabytes, what it can't send at once.", oneIn(b.size.nodeFan), oneIn(b.size.nodeShare))
	if !b.has(r, apeClaw) {
		return nil
	}
	name := fmt.Sprintf("%d clients x %d events", clients, events)
	for _, w := range []struct {
		by    string
		least float64
	}{{node, 40}, {r3labs, 13}, {ring, 0.9}} {
		if b.has(r, w.by) {
			x := r.ratio(apeClaw, w.by, perSec)
			p.verdict(name+", beside "+titles[w.by], fmt.Sprintf(">= %gx", w.least), fmt.Sprintf("%.2fx", x), x >= w.least)
		}
	}
	if r.all(apeClaw, isMeasured) {
		mem, cpu, x := r.median(apeClaw, memory), r.median(apeClaw, cpuNs), r.ratio(apeClaw, ring, cpuNs)
		p.verdict("the same, memory", "<= 32 MB", megabytes(mem), mem <= 32)
		p.verdict("the same, server CPU a delivery", "<= 250 ns, or 1.1x the ring's", fmt.Sprintf("%.0f ns", cpu)+beside(x), cpu <= 250 || x > 0 && x <= 1.1)
	}
	return nil
}

// fanout1000 is the same with many clients.
func (b *bench) fanout1000(ctx context.Context, p *page) error {
	clients, events := b.size.manyClients, b.size.manyEvents
	if err := enoughFiles(clients); err != nil {
		return err
	}
	r, err := b.inTurns(ctx, b.size.fastRounds, func(kind string) ask { return ask{clients: clients, events: b.events(kind, events)} })
	if err != nil {
		return err
	}
	p.row(fmt.Sprintf("%d clients x %d events, deliveries/s", clients, events), r, b.speed(r), b.absent())
	if b.has(r, apeClaw) && b.has(r, ring) {
		x := r.ratio(apeClaw, ring, perSec)
		p.verdict(fmt.Sprintf("%d clients x %d events, beside the ring", clients, events), ">= 0.9x", fmt.Sprintf("%.2fx", x), x >= 0.9)
	}
	return nil
}

// latency is what is felt when nothing is at its limit but the fan-out is wide.
func (b *bench) latency(ctx context.Context, p *page) error {
	s := b.size
	r, err := b.inTurns(ctx, 0, func(kind string) ask {
		n := s.rateEvents
		if kind == node { // some seconds of falling behind are enough
			n = min(n, b.events(kind, 2*n))
		}
		return ask{clients: s.rateClients, events: n, rate: s.rate}
	})
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%d clients at %g events/s", s.rateClients, s.rate)
	p.row(name+", p50 / p99", r, func(kind string) string {
		text := fmt.Sprintf("%.1f / %.1f ms", r.median(kind, p50), r.median(kind, p99))
		if wanted := float64(s.rateClients) * s.rate; r.median(kind, perSec) < 0.95*wanted {
			return fmt.Sprintf("cannot (%s/s): %s", count(r.median(kind, perSec)), text)
		}
		return b.whole(r, kind, text)
	}, b.absent())
	p.row("the same, server CPU in 10 s", r, func(kind string) string {
		return b.measured(r, kind, fmt.Sprintf("%.1f s", r.median(kind, cpuIn10)))
	}, b.absent())
	if !b.has(r, apeClaw) {
		return nil
	}
	for _, w := range []struct {
		what   string
		figure func(run) float64
		most   float64
		beside float64
		unit   string
	}{{"p50", p50, 2.5, 1.05, "ms"}, {"p99", p99, 8, 1.05, "ms"}, {"server CPU in 10 s", cpuIn10, 7, 1.1, "s"}} {
		if w.unit == "s" && !r.all(apeClaw, isMeasured) {
			continue
		}
		got, x := r.median(apeClaw, w.figure), r.ratio(apeClaw, ring, w.figure)
		p.verdict(name+", "+w.what, fmt.Sprintf("<= %g %s, or %gx the ring's", w.most, w.unit, w.beside),
			fmt.Sprintf("%.2f %s", got, w.unit)+beside(x), got <= w.most || x > 0 && x <= w.beside)
	}
	return nil
}

// speed shows deliveries a second, and what was lost.
func (b *bench) speed(r runs) cell {
	return func(kind string) string { return b.whole(r, kind, count(r.median(kind, perSec))) }
}

// whole shows text, or what went wrong when not every client got every event.
func (b *bench) whole(r runs, kind, text string) string {
	for _, one := range r[kind] {
		if !complete(one) {
			return fmt.Sprintf("%d of %d finish (%s)", one.Complete, one.Clients, text)
		}
	}
	return text
}

func (b *bench) measured(r runs, kind, text string) string {
	if !r.all(kind, isMeasured) {
		return "not measured"
	}
	return text
}

// has reports whether a server was measured in all rounds, and lost nothing.
func (b *bench) has(r runs, kind string) bool { return r.all(kind, complete) }

// absent says why servers have no figures at all.
func (b *bench) absent() map[string]string {
	if b.node == "" && b.wantsAny(node) {
		return map[string]string{node: "not installed"}
	}
	return nil
}
