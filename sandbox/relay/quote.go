package relay

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/sandbox/contracts"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// What the bridge takes, and what it may pay less than it shows.
const (
	serviceBPS      = 25
	slippageBPS     = 50
	gasMicroUSD     = 20_000 // for the transaction on the other side
	maxBPS          = 10_000
	approveGas      = 60_000
	depositGas      = 120_000
	tip             = 1_000_000
	timeEstimate    = 2 // seconds
	negativeFeeBPS  = -10
	answerAllowance = maxRequest
)

// refusal is a request that is not quoted.
type refusal struct{ code, message string }

// route is a quote before it is written down. Frauds change it.
type route struct {
	id        common.Hash // the request's
	depositID common.Hash // under which the deposit is made

	user, recipient, sender, depositor common.Address
	refundTo                           common.Address // zero: none was named

	in, out              demo.Currency // with the decimals that are told
	amountIn, amountOut  *big.Int
	minimum              *big.Int
	service, gas, app    *big.Int // fees, in units of in
	token                common.Address
	deposited            *big.Int // what the deposit really moves
	approvals            []*big.Int
	spender, to          common.Address // of approvals and of the deposit
	chainID              int64          // of the transactions
	maxFee               *big.Int
	edit                 func(deposit []byte) []byte // nil: none
	asIn, asOut, refunds demo.Currency               // the currencies that are told
}

func (s *Server) quote(w http.ResponseWriter, r *http.Request) {
	var req quoteRequest
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, answerAllowance))
	if err == nil {
		err = json.Unmarshal(body, &req)
	}
	if err != nil {
		s.fail(w, http.StatusBadRequest, "INVALID_INPUT", "Invalid request body")
		return
	}
	if code, on := s.faults.On(faults.RelayError); on {
		s.fail(w, http.StatusBadRequest, code, "No quote could be made for this request")
		return
	}
	rt, no, err := s.plan(r.Context(), req)
	switch {
	case err != nil:
		s.log.Error("bridge", "err", err)
		s.fail(w, http.StatusInternalServerError, "UNKNOWN_ERROR", "Internal server error")
		return
	case no != nil:
		s.fail(w, http.StatusBadRequest, no.code, "%s", no.message)
		return
	}
	s.tamper(rt)
	doc := s.render(rt)
	s.deface(doc, rt)
	s.remember(rt)
	s.answer(w, http.StatusOK, doc)
}

// plan makes an honest route of a request, or says why there is none.
func (s *Server) plan(ctx context.Context, req quoteRequest) (*route, *refusal, error) {
	rt := &route{chainID: req.OriginChainID}
	if no := s.parties(req, rt); no != nil {
		return nil, no, nil
	}
	origin, known := s.chain(req.OriginChainID)
	_, other := s.chain(req.DestinationChainID)
	var ok bool
	switch {
	case !known || !other:
		return nil, &refusal{"INVALID_INPUT_CHAIN", "Unsupported chain"}, nil
	case req.OriginChainID == req.DestinationChainID:
		return nil, &refusal{"UNSUPPORTED_ROUTE", "The sandbox bridges between its two chains only"}, nil
	case s.faults.Has(faults.RelayDisabled):
		return nil, &refusal{"CHAIN_DISABLED", "Chain is disabled"}, nil
	case req.TradeType != "EXACT_INPUT":
		return nil, &refusal{"UNSUPPORTED_TRADE_TYPE", "The sandbox quotes EXACT_INPUT only"}, nil
	}
	if rt.in, ok = s.currency(req.OriginChainID, req.OriginCurrency); !ok {
		return nil, &refusal{"INVALID_INPUT_CURRENCY", "Invalid input currency"}, nil
	}
	if rt.out, ok = s.currency(req.DestinationChainID, req.DestinationCurrency); !ok {
		return nil, &refusal{"INVALID_OUTPUT_CURRENCY", "Invalid output currency"}, nil
	}
	if rt.amountIn, ok = new(big.Int).SetString(req.Amount, 10); !ok || rt.amountIn.Sign() <= 0 || rt.amountIn.BitLen() > 255 {
		return nil, &refusal{"INVALID_AMOUNT", "Invalid amount"}, nil
	}
	if no := s.price(req, rt); no != nil {
		return nil, no, nil
	}
	liquid, err := s.balance(ctx, rt.out, s.world.Solver().Address())
	if err != nil {
		return nil, nil, err
	}
	if liquid.Cmp(rt.amountOut) <= 0 {
		return nil, &refusal{"INSUFFICIENT_LIQUIDITY", "Not enough liquidity"}, nil
	}
	if _, err := rand.Read(rt.id[:]); err != nil {
		return nil, nil, err
	}
	rt.depositID, rt.token, rt.deposited = rt.id, rt.in.Address, rt.amountIn
	rt.asIn, rt.asOut, rt.refunds = rt.in, rt.out, rt.in
	rt.to = s.depository(rt.chainID)
	rt.spender = rt.to
	rt.maxFee = new(big.Int).Add(big.NewInt(tip), new(big.Int).Mul(origin.Head().BaseFee, big.NewInt(2)))
	return rt, nil, s.allow(ctx, origin, rt)
}

