package adversary_test

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func wrongly(format string, args ...any) ending {
	return ending{kind: wrong, note: fmt.Sprintf(format, args...)}
}

// judge asks the honest chain, the signer and the database what happened.
func (s *story) judge(ctx context.Context) (ending, error) {
	txs := s.signer.take()
	s.cur.mu.Lock()
	raws := s.cur.raws
	s.cur.mu.Unlock()
	switch {
	case len(txs) == 0 && len(raws) > 0:
		return wrongly("something was sent that the key did not sign"), nil
	case len(txs) == 0:
		return s.judgeRefusal(ctx)
	case len(txs) > 1:
		return wrongly("%d transactions were signed", len(txs)), nil
	case len(raws) > 1:
		return wrongly("it was sent %d times", len(raws)), nil
	}
	tx := txs[0]
	if b, err := tx.MarshalBinary(); err != nil || len(raws) == 1 && !bytes.Equal(b, raws[0]) {
		return wrongly("what was sent is not what was signed (%v)", err), nil
	}
	if bad := s.judgeSigned(tx); bad != "" {
		return wrongly("%s", bad), nil
	}
	return s.judgeSale(ctx, tx, len(raws) == 1)
}

// judgeRefusal: nothing signed, so nothing may have happened.
func (s *story) judgeRefusal(ctx context.Context) (ending, error) {
	now, err := s.balance(ctx)
	if err != nil {
		return ending{}, err
	}
	reserved, open, err := s.unresolved(ctx)
	switch {
	case err != nil:
		return ending{}, err
	case s.err == nil:
		return wrongly("it says it bought, and nothing was signed"), nil
	case fault.CodeOf(s.err) == fault.TxUnknown, fault.CodeOf(s.err) == fault.TxReverted, fault.From(s.err).Sent == fault.SentYes, fault.From(s.err).Sent == fault.SentMaybe:
		return wrongly("nothing was signed, and it says that something was sent: %s", s.err), nil
	case fault.CodeOf(s.err) == fault.Internal:
		return wrongly("internal error: %v", fault.From(s.err).Err), nil
	case now.nonce != s.before.nonce || now.wei.Cmp(s.before.wei) != 0:
		return wrongly("nothing was signed, and nonce went from %d to %d, balance from %s to %s", s.before.nonce, now.nonce, s.before.wei, now.wei), nil
	case reserved != 0 || open != 0:
		return wrongly("nothing was signed, and %d reservations and %d transactions are open", reserved, open), nil
	}
	return ending{kind: refused, note: codeOf(s.err)}, nil
}

// unresolved counts what ledger and journal have open.
func (s *story) unresolved(ctx context.Context) (reserved, open int, err error) {
	err = s.money.QueryRowContext(ctx, `SELECT count(*), (SELECT count(*) FROM tx WHERE state IN ('intended', 'signed', 'sent', 'unknown')) FROM spend WHERE state = 'reserved'`).Scan(&reserved, &open)
	return reserved, open, err
}

// judgeSigned holds what was signed against what was asked for and quoted.
func (s *story) judgeSigned(tx *types.Transaction) string {
	limit := new(big.Int).Mul(big.NewInt(3), big.NewInt(1e18)) // maxPrice
	quoted := s.quote.PriceWei.Big()
	fee := new(big.Int).Mul(new(big.Int).SetUint64(tx.Gas()), tx.GasFeeCap())
	most := big.NewInt(1e18)
	if s.simFee != nil {
		if four := new(big.Int).Mul(s.simFee, big.NewInt(4)); four.Cmp(most) < 0 {
			most = four
		}
	}
	switch {
	case !s.quoted || s.quote.TokenID != s.c.order.TokenID.String() || s.quote.ContractAddress != lower(s.c.home.Address) || quoted.Cmp(limit) > 0:
		return fmt.Sprintf("the quote is not what was asked for: %s #%s at %s", s.quote.ContractAddress, s.quote.TokenID, quoted)
	case tx.ChainId().Int64() != s.world.ChainID():
		return fmt.Sprintf("signed for chain %s", tx.ChainId())
	case tx.To() == nil || *tx.To() != seaport.Address:
		return fmt.Sprintf("signed for %v", tx.To())
	case tx.Value().Cmp(quoted) > 0:
		return fmt.Sprintf("signed to pay %s, and %s was quoted", tx.Value(), quoted)
	case fee.Cmp(most) > 0:
		return fmt.Sprintf("gas may cost %s, and the ceiling is %s", fee, most)
	case len(tx.AccessList()) != 0 || len(tx.BlobHashes()) != 0 || len(tx.SetCodeAuthorizations()) != 0:
		return "the transaction does more than call"
	}
	return ""
}

