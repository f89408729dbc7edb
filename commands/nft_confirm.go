package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// asker is how a purchase asks the person at the terminal; nil where there is no
// terminal, or nobody is to be asked.
func (d *Deps) asker(wanted bool) func(context.Context, nft.Action) (string, error) {
	if !wanted {
		return nil
	}
	t, err := d.terminal("confirm")
	if err != nil || t.Close() != nil {
		return nil
	}
	return func(ctx context.Context, a nft.Action) (string, error) {
		return d.askPhrase(ctx, a.Phrase, func(p *Printer) { printAction(p, a) })
	}
}

// askPhrase shows a person at the terminal what is to be confirmed and returns the
// line that was typed, io.EOF when the input was ended instead.
func (d *Deps) askPhrase(ctx context.Context, phrase string, show func(*Printer)) (string, error) {
	t, err := d.terminal("confirm")
	if err != nil {
		return "", err
	}
	defer t.Close() //nolint:errcheck // nothing was written that could be lost
	var text bytes.Buffer
	show(&Printer{w: &text})
	var b strings.Builder
	for line := range strings.Lines(d.redactor().String(text.String())) {
		b.WriteString(shownFact(strings.TrimSuffix(line, "\n")) + "\n")
	}
	if _, err := io.WriteString(t, b.String()); err != nil {
		return "", fault.Wrap(err, fault.ApprovalRequired, "the terminal can't be written to").WithSent(fault.SentNo)
	}
	typed, err := t.ReadLine(ctx, "Type "+shownFact(phrase)+" to confirm: ")
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, io.EOF):
		_, _ = fmt.Fprintln(t) // the answer that was not typed ended no line
		return "", io.EOF
	case err != nil:
		return "", fault.Wrap(err, fault.ApprovalRequired, "the terminal can't be read").WithSent(fault.SentNo)
	}
	return strings.TrimSpace(typed), nil
}

// printAction shows a purchase as a person confirms it.
func printAction(p *Printer, a nft.Action) {
	p.Head("Buy %s #%s for %s %s, for real", clean(a.Collection), clean(a.TokenID), a.PriceApe, clean(a.Currency))
	what := a.What + " of " + a.Collection
	if a.Name != "" && a.Name != a.Collection {
		what += " (" + a.Name + ")"
	}
	if a.Replaces != "" {
		p.Line("  %s", p.style(yellow, "The quoted order is gone: this is another seller's, of the same token and not dearer."))
	}
	p.KV("what", what, "token id", a.TokenID, "contract", a.Contract, "from", a.Seller, "to", a.Buyer,
		"network", fmt.Sprintf("%s (chain %d)", a.Network, a.ChainID), "calls", a.Target, "order", a.OrderHash, "instead of", a.Replaces)
	p.KV(actionMoney(a)...)
	printCaps(p, a)
	p.KV("quote ends", a.QuoteExpires.UTC().Format("2006-01-02 15:04:05 UTC"), "order ends", a.OrderExpires.UTC().Format("2006-01-02 15:04:05 UTC"))
}

func printCaps(p *Printer, a nft.Action) {
	for _, c := range a.Caps {
		limit := c.Limit
		if c.LimitWei != nil {
			limit += " " + a.Currency
		}
		p.KV("daily cap", fmt.Sprintf("%s: %s of %s used, at most %s after", c.Name, c.Used, limit, c.After))
	}
}

// actionMoney are the amounts of an action, as names and values.
func actionMoney(a nft.Action) []string {
	amount := func(n fmt.Stringer) string {
		if n.String() == "" {
			return ""
		}
		return n.String() + " " + a.Currency
	}
	kv := []string{"price", amount(a.PriceApe), "seller gets", amount(a.SellerApe)}
	for _, f := range a.Fees {
		kv = append(kv, "fee", amount(f.AmountApe)+" to "+f.Recipient)
	}
	return append(kv, "gas at most", amount(a.MaxFeeApe), "in all at most", amount(a.MaxTotalApe),
		"balance", amount(a.BalanceApe), "at least after", amount(a.BalanceAfterApe))
}
