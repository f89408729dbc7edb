package commands

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// sentNothing reports whether nothing was ever sent from this home. Looking makes no
// file.
func (d *Deps) sentNothing() (bool, error) {
	cfg, err := d.Config()
	if err != nil {
		return false, err
	}
	_, err = os.Stat(filepath.Join(cfg.Home, store.MoneyFile))
	return errors.Is(err, fs.ErrNotExist), nil
}

// journaled is what the journal has under a key.
func (d *Deps) journaled(ctx context.Context, key string) (chain.OpenTx, bool, error) {
	if none, err := d.sentNothing(); err != nil || none {
		return chain.OpenTx{}, false, err
	}
	db, err := d.moneyDB(ctx)
	if err != nil {
		return chain.OpenTx{}, false, err
	}
	return chain.FindTx(ctx, db, d.host.Now, key)
}

// purchases are the confirmed purchases of the journal.
type purchases struct{ d *Deps }

func (p purchases) Purchase(ctx context.Context, quoteID string) (chain.OpenTx, bool, error) {
	return p.d.journaled(ctx, nft.KeyOf(quoteID))
}

func (p purchases) Since(ctx context.Context, chainID int64, since time.Time, most int) ([]string, error) {
	if none, err := p.d.sentNothing(); err != nil || none {
		return nil, err
	}
	db, err := p.d.moneyDB(ctx)
	if err != nil {
		return nil, err
	}
	txs, err := chain.ConfirmedTxs(ctx, db, p.d.host.Now, chainID, nft.KeyOf(""), since, most)
	var quotes []string
	for _, tx := range txs {
		if id, ok := nft.QuoteOf(tx.Key); ok {
			quotes = append(quotes, id)
		}
	}
	return quotes, err
}

// receiptOf records the receipt of a purchase that was just confirmed, where policy
// wants it. It fails nothing: what went wrong has its event.
func (d *Deps) receiptOf(ctx context.Context, c nft.Confirmed) {
	s, err := d.v2(ctx)
	if err != nil {
		d.warn("the purchase stands, and its receipt was not recorded: %s", fault.From(err).Message)
		return
	}
	s.RecordPurchase(ctx, d.spec.Name, c.ChainID, c.QuoteID)
}

// receiptsOwed records the receipts of purchases that earlier runs left: of those
// that were found out about just now, and of those that are confirmed and have none.
func (d *Deps) receiptsOwed(ctx context.Context, chainID int64, settled []chain.OpenTx) {
	p, err := d.Policy()
	if err != nil || !p.Receipts.Auto {
		return
	}
	s, err := d.v2(ctx)
	var quotes []string
	if err == nil {
		quotes, err = s.Unrecorded(ctx, chainID)
	}
	if err != nil {
		d.warn("which purchases have no receipt was not found out: %s", fault.From(err).Message)
	}
	for _, tx := range settled {
		if id, ok := nft.QuoteOf(tx.Key); ok && tx.State == chain.StateConfirmed && !slices.Contains(quotes, id) {
			quotes = append(quotes, id)
		}
	}
	for _, id := range quotes {
		d.receiptOf(ctx, nft.Confirmed{QuoteID: id, ChainID: chainID})
	}
}