// judgeSale: something was signed, so it has to be the sale, now or once an honest
// node has it.
func (s *story) judgeSale(ctx context.Context, tx *types.Transaction, sent bool) (ending, error) {
	r, err := s.settled(ctx, tx)
	if err != nil {
		return ending{}, err
	}
	inTime := r != nil
	asSigned := inTime
	if !inTime {
		if r, asSigned, err = s.force(ctx, tx); err != nil {
			return ending{}, err
		}
	}
	if r.Status != types.ReceiptStatusSuccessful && s.m.node && inTime {
		return s.judgeFailure(ctx, tx, r)
	}
	if bad, err := s.judgeReceipt(ctx, tx, r, asSigned); err != nil || bad != "" {
		return wrongly("%s", bad), err
	}
	s.mu.Lock()
	s.owners[token{s.c.order.Slug, s.c.order.TokenID.Uint64()}] = s.buyer.Address()
	s.mu.Unlock()
	s.order = nil // sold
	code, told := codeOf(s.err), ""
	if s.err != nil {
		told = fault.From(s.err).Sent
	}
	if !sent && told != fault.SentYes && told != fault.SentMaybe && s.err != nil {
		// Stopped between signature and broadcast: the bytes were right and were dropped.
		if reserved, open, err := s.unresolved(ctx); err != nil || reserved != 0 || open != 0 {
			return wrongly("signed and dropped, and %d reservations and %d transactions are open", reserved, open), err
		}
		return ending{kind: hidden, note: code + ", signed and dropped"}, s.open(ctx)
	}
	switch {
	case s.err == nil && !inTime:
		return wrongly("it says it bought, and nothing was mined"), nil
	case s.err == nil:
		if bad, err := s.judgeBooks(ctx, r, !liesOfFees(s.m)); err != nil || bad != "" {
			return wrongly("%s", bad), err
		}
		return ending{kind: bought, note: code}, nil
	case fault.CodeOf(s.err) == fault.TxUnknown, told == fault.SentMaybe, told == fault.SentYes && fault.CodeOf(s.err) != fault.TxReverted:
		if !s.m.node {
			return wrongly("the node is honest, and yet: %s", s.err), nil
		}
		return s.resume(ctx, r, asSigned, code)
	}
	return wrongly("it was bought, and it says: %s (%s, sent %q)", s.err, code, told), nil
}

// settled returns the receipt that the honest chain has, nil when there is none. A
// block can be there a moment before its receipts can be asked for.
func (s *story) settled(ctx context.Context, tx *types.Transaction) (*types.Receipt, error) {
	if r, err := s.world.Client().TransactionReceipt(ctx, tx.Hash()); err == nil {
		return r, nil
	}
	now, err := s.balance(ctx)
	switch {
	case err != nil:
		return nil, err
	case !s.m.node: // an honest node tells no outcome before there is one
		return s.mined(ctx, tx.Hash(), patience)
	case now.nonce > tx.Nonce() || s.err == nil:
		return s.mined(ctx, tx.Hash(), 3*time.Second)
	}
	return nil, nil
}

// liesOfFees reports whether receipts are among what is lied about: what gas cost
// is then the node's word.
func liesOfFees(m *mutant) bool {
	return slices.ContainsFunc(m.lies, func(l mutation) bool { return l.target == "eth_getTransactionReceipt" })
}

// judgeFailure: a node that says that a purchase will succeed can make it cost gas.
// Nothing else may have been lost, and it has to be told.
func (s *story) judgeFailure(ctx context.Context, tx *types.Transaction, r *types.Receipt) (ending, error) {
	now, err := s.balance(ctx)
	if err != nil {
		return ending{}, err
	}
	owner, err := s.world.OwnerOf(ctx, s.c.order.Slug, s.c.order.TokenID)
	if err != nil {
		return ending{}, err
	}
	code := fault.CodeOf(s.err)
	if code == fault.TxUnknown {
		p, err := s.process(ctx, patience, true)
		if err != nil {
			return ending{}, err
		}
		defer p.client.Close()
		if _, err := p.sender.Recover(ctx, s.world.ChainID()); err != nil {
			return wrongly("resuming at an honest node: %v", err), nil
		}
	}
	reserved, open, err := s.unresolved(ctx)
	if err != nil {
		return ending{}, err
	}
	var state string
	if err := s.money.QueryRowContext(ctx, `SELECT max(state) FROM tx WHERE rowid > ?`, s.rows[0]).Scan(&state); err != nil {
		return ending{}, err
	}
	var paid int
	if err := s.money.QueryRowContext(ctx, `SELECT count(*) FROM spend WHERE rowid > ? AND (kind = 'price' AND settled <> '0' OR kind = 'fee' AND settled <> ?)`,
		s.rows[1], feeOf(r).String()).Scan(&paid); err != nil {
		return ending{}, err
	}
	switch {
	case code != fault.TxReverted && code != fault.TxUnknown:
		return wrongly("it failed on the chain, and it says: %s (%s)", s.err, code), nil
	case now.nonce != tx.Nonce()+1 || new(big.Int).Sub(s.before.wei, now.wei).Cmp(feeOf(r)) != 0:
		return wrongly("it failed on the chain, and the balance went from %s to %s", s.before.wei, now.wei), nil
	case owner != s.c.home.Seller.Address():
		return wrongly("it failed on the chain, and the token is %s's", owner), nil
	case reserved != 0 || open != 0 || state != "reverted" || paid != 0 && !liesOfFees(s.m):
		return wrongly("it failed on the chain: %d reservations and %d transactions are open, the journal says %s", reserved, open, state), nil
	}
	return ending{kind: failed, note: string(code)}, nil
}

