package relay

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/sandbox/contracts"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// What is told of a transfer.
const (
	waiting   = "waiting"   // no deposit yet
	pending   = "pending"   // a deposit, and nothing done about it yet
	submitted = "submitted" // paid out, and not yet mined
	success   = "success"
	refund    = "refund"
	failure   = "failure"
)

// retryAfter is how long a payment that could not be sent waits.
const retryAfter = 500 * time.Millisecond

// transfer is a quote and what became of it. The server's mutex guards it.
type transfer struct {
	rt      *route
	status  string
	details string
	created time.Time
	updated time.Time

	in      common.Hash // the deposit's transaction
	amount  *big.Int    // what was deposited
	right   bool        // as it was quoted
	due     time.Time   // not filled before
	sent    *payment    // on its way, nil: nothing is
	paid    []common.Hash
	refunds int  // status answers until a refund that is under way is paid
	ended   bool // nothing more will happen
}

// payment is a transaction of the solver that is not mined yet.
type payment struct {
	chainID int64
	tx      common.Hash
	then    string // the status once it is mined
}

// remember makes a quote a transfer.
func (s *Server) remember(rt *route) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.transfers[rt.id] = &transfer{rt: rt, status: waiting, created: now, updated: now}
	s.order = append(s.order, rt.id)
	if len(s.order) > maxTransfers {
		delete(s.transfers, s.order[0])
		s.order = s.order[1:]
	}
}

// sweep looks for deposits and does what is due. The caller holds the mutex.
func (s *Server) sweep(ctx context.Context) {
	for _, c := range s.opt.Chains {
		if err := s.scan(ctx, c); err != nil && ctx.Err() == nil {
			s.log.Error("bridge: deposits", "chain", c.ID(), "err", err)
		}
	}
	for _, id := range s.order {
		t := s.transfers[id]
		if t.amount == nil || t.ended {
			continue
		}
		if err := s.advance(ctx, t); err != nil && ctx.Err() == nil {
			s.log.Error("bridge: transfer", "id", id, "err", err)
			t.due = s.now().Add(retryAfter)
		}
	}
}

// scan reads the deposits of a chain's new blocks.
func (s *Server) scan(ctx context.Context, c Chain) error {
	head, last := c.Head().Number.Uint64(), s.scanned[c.ID()]
	if head == last {
		return nil
	}
	if head < last { // a reorganisation: what comes instead is new
		s.scanned[c.ID()] = head
		return nil
	}
	logs, err := c.Client().FilterLogs(ctx, ethereum.FilterQuery{
		FromBlock: new(big.Int).SetUint64(last + 1), ToBlock: new(big.Int).SetUint64(head),
		Addresses: []common.Address{demo.Depository(c.ID())},
	})
	if err != nil {
		return err
	}
	for i := range logs {
		s.deposited(c.ID(), &logs[i])
	}
	s.scanned[c.ID()] = head
	return nil
}

// deposited takes note of one deposit. A second one for a transfer is kept, as
// Relay's is until somebody asks for it.
func (s *Server) deposited(chainID int64, l *types.Log) {
	d := contracts.NewDepository()
	var id common.Hash
	var token common.Address
	var amount *big.Int
	if e, err := d.UnpackRelayNativeDepositEvent(l); err == nil {
		id, amount = e.Id, e.Amount
	} else if e, err := d.UnpackRelayErc20DepositEvent(l); err == nil {
		id, token, amount = e.Id, e.Token, e.Amount
	} else {
		return
	}
	t := s.transfers[id]
	if t == nil || t.amount != nil || t.rt.in.ChainID != chainID || t.rt.in.Address != token {
		return
	}
	t.in, t.amount, t.right = l.TxHash, amount, amount.Cmp(t.rt.amountIn) == 0
	if value, on := s.faults.On(faults.RelaySlow); on {
		if wait, err := time.ParseDuration(value); err == nil {
			t.due = s.now().Add(wait)
		}
	}
	s.tell(t, pending, "")
}

func (s *Server) tell(t *transfer, status, details string) {
	t.status, t.details, t.updated = status, details, s.now()
}

func (s *Server) end(t *transfer, status, details string) {
	s.tell(t, status, details)
	t.ended = true
}

// advance does what is due for a transfer that was deposited.
func (s *Server) advance(ctx context.Context, t *transfer) error {
	switch {
	case t.sent != nil:
		return s.mined(ctx, t)
	case s.now().Before(t.due) || s.faults.Has(faults.RelayStuck):
		return nil
	case t.status == refund:
		if t.refunds > 0 {
			return nil
		}
		return s.giveBack(ctx, t)
	case !t.right:
		return s.giveBack(ctx, t)
	}
	return s.fill(ctx, t)
}