// allow adds the approval, if the user has not approved enough already.
func (s *Server) allow(ctx context.Context, origin Chain, rt *route) error {
	if rt.in.Native() {
		return nil
	}
	token := contracts.NewDemoToken()
	out, err := origin.Client().CallContract(ctx, ethereum.CallMsg{To: &rt.token, Data: token.PackAllowance(rt.user, demo.Depository(rt.chainID))}, nil)
	if err != nil {
		return fmt.Errorf("allowance of %s: %w", rt.user, err)
	}
	allowed, err := token.UnpackAllowance(out)
	if err != nil {
		return fmt.Errorf("allowance of %s: %w", rt.user, err)
	}
	if allowed.Cmp(rt.amountIn) < 0 {
		rt.approvals = []*big.Int{rt.amountIn}
	}
	return nil
}

// parties reads who pays, who is paid, and who gets a refund.
func (s *Server) parties(req quoteRequest, rt *route) *refusal {
	for _, a := range []struct {
		text string
		to   *common.Address
		must bool
	}{{req.User, &rt.user, true}, {req.Recipient, &rt.recipient, false}, {req.RefundTo, &rt.refundTo, false}} {
		if a.text == "" && !a.must {
			continue
		}
		if !common.IsHexAddress(a.text) {
			return &refusal{"INVALID_ADDRESS", "Invalid address " + strconv.Quote(a.text)}
		}
		*a.to = common.HexToAddress(a.text)
	}
	if rt.recipient == (common.Address{}) {
		rt.recipient = rt.user
	}
	rt.sender, rt.depositor = rt.user, rt.user
	return nil
}

func (s *Server) currency(chainID int64, address string) (demo.Currency, bool) {
	if !common.IsHexAddress(address) {
		return demo.Currency{}, false
	}
	for _, c := range s.world.Currencies() {
		if c.ChainID == chainID && c.Address == common.HexToAddress(address) {
			return c, true
		}
	}
	return demo.Currency{}, false
}

// price computes the fees and what is paid out. Fees are rounded up, and what is
// paid out down.
func (s *Server) price(req quoteRequest, rt *route) *refusal {
	service := int64(serviceBPS)
	if _, on := s.faults.On(faults.RelayNegativeFee); on {
		service = negativeFeeBPS
	}
	if value, on := s.faults.On(faults.RelayFee); on {
		service = bps(value)
	}
	if s.again(req) {
		if value, on := s.faults.On(faults.RelayDearer); on {
			service = bps(value)
		}
	}
	slippage := int64(slippageBPS)
	if req.SlippageTolerance != "" {
		if slippage = bps(req.SlippageTolerance); slippage < 0 {
			return &refusal{"INVALID_SLIPPAGE_TOLERANCE", "Invalid slippage tolerance"}
		}
	}
	app := int64(0)
	for _, f := range req.AppFees {
		n := bps(f.Fee)
		if n < 0 {
			return &refusal{"INVALID_APP_FEES", "Invalid app fee"}
		}
		app += n
	}
	rt.service, rt.app = share(rt.amountIn, service), share(rt.amountIn, app)
	rt.gas = up(new(big.Int).Mul(big.NewInt(gasMicroUSD), rt.in.Whole(1)), big.NewInt(rt.in.MicroUSD))

	net := new(big.Int).Sub(rt.amountIn, rt.service)
	net.Sub(net, rt.gas).Sub(net, rt.app)
	if net.Sign() <= 0 {
		return &refusal{"AMOUNT_TOO_LOW", "Swap output amount is too small to cover fees required to execute swap"}
	}
	rt.amountOut = net.Mul(net, big.NewInt(rt.in.MicroUSD)).Mul(net, rt.out.Whole(1))
	rt.amountOut.Quo(net, new(big.Int).Mul(big.NewInt(rt.out.MicroUSD), rt.in.Whole(1)))
	if rt.amountOut.Sign() == 0 {
		return &refusal{"AMOUNT_TOO_LOW", "Swap output amount is too small to cover fees required to execute swap"}
	}
	rt.minimum = new(big.Int).Mul(rt.amountOut, big.NewInt(maxBPS-slippage))
	rt.minimum.Quo(rt.minimum, big.NewInt(maxBPS))
	return nil
}

// again reports whether the same was asked for before.
func (s *Server) again(req quoteRequest) bool {
	key := strings.ToLower(fmt.Sprint(req.User, req.OriginChainID, req.DestinationChainID, req.OriginCurrency, req.DestinationCurrency, req.Amount))
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.asked[key]
	if len(s.asked) < maxTransfers {
		s.asked[key] = true
	}
	return before
}