// force brings what was signed into the honest chain, as a liar could at any time.
// Where no chain takes it as it is, the same purchase goes in with terms that are.
func (s *story) force(ctx context.Context, tx *types.Transaction) (r *types.Receipt, asSigned bool, err error) {
	c := s.world.Client()
	now, err := s.balance(ctx)
	if err != nil {
		return nil, false, err
	}
	if now.nonce > tx.Nonce() { // it may have been mined just now
		if r, err := s.mined(ctx, tx.Hash(), 3*time.Second); err != nil || r != nil {
			return r, true, err
		}
	}
	if tx.Nonce() >= now.nonce && tx.Nonce()-now.nonce < 8 && tx.GasFeeCap().Cmp(s.world.Head().BaseFee) > 0 && tx.GasTipCap().Sign() > 0 {
		for now.nonce < tx.Nonce() { // others of the account come first
			r, err := s.world.Send(ctx, s.buyer, sandbox.Tx{To: s.buyer.Address()})
			if err != nil {
				return nil, false, fmt.Errorf("fill a nonce: %w", err)
			}
			s.fillers.Add(s.fillers, new(big.Int).Mul(r.EffectiveGasPrice, new(big.Int).SetUint64(r.GasUsed)))
			now.nonce++
		}
		_ = c.SendTransaction(ctx, tx) // it may be there already
		if r, err := s.mined(ctx, tx.Hash(), patience); err != nil || r != nil {
			return r, true, err
		}
	}
	to := *tx.To()
	if now, err = s.balance(ctx); err != nil {
		return nil, false, err
	}
	again, err := s.buyer.SignTx(&types.DynamicFeeTx{
		ChainID: tx.ChainId(), Nonce: now.nonce, To: &to, Value: tx.Value(), Data: tx.Data(), Gas: 1_000_000,
		GasTipCap: new(big.Int).Add(tx.GasTipCap(), big.NewInt(1e9)), GasFeeCap: new(big.Int).Add(tx.GasFeeCap(), big.NewInt(1e10)),
	}, s.world.ChainID())
	if err == nil {
		err = c.SendTransaction(ctx, again)
	}
	if err != nil {
		return nil, false, fmt.Errorf("send it again: %w", err)
	}
	r, err = s.mined(ctx, again.Hash(), patience)
	if err == nil && r == nil {
		err = fmt.Errorf("the chain does not take %s", again.Hash())
	}
	return r, false, err
}

// judgeReceipt holds what happened on the honest chain against the quote.
func (s *story) judgeReceipt(ctx context.Context, tx *types.Transaction, r *types.Receipt, asSigned bool) (string, error) {
	if r.Status != types.ReceiptStatusSuccessful {
		return fmt.Sprintf("%s was signed and failed on the chain", tx.Hash()), nil
	}
	if bad := s.judgeLogs(tx, r.Logs); bad != "" {
		return bad, nil
	}
	owner, err := s.world.OwnerOf(ctx, s.c.order.Slug, s.c.order.TokenID)
	if err != nil {
		return "", err
	}
	if owner != s.buyer.Address() {
		return fmt.Sprintf("the token is %s's", owner), nil
	}
	now, err := s.balance(ctx)
	if err != nil || !asSigned {
		return "", err
	}
	fee := feeOf(r)
	want := new(big.Int).Sub(s.before.wei, new(big.Int).Add(tx.Value(), new(big.Int).Add(fee, s.fillers)))
	want.Add(want, s.back)
	switch {
	case now.nonce != tx.Nonce()+1 || s.fillers.Sign() == 0 && tx.Nonce() != s.before.nonce:
		return fmt.Sprintf("nonce %d was used, and the account's went from %d to %d", tx.Nonce(), s.before.nonce, now.nonce), nil
	case now.wei.Cmp(want) != 0:
		return fmt.Sprintf("the balance is %s, expected %s", now.wei, want), nil
	case fee.Cmp(new(big.Int).Mul(new(big.Int).SetUint64(tx.Gas()), tx.GasFeeCap())) > 0:
		return "gas cost more than the limit", nil
	}
	return "", nil
}