// fill pays out, unless a fault has another end in mind.
func (s *Server) fill(ctx context.Context, t *transfer) error {
	if _, on := s.faults.On(faults.RelayFailure); on {
		s.end(t, failure, "The transfer failed")
		return nil
	}
	if value, on := s.faults.On(faults.RelayRefunding); on {
		n, err := strconv.Atoi(value)
		t.refunds = n
		s.tell(t, refund, "Refund in progress")
		return err
	}
	if _, on := s.faults.On(faults.RelayRefund); on {
		return s.giveBack(ctx, t)
	}
	if _, on := s.faults.On(faults.RelayNoPayout); on {
		t.paid = []common.Hash{common.HexToHash("0xbad0")}
		s.end(t, success, "")
		return nil
	}
	to, amount := t.rt.recipient, t.rt.amountOut
	if _, on := s.faults.On(faults.RelayOtherPayee); on {
		to = stranger
	}
	if value, on := s.faults.On(faults.RelayUnderDeliver); on {
		amount = new(big.Int).Mul(t.rt.minimum, big.NewInt(max(1, bps(value))))
		amount.Quo(amount, big.NewInt(100))
	}
	return s.pay(ctx, t, t.rt.out, to, amount, success)
}

// giveBack returns the deposit, if the quote says to whom.
func (s *Server) giveBack(ctx context.Context, t *transfer) error {
	if t.rt.refundTo == (common.Address{}) {
		s.end(t, failure, "No refund address")
		return nil
	}
	return s.pay(ctx, t, t.rt.in, t.rt.refundTo, t.amount, refund)
}

func (s *Server) pay(ctx context.Context, t *transfer, c demo.Currency, to common.Address, amount *big.Int, then string) error {
	target, value, data := to, amount, []byte(nil)
	if !c.Native() {
		target, value, data = c.Address, new(big.Int), contracts.NewDemoToken().PackTransfer(to, amount)
	}
	// As the real solvers do, it names the request behind the call's own data. So no two
	// payments are one transaction, on a chain that was made anew neither.
	data = append(data, t.rt.id[:]...)
	tx, err := s.opt.Submit(ctx, c.ChainID, s.world.Solver(), target, value, data)
	if err != nil {
		return fmt.Errorf("pay %s %s to %s: %w", amount, c.Symbol, to, err)
	}
	t.sent = &payment{c.ChainID, tx, then}
	if then == success {
		s.tell(t, submitted, "")
	}
	return nil
}

// mined looks whether a payment is mined.
func (s *Server) mined(ctx context.Context, t *transfer) error {
	c, ok := s.chain(t.sent.chainID)
	if !ok {
		return errors.New("payment on an unknown chain")
	}
	r, err := c.Client().TransactionReceipt(ctx, t.sent.tx)
	if err != nil {
		return nil // not yet: any error may come until the block is indexed
	}
	t.paid = append(t.paid, t.sent.tx)
	switch {
	case r.Status != types.ReceiptStatusSuccessful:
		s.end(t, failure, "The payment reverted")
	case t.sent.then == refund:
		s.end(t, refund, "Refunded")
	default:
		s.end(t, t.sent.then, "")
	}
	t.sent = nil
	return nil
}

func (s *Server) balance(ctx context.Context, c demo.Currency, of common.Address) (*big.Int, error) {
	on, ok := s.chain(c.ChainID)
	if !ok {
		return nil, errors.New("balance on an unknown chain")
	}
	if c.Native() {
		return on.Client().BalanceAt(ctx, of, nil)
	}
	token := contracts.NewDemoToken()
	out, err := on.Client().CallContract(ctx, ethereum.CallMsg{To: &c.Address, Data: token.PackBalanceOf(of)}, nil)
	if err != nil {
		return nil, fmt.Errorf("balance of %s: %w", of, err)
	}
	return token.UnpackBalanceOf(out)
}

func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	b, err := hexutil.Decode(strings.ToLower(r.URL.Query().Get("requestId")))
	if err != nil || len(b) != common.HashLength {
		s.fail(w, http.StatusBadRequest, "INVALID_INPUT", "Invalid requestId")
		return
	}
	s.mu.Lock()
	s.sweep(r.Context())
	t := s.transfers[common.BytesToHash(b)]
	if t != nil && t.refunds > 0 {
		t.refunds--
	}
	doc := statusJSON{Status: "unknown"}
	if t != nil {
		doc = s.report(t)
	}
	s.mu.Unlock()
	s.answer(w, http.StatusOK, doc)
}

// report is what is told of a transfer. The caller holds the mutex.
func (s *Server) report(t *transfer) statusJSON {
	doc := statusJSON{
		Status: t.status, Details: t.details, UpdatedAt: t.updated.UnixMilli(), QuoteCreatedAt: t.created.UnixMilli(),
		OriginChainID: t.rt.in.ChainID, DestinationChainID: t.rt.out.ChainID,
	}
	if t.amount != nil {
		doc.InTxHashes = []string{t.in.Hex()}
	}
	for _, h := range t.paid {
		doc.TxHashes = append(doc.TxHashes, h.Hex())
	}
	if value, on := s.faults.On(faults.RelayStatus); on {
		doc.Status = value
	}
	if _, on := s.faults.On(faults.RelayOtherStatus); on {
		doc.Status, doc.Details = success, ""
		doc.InTxHashes, doc.TxHashes = []string{common.HexToHash("0xbad1").Hex()}, []string{common.HexToHash("0xbad2").Hex()}
	}
	return doc
}
