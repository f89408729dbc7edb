package commands

import (
	"context"
	"fmt"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// play runs the commands of the story in order.
func (s *story) play(ctx context.Context) error {
	quote, err := s.quoteCheapest(ctx)
	if err != nil {
		return err
	}
	id := text(quote, "quoteId")
	refused := func(doc map[string]any) string { return text(doc, "error") }
	if _, err = s.step(ctx, fault.ExitCode(fault.New(fault.SimulationRequired, "")), refused, "nft", "buy", "--quote", id, "--execute"); err != nil {
		return err
	}
	if _, err = s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("the exact transaction would succeed at block %s", text(doc, "blockNumber"))
	}, "nft", "simulate", "--quote", id); err != nil {
		return err
	}
	dry, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("dry run: nothing was sent. To buy, confirm: %s", text(doc, "confirmPhrase"))
	}, "nft", "buy", "--quote", id)
	if err != nil {
		return err
	}
	if _, err = s.step(ctx, fault.ExitCode(fault.New(fault.ConfirmationMismatch, "")), refused, "nft", "buy", "--quote", id, "--execute"); err != nil {
		return err
	}
	bought, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("bought for %s APE in block %s, transaction %s, new owner %s", text(doc, "priceApe"), text(doc, "blockNumber"), text(doc, "txHash"), text(doc, "owner"))
	}, "nft", "buy", "--quote", id, "--execute", "--confirm", text(dry, "confirmPhrase"))
	if err != nil {
		return err
	}
	s.out.TxHash, s.out.Owner = text(bought, "txHash"), text(bought, "owner")
	_, err = s.step(ctx, fault.ExitCode(fault.New(fault.QuoteUsed, "")), refused, "nft", "buy", "--quote", id, "--execute", "--confirm", text(dry, "confirmPhrase"))
	return err
}

// quoteCheapest quotes the cheapest Demo Ape.
func (s *story) quoteCheapest(ctx context.Context) (map[string]any, error) {
	listings, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("%s listings of Demo Apes, cheapest first", text(doc, "count"))
	}, "market", "listings", "--collection", "demo-apes", "--limit", "5")
	if err != nil {
		return nil, err
	}
	token, price, err := cheapest(listings)
	if err != nil {
		return nil, err
	}
	return s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("quote %s: Demo Apes #%s for %s APE", text(doc, "quoteId"), token, text(doc, "priceApe"))
	}, "nft", "quote", "--collection", "demo-apes", "--token-id", token, "--max-price", price)
}

// cheapest takes the first listing of the answer.
func cheapest(doc map[string]any) (token, price string, err error) {
	list, _ := doc["listings"].([]any)
	if len(list) == 0 {
		return "", "", fault.New(fault.Internal, "the demo marketplace lists nothing")
	}
	first, _ := list[0].(map[string]any)
	return text(first, "tokenId"), text(first, "priceApe"), nil
}
