package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// purchase measures what an agent waits for: quote, simulate and a dry-run buy,
// each a process of its own, against a sandbox that it starts and ends.
func (b *bench) purchase(ctx context.Context, p *page) (err error) {
	env := b.env()
	start := time.Now()
	if _, err := b.json(ctx, env, "sandbox", "up", "--detach", "--port", "0"); err != nil {
		return err
	}
	up := time.Since(start)
	defer func() {
		// Also when ctx has ended: a sandbox must not be left behind.
		_, downErr := b.json(context.WithoutCancel(ctx), env, "sandbox", "down")
		err = errors.Join(err, downErr)
	}()
	env = append(env, "APE_CLAW_PROFILE=sandbox")
	listings, err := b.json(ctx, env, "market", "listings", "--collection", "demo-apes", "--limit", "1")
	if err != nil {
		return err
	}
	var market struct {
		Listings []struct {
			TokenID  string      `json:"tokenId"`
			PriceApe json.Number `json:"priceApe"`
		} `json:"listings"`
	}
	if err := json.Unmarshal(listings, &market); err != nil {
		return err
	}
	if len(market.Listings) == 0 {
		return errors.New("the sandbox lists nothing")
	}
	token, price := market.Listings[0].TokenID, market.Listings[0].PriceApe.String()
	var quotes, simulations, buys, sums []time.Duration
	for i := range b.size.purchaseRuns + 1 {
		q, sim, buy, err := b.buy(ctx, env, token, price)
		if err != nil {
			return err
		}
		if i > 0 { // the first fills caches
			quotes, simulations, buys, sums = append(quotes, q), append(simulations, sim), append(buys, buy), append(sums, q+sim+buy)
		}
	}
	p.section(fmt.Sprintf(`## Quote, simulate, dry-run buy

Three processes one after the other, against the sandbox on this machine; median of %d.

| | wall time |
|---|---|
| `+"`nft quote`"+` | %s |
| `+"`nft simulate`"+` | %s |
| `+"`nft buy`"+` (dry run) | %s |
| the three together | %s |
| `+"`sandbox up --detach`"+`, until it is ready (once) | %s |
`, b.size.purchaseRuns, ms(median(quotes)), ms(median(simulations)), ms(median(buys)), ms(median(sums)), ms(up)))
	return nil
}

// buy runs the three commands and returns their wall times.
func (b *bench) buy(ctx context.Context, env []string, token, price string) (quote, simulate, buy time.Duration, err error) {
	start := time.Now()
	doc, err := b.json(ctx, env, "nft", "quote", "--collection", "demo-apes", "--token-id", token, "--max-price", price)
	if err != nil {
		return 0, 0, 0, err
	}
	quote = time.Since(start)
	var q struct {
		QuoteID string `json:"quoteId"`
	}
	if err := json.Unmarshal(doc, &q); err != nil {
		return 0, 0, 0, err
	}
	start = time.Now()
	if _, err := b.json(ctx, env, "nft", "simulate", "--quote", q.QuoteID); err != nil {
		return 0, 0, 0, err
	}
	simulate = time.Since(start)
	start = time.Now()
	if _, err := b.json(ctx, env, "nft", "buy", "--quote", q.QuoteID); err != nil {
		return 0, 0, 0, err
	}
	return quote, simulate, time.Since(start), nil
}

// json runs ape-claw and returns its document.
func (b *bench) json(ctx context.Context, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, b.binary, append(args, "--json")...)
	cmd.Dir, cmd.Env = b.dir, env
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("ape-claw %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return out, nil
}