func feeOf(r *types.Receipt) *big.Int {
	return new(big.Int).Mul(r.EffectiveGasPrice, new(big.Int).SetUint64(r.GasUsed))
}

// judgeLogs: one sale, one transfer, and nothing else.
func (s *story) judgeLogs(tx *types.Transaction, logs []*types.Log) string {
	c := s.c
	var sale *seaport.SeaportOrderFulfilled
	moved := false
	for _, l := range logs {
		switch {
		case l.Address == seaport.Address && sale == nil:
			event, err := seaport.Contract().UnpackOrderFulfilledEvent(l)
			if err != nil {
				return fmt.Sprintf("a log of Seaport that is no sale: %v", err)
			}
			sale = event
		case l.Address == c.home.Address && !moved:
			want := []common.Hash{
				crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)")), common.BytesToHash(c.home.Seller.Address().Bytes()),
				common.BytesToHash(s.buyer.Address().Bytes()), common.BigToHash(c.order.TokenID),
			}
			if !slices.Equal(l.Topics, want) {
				return fmt.Sprintf("a log of the collection that is not the transfer: %v", l.Topics)
			}
			moved = true
		default:
			return fmt.Sprintf("another log, of %s", l.Address)
		}
	}
	if sale == nil || !moved {
		return fmt.Sprintf("no sale and transfer in %d logs", len(logs))
	}
	return s.judgeEvent(tx, sale)
}

// judgeEvent holds Seaport's own account of the sale against the order.
func (s *story) judgeEvent(tx *types.Transaction, sale *seaport.SeaportOrderFulfilled) string {
	c := s.c
	hash := common.Hash(sale.OrderHash)
	s.mu.Lock()
	order, known := s.signed[hash]
	s.mu.Unlock()
	switch {
	case !known:
		return fmt.Sprintf("order %s was filled, which nobody signed", hash)
	case hash.Hex() != s.quote.OrderHash && !s.m.gone:
		return fmt.Sprintf("order %s was filled, and %s was quoted", hash, s.quote.OrderHash)
	case sale.Recipient != s.buyer.Address() || sale.Offerer != c.home.Seller.Address():
		return fmt.Sprintf("sold by %s to %s", sale.Offerer, sale.Recipient)
	case len(sale.Offer) != 1 || sale.Offer[0].ItemType != seaport.ItemERC721 || sale.Offer[0].Token != c.home.Address ||
		sale.Offer[0].Identifier.Cmp(c.order.TokenID) != 0 || sale.Offer[0].Amount.Cmp(big.NewInt(1)) != 0:
		return fmt.Sprintf("sold was %+v", sale.Offer)
	}
	paid := new(big.Int)
	for i, p := range sale.Consideration {
		if p.ItemType != seaport.ItemNative {
			return fmt.Sprintf("payment %d is of item type %d", i, p.ItemType)
		}
		switch {
		case i < len(order.Consideration):
			if want := order.Consideration[i]; p.Recipient != want.Recipient || p.Amount.Cmp(want.StartAmount) != 0 {
				return fmt.Sprintf("payment %d is %s to %s, signed were %s to %s", i, p.Amount, p.Recipient, want.StartAmount, want.Recipient)
			}
		case i > len(order.Consideration) || p.Recipient != seaport.FeeRecipient:
			return fmt.Sprintf("payment %d, of %s to %s, was not signed", i, p.Amount, p.Recipient)
		}
		paid.Add(paid, p.Amount)
		if p.Recipient == s.buyer.Address() {
			s.back.Add(s.back, p.Amount)
		}
	}
	if paid.Cmp(tx.Value()) != 0 || len(sale.Consideration) < len(order.Consideration) {
		return fmt.Sprintf("%s was paid with a value of %s", paid, tx.Value())
	}
	return ""
}