// bps reads basis points; -1 is none.
func bps(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 || n > maxBPS {
		return -1
	}
	return n
}

// share is a fee of n basis points, rounded up.
func share(of *big.Int, n int64) *big.Int {
	return up(new(big.Int).Mul(of, big.NewInt(n)), big.NewInt(maxBPS))
}

// percent writes a part of a whole with two places.
func percent(part, whole *big.Int) string {
	if whole.Sign() == 0 {
		return "0"
	}
	n := new(big.Int).Mul(part, big.NewInt(maxBPS))
	return decimal(n.Quo(n, whole), 2)
}

// up divides and rounds up.
func up(n, by *big.Int) *big.Int {
	q, rest := new(big.Int).QuoRem(n, by, new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// render writes a route down.
func (s *Server) render(rt *route) *quoteJSON {
	id := hexutil.Encode(rt.id[:])
	doc := &quoteJSON{Steps: []stepJSON{}, Protocol: protocolJSON{orderJSON{id}}}
	for _, n := range rt.approvals {
		doc.Steps = append(doc.Steps, stepJSON{
			ID: "approve", Action: "Confirm transaction in your wallet", Description: "Sign an approval for " + rt.asIn.Symbol,
			Kind: "transaction", RequestID: id,
			Items: []itemJSON{{Status: "incomplete", Data: rt.tx(rt.token, new(big.Int), contracts.NewDemoToken().PackApprove(rt.spender, n), approveGas)}},
		})
	}
	doc.Steps = append(doc.Steps, stepJSON{
		ID: "deposit", Action: "Confirm transaction in your wallet",
		Description: "Depositing funds to the relayer to execute the swap for " + rt.asOut.Symbol, Kind: "transaction", RequestID: id,
		Items: []itemJSON{{
			Status: "incomplete", Data: rt.deposit(),
			Check: &checkJSON{Endpoint: "/intents/status/v3?requestId=" + id, Method: http.MethodGet},
		}},
	})
	relayer := new(big.Int).Add(rt.service, rt.gas)
	native := s.native(rt.in.ChainID)
	gas := new(big.Int).Mul(rt.maxFee, big.NewInt(depositGas+approveGas*int64(len(rt.approvals))))
	doc.Fees = &feesJSON{
		Gas: amount(native, gas), Relayer: amount(rt.asIn, relayer), RelayerGas: amount(rt.asIn, rt.gas),
		RelayerService: amount(rt.asIn, rt.service), App: amount(rt.asIn, rt.app), Subsidized: amount(rt.asIn, new(big.Int)),
	}
	out := amount(rt.asOut, rt.amountOut)
	out.MinimumAmount = rt.minimum.String()
	lost := new(big.Int).Sub(microUSD(rt.out, rt.amountOut), microUSD(rt.in, rt.amountIn))
	doc.Details = detailsJSON{
		Operation: "swap", Sender: addr(rt.user), Recipient: addr(rt.recipient),
		CurrencyIn: amount(rt.asIn, rt.amountIn), CurrencyOut: out, RefundCurrency: amount(rt.refunds, rt.amountIn),
		TotalImpact: impactJSON{decimal(lost, 6), percent(lost, microUSD(rt.in, rt.amountIn))}, SwapImpact: impactJSON{"0", "0"},
		Rate:         decimal(new(big.Int).Quo(big.NewInt(rt.in.MicroUSD*1_000_000), big.NewInt(rt.out.MicroUSD)), 6),
		TimeEstimate: timeEstimate,
	}
	return doc
}

func (s *Server) native(chainID int64) demo.Currency {
	for _, c := range s.world.Currencies() {
		if c.ChainID == chainID && c.Native() {
			return c
		}
	}
	return demo.Currency{ChainID: chainID, Decimals: 18}
}

func (rt *route) tx(to common.Address, value *big.Int, data []byte, gas uint64) txJSON {
	return txJSON{
		From: addr(rt.sender), To: addr(to), Data: hexutil.Encode(data), Value: value.String(), ChainID: rt.chainID,
		Gas: text(gas), MaxFeePerGas: rt.maxFee.String(), MaxPriorityFeePerGas: text(tip),
	}
}

// deposit is the transaction that pays the bridge.
func (rt *route) deposit() txJSON {
	d, value := contracts.NewDepository(), new(big.Int)
	var data []byte
	if rt.in.Native() {
		data, value = d.PackDepositNative(rt.depositor, rt.depositID), rt.deposited
	} else {
		data = d.PackDepositErc20(rt.depositor, rt.token, rt.deposited, rt.depositID)
	}
	if rt.edit != nil {
		data = rt.edit(data)
	}
	return rt.tx(rt.to, value, data, depositGas)
}