// judgeBooks: ledger and journal say what happened.
func (s *story) judgeBooks(ctx context.Context, r *types.Receipt, exactFee bool) (string, error) {
	reserved, open, err := s.unresolved(ctx)
	if err != nil {
		return "", err
	}
	if reserved != 0 || open != 0 {
		return fmt.Sprintf("%d reservations and %d transactions are open", reserved, open), nil
	}
	var n int
	var state, hash string
	if err := s.money.QueryRowContext(ctx, `SELECT count(*), max(state), coalesce(max(hash), '') FROM tx WHERE rowid > ? AND state <> 'abandoned'`, s.rows[0]).Scan(&n, &state, &hash); err != nil {
		return "", err
	}
	if n != 1 || state != "confirmed" || hash != r.TxHash.Hex() {
		return fmt.Sprintf("the journal has %d rows, %s %s", n, state, hash), nil
	}
	rows, err := s.money.QueryContext(ctx, `SELECT kind, amount, settled, state FROM spend WHERE rowid > ? AND state <> 'released'`, s.rows[1])
	if err != nil {
		return "", err
	}
	defer rows.Close()
	booked := map[string]*big.Int{}
	for rows.Next() {
		var kind, amount, settled, state string
		if err := rows.Scan(&kind, &amount, &settled, &state); err != nil {
			return "", err
		}
		a, _ := new(big.Int).SetString(amount, 10)
		v, ok := new(big.Int).SetString(settled, 10)
		if !ok || state != "settled" || booked[kind] != nil || v.Cmp(a) > 0 {
			return fmt.Sprintf("the ledger has %s of %s, %s at %s", kind, amount, state, settled), nil
		}
		booked[kind] = v
	}
	value := new(big.Int).Sub(s.before.wei, s.fillers)
	now, err := s.balance(ctx)
	if err != nil {
		return "", err
	}
	value.Sub(value, now.wei).Sub(value, feeOf(r)).Add(value, s.back)
	switch {
	case rows.Err() != nil:
		return "", rows.Err()
	case len(booked) != 2 || booked["price"] == nil || booked["fee"] == nil:
		return fmt.Sprintf("the ledger has %v", booked), nil
	case booked["price"].Cmp(value) != 0:
		return fmt.Sprintf("the ledger says %s was paid, it was %s", booked["price"], value), nil
	case exactFee && booked["fee"].Cmp(feeOf(r)) != 0:
		return fmt.Sprintf("the ledger says gas cost %s, it was %s", booked["fee"], feeOf(r)), nil
	}
	return "", nil
}

// resume settles at an honest node what a liar hid.
func (s *story) resume(ctx context.Context, r *types.Receipt, asSigned bool, code string) (ending, error) {
	p, err := s.process(ctx, patience, true)
	if err != nil {
		return ending{}, err
	}
	defer p.client.Close()
	open, err := p.sender.Recover(ctx, s.world.ChainID())
	if err != nil {
		return wrongly("resuming at an honest node: %v", err), nil
	}
	if !asSigned {
		// No chain takes what was signed: it stays open, and counts, for a person to
		// cancel; or the node refused it, and it is booked.
		return ending{kind: hidden, note: code + ", can't be mined"}, s.open(ctx)
	}
	if len(open) != 0 {
		return wrongly("after resuming, %s is %s", open[0].Hash, open[0].State), nil
	}
	if bad, err := s.judgeBooks(ctx, r, true); err != nil || bad != "" {
		return wrongly("after resuming: %s", bad), err
	}
	return ending{kind: hidden, note: code}, nil
}

// sweep looks at every token and every approval once everything is over.
func (s *stage) sweep(ctx context.Context) (bad []string, err error) {
	for _, c := range s.world.Demo().Collections {
		for id := 1; id <= c.Tokens; id++ {
			want, ok := s.owners[token{c.Slug, uint64(id)}]
			if !ok {
				want = c.Seller.Address()
			}
			got, err := s.world.OwnerOf(ctx, c.Slug, big.NewInt(int64(id)))
			if err != nil {
				return bad, err
			}
			if got != want {
				bad = append(bad, fmt.Sprintf("%s #%d is %s's, expected %s", c.Slug, id, got, want))
			}
		}
		b, err := s.approvals(ctx, c)
		if err != nil {
			return bad, err
		}
		bad = append(bad, b...)
	}
	return bad, nil
}

func (s *stage) approvals(ctx context.Context, c demo.Collection) (bad []string, err error) {
	for _, buyer := range s.buyers {
		for _, to := range []common.Address{seaport.Address, seaport.ConduitController, s.attacker.Address(), s.thief, c.Seller.Address()} {
			yes, err := s.approved(ctx, c.Address, buyer, to)
			if err != nil {
				return bad, err
			}
			if yes {
				bad = append(bad, fmt.Sprintf("%s lets %s move its %s", buyer, to, c.Slug))
			}
		}
	}
	return bad, nil
}
