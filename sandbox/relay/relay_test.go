package relay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

const (
	apes     = int64(devchain.ChainID)
	ethereum = int64(devchain.EthereumChainID)
)

// quoteDoc is a quote as far as the tests read it.
type quoteDoc struct {
	Steps []struct {
		ID, Kind, RequestID string
		Items               []struct {
			Data struct {
				From, To, Data, Value string
				ChainID               int64
			}
			Check *struct{ Endpoint, Method string }
		}
	}
	Fees    map[string]amountDoc
	Details struct {
		Sender, Recipient       string
		CurrencyIn, CurrencyOut amountDoc
	}
	Message, ErrorCode string
}

type amountDoc struct {
	Currency struct {
		ChainID  int64
		Address  string
		Decimals int
	}
	Amount, AmountFormatted, AmountUSD, MinimumAmount string
}

type statusDoc struct {
	Status, Details               string
	InTxHashes, TxHashes          []string
	OriginChainID                 int64
	DestinationChainID, UpdatedAt int64
}

func start(t *testing.T, opt sandbox.Options) *sandbox.World {
	t.Helper()
	opt.Listings = 1
	w, err := sandbox.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func set(t *testing.T, w *sandbox.World, specs ...string) {
	t.Helper()
	w.ClearFaults()
	for _, spec := range specs {
		if err := w.SetFault(spec); err != nil {
			t.Fatal(err)
		}
	}
}

// coin returns a currency by "SYMBOL@chain".
func coin(t *testing.T, w *sandbox.World, symbol string, chainID int64) demo.Currency {
	t.Helper()
	c, ok := w.Demo().Currency(chainID, symbol)
	if !ok {
		t.Fatalf("no %s on chain %d", symbol, chainID)
	}
	return c
}

// ask returns the request of a transfer by the buyer to itself.
func ask(w *sandbox.World, in, out demo.Currency, amount *big.Int) map[string]any {
	me := w.Buyer().Address().Hex()
	return map[string]any{
		"user": me, "recipient": me, "refundTo": me, "originChainId": in.ChainID, "destinationChainId": out.ChainID,
		"originCurrency": in.Address.Hex(), "destinationCurrency": out.Address.Hex(), "amount": amount.String(), "tradeType": "EXACT_INPUT",
	}
}

func fetch(t *testing.T, method, url string, body any) (int, http.Header, []byte, error) {
	t.Helper()
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(body); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, &b)
	if err != nil {
		t.Fatal(err)
	}
	// The transport follows no redirect.
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, resp.Header, answer, err
}

func raw(t *testing.T, w *sandbox.World, req map[string]any) (int, []byte) {
	t.Helper()
	status, _, body, err := fetch(t, http.MethodPost, w.RelayURL()+"/quote/v2", req)
	if err != nil {
		t.Fatal(err)
	}
	return status, body
}

func quote(t *testing.T, w *sandbox.World, req map[string]any) quoteDoc {
	t.Helper()
	status, body := raw(t, w, req)
	var q quoteDoc
	if err := json.Unmarshal(body, &q); err != nil || status != http.StatusOK {
		t.Fatalf("quote: %d %s, %v", status, body, err)
	}
	return q
}

func number(t *testing.T, s string) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	return n
}

// execute sends everything that a quote asks for, as the buyer.
func execute(t *testing.T, w *sandbox.World, q quoteDoc) (deposit common.Hash) {
	t.Helper()
	for _, step := range q.Steps {
		for _, item := range step.Items {
			value, err := units.FromBig(number(t, item.Data.Value))
			if err != nil {
				t.Fatal(err)
			}
			r, err := w.SendOn(t.Context(), item.Data.ChainID, w.Buyer(), sandbox.Tx{
				To: common.HexToAddress(item.Data.To), Value: value, Data: hexutil.MustDecode(item.Data.Data),
			})
			if err != nil {
				t.Fatalf("%s: %v", step.ID, err)
			}
			deposit = r.TxHash
		}
	}
	return deposit
}

func status(t *testing.T, w *sandbox.World, q quoteDoc) statusDoc {
	t.Helper()
	last := q.Steps[len(q.Steps)-1].Items
	code, _, body, err := fetch(t, http.MethodGet, w.RelayURL()+last[len(last)-1].Check.Endpoint, nil)
	var st statusDoc
	if err != nil || code != http.StatusOK || json.Unmarshal(body, &st) != nil {
		t.Fatalf("status: %d %s, %v", code, body, err)
	}
	return st
}

// until asks for the status until it is as wanted.
func until(t *testing.T, w *sandbox.World, q quoteDoc, done func(statusDoc) bool) statusDoc {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		st := status(t, w, q)
		if done(st) {
			return st
		}
		select {
		case <-ctx.Done():
			t.Fatalf("still %+v", st)
		case <-tick.C:
		}
	}
}

func is(words ...string) func(statusDoc) bool {
	return func(st statusDoc) bool {
		return slices.Contains(words, st.Status) && st.Details != "Refund in progress"
	}
}

func balance(t *testing.T, w *sandbox.World, c demo.Currency, of common.Address) *big.Int {
	t.Helper()
	n, err := w.BalanceOf(t.Context(), c, of)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTransfersArrive(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	for _, tt := range []struct {
		in, out  string
		from, to int64
		amount   int64
		steps    string
		more     string // balance of the recipient that is expected afterwards
	}{
		// 0.1 ETH are 250 dollars, less 25 basis points and 2 cents.
		{"ETH", "APE", ethereum, apes, 1e17, "deposit", "498710000000000000000"},
		{"USDC", "USDC", ethereum, apes, 100e6, "approve deposit", "99730000"},
		{"APE", "APE", ethereum, apes, 5e18, "approve deposit", "4947500000000000000"},
		{"APE", "USDC", apes, ethereum, 5e18, "deposit", "2473750"},
		{"USDC", "ETH", apes, ethereum, 250e6, "approve deposit", "99742000000000000"},
	} {
		t.Run(fmt.Sprintf("%s to %s", tt.in, tt.out), func(t *testing.T) {
			in, out := coin(t, w, tt.in, tt.from), coin(t, w, tt.out, tt.to)
			to := demo.DeriveKey("test", t.Name()).Address()
			req := ask(w, in, out, big.NewInt(tt.amount))
			req["recipient"] = to.Hex()
			q := quote(t, w, req)
			var steps []string
			for _, s := range q.Steps {
				steps = append(steps, s.ID)
				if s.Kind != "transaction" || s.RequestID == "" || s.Items[0].Data.ChainID != tt.from || !strings.EqualFold(s.Items[0].Data.From, w.Buyer().Address().Hex()) {
					t.Errorf("step %+v", s)
				}
			}
			if got := strings.Join(steps, " "); got != tt.steps {
				t.Fatalf("steps %s, want %s", got, tt.steps)
			}
			if st := status(t, w, q); st.Status != "waiting" || st.InTxHashes != nil {
				t.Errorf("before the deposit: %+v", st)
			}
			before := balance(t, w, in, w.Buyer().Address())
			deposit := execute(t, w, q)
			if !in.Native() {
				if spent := new(big.Int).Sub(before, balance(t, w, in, w.Buyer().Address())); spent.Int64() != tt.amount {
					t.Errorf("spent %s", spent)
				}
			}
			st := until(t, w, q, is("success"))
			if len(st.InTxHashes) != 1 || st.InTxHashes[0] != deposit.Hex() || len(st.TxHashes) != 1 || st.OriginChainID != tt.from || st.DestinationChainID != tt.to {
				t.Errorf("status %+v", st)
			}
			if got := balance(t, w, out, to); got.String() != q.Details.CurrencyOut.Amount || got.String() != tt.more {
				t.Errorf("arrived %s, quoted %s, want %s", got, q.Details.CurrencyOut.Amount, tt.more)
			}
			if number(t, q.Details.CurrencyOut.MinimumAmount).Cmp(balance(t, w, out, to)) > 0 {
				t.Error("less than the minimum arrived")
			}
			client, err := w.ClientOn(t.Context(), tt.to)
			if err != nil {
				t.Fatal(err)
			}
			if r, err := client.TransactionReceipt(t.Context(), common.HexToHash(st.TxHashes[0])); err != nil || r.Status != 1 {
				t.Errorf("payout: %v", err)
			}
			// It names the request, so that the same payment on a chain that was made anew is
			// another transaction: a state directory that outlives the chain remembers the first.
			if tx, _, err := client.TransactionByHash(t.Context(), common.HexToHash(st.TxHashes[0])); err != nil || !strings.HasSuffix(common.Bytes2Hex(tx.Data()), strings.TrimPrefix(q.Steps[0].RequestID, "0x")) {
				t.Errorf("the payout does not name the request: %v", err)
			}
		})
	}
}

func TestAnApprovalThatIsThereIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	usdc := coin(t, w, "USDC", ethereum)
	req := ask(w, usdc, coin(t, w, "USDC", apes), big.NewInt(50e6))
	q := quote(t, w, req)
	q.Steps = q.Steps[:1]
	execute(t, w, q)
	if q := quote(t, w, req); len(q.Steps) != 1 || q.Steps[0].ID != "deposit" {
		t.Errorf("steps %+v", q.Steps)
	}
}

func TestFees(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	eth, ape := coin(t, w, "ETH", ethereum), coin(t, w, "APE", apes)
	for _, tt := range []struct {
		fault   string
		service string
	}{
		{"", "250000000000000"}, // 25 basis points of 0.1 ETH
		{"relay-fee=250", "2500000000000000"},
		{"relay-negative-fee", "-100000000000000"},
	} {
		w.ClearFaults()
		if tt.fault != "" {
			set(t, w, tt.fault)
		}
		q := quote(t, w, ask(w, eth, ape, big.NewInt(1e17)))
		f := q.Fees
		if f["relayerService"].Amount != tt.service || f["app"].Amount != "0" || f["subsidized"].Amount != "0" {
			t.Errorf("%s: fees %+v", tt.fault, f)
		}
		sum := new(big.Int).Add(number(t, f["relayerService"].Amount), number(t, f["relayerGas"].Amount))
		if sum.String() != f["relayer"].Amount || f["relayer"].Currency.ChainID != ethereum {
			t.Errorf("%s: relayer fee %s of %s", tt.fault, f["relayer"].Amount, sum)
		}
	}
	set(t, w, "relay-dearer=300")
	req := ask(w, eth, ape, big.NewInt(2e17))
	if got := quote(t, w, req).Fees["relayerService"].Amount; got != "500000000000000" {
		t.Errorf("first: %s", got)
	}
	if got := quote(t, w, req).Fees["relayerService"].Amount; got != "6000000000000000" {
		t.Errorf("again: %s", got)
	}
}

func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	eth, ape := coin(t, w, "ETH", ethereum), coin(t, w, "APE", apes)
	for _, tt := range []struct {
		key   string
		value any
		fault string
		code  string
	}{
		{"amount", "1000", "", "AMOUNT_TOO_LOW"},
		{"amount", "0", "", "INVALID_AMOUNT"},
		{"amount", "-5", "", "INVALID_AMOUNT"},
		{"amount", "1e18", "", "INVALID_AMOUNT"},
		{"amount", ape.Whole(10_000_000).String(), "", "INSUFFICIENT_LIQUIDITY"},
		{"user", "ape.eth", "", "INVALID_ADDRESS"},
		{"user", "", "", "INVALID_ADDRESS"},
		{"refundTo", "0x12", "", "INVALID_ADDRESS"},
		{"originChainId", 1, "", "INVALID_INPUT_CHAIN"},
		{"destinationChainId", ethereum, "", "UNSUPPORTED_ROUTE"},
		{"originCurrency", "0x00000000000000000000000000000000000000ff", "", "INVALID_INPUT_CURRENCY"},
		{"destinationCurrency", "APE", "", "INVALID_OUTPUT_CURRENCY"},
		{"tradeType", "EXACT_OUTPUT", "", "UNSUPPORTED_TRADE_TYPE"},
		{"slippageTolerance", "20000", "", "INVALID_SLIPPAGE_TOLERANCE"},
		{"appFees", []any{map[string]any{"fee": "-1"}}, "", "INVALID_APP_FEES"},
		{"", nil, "relay-error", "NO_QUOTES"},
		{"", nil, "relay-error=INSUFFICIENT_LIQUIDITY", "INSUFFICIENT_LIQUIDITY"},
		{"", nil, "relay-disabled", "CHAIN_DISABLED"},
		{"amount", 5, "", "INVALID_INPUT"},
	} {
		w.ClearFaults()
		if tt.fault != "" {
			set(t, w, tt.fault)
		}
		req := ask(w, eth, ape, big.NewInt(1e17))
		if tt.key != "" {
			req[tt.key] = tt.value
		}
		status, body := raw(t, w, req)
		var e quoteDoc
		if err := json.Unmarshal(body, &e); err != nil || status != http.StatusBadRequest || e.ErrorCode != tt.code || e.Message == "" {
			t.Errorf("%s %v %s: %d %s, want %s", tt.key, tt.value, tt.fault, status, body, tt.code)
		}
	}
	if code, _, body, err := fetch(t, http.MethodGet, w.RelayURL()+"/intents/status/v3?requestId=0x12", nil); err != nil || code != http.StatusBadRequest {
		t.Errorf("half an id: %d %s, %v", code, body, err)
	}
	unknown := w.RelayURL() + "/intents/status/v3?requestId=" + common.HexToHash("0x1").Hex()
	if code, _, body, err := fetch(t, http.MethodGet, unknown, nil); err != nil || code != http.StatusOK || string(body) != `{"status":"unknown"}` {
		t.Errorf("nobody's id: %d %s, %v", code, body, err)
	}
	if code, _, _, err := fetch(t, http.MethodGet, w.RelayURL()+"/quote/v2", nil); err != nil || code != http.StatusNotFound {
		t.Errorf("GET of a quote: %d, %v", code, err)
	}
}

func TestChains(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	type chain struct {
		ID                       int64
		HTTPRPCURL               string `json:"httpRpcUrl"`
		DepositEnabled, Disabled bool
		Currency                 struct{ Symbol, Address string }
		ERC20Currencies          []struct {
			Symbol, Address string
			Decimals        int
		}
		Protocol struct{ V2 struct{ Depository string } }
	}
	get := func() (doc struct{ Chains []chain }) {
		code, _, body, err := fetch(t, http.MethodGet, w.RelayURL()+"/chains", nil)
		if err != nil || code != http.StatusOK || json.Unmarshal(body, &doc) != nil || len(doc.Chains) != 2 {
			t.Fatalf("%d %s, %v", code, body, err)
		}
		return doc
	}
	for _, c := range get().Chains {
		url, symbol := w.RPCURL(), "APE"
		if c.ID == ethereum {
			url, symbol = w.EthereumRPCURL(), "ETH"
		}
		if c.HTTPRPCURL != url || !c.DepositEnabled || c.Disabled || c.Currency.Symbol != symbol || !strings.EqualFold(c.Protocol.V2.Depository, demo.Depository(c.ID).Hex()) {
			t.Errorf("chain %+v", c)
		}
		for _, e := range c.ERC20Currencies {
			if e.Symbol == "USDC" && (e.Decimals != 6 || !strings.EqualFold(e.Address, coin(t, w, "USDC", c.ID).Address.Hex())) {
				t.Errorf("currency %+v", e)
			}
		}
	}
	set(t, w, "relay-disabled", "relay-moved")
	for _, c := range get().Chains {
		if c.DepositEnabled || !c.Disabled || strings.EqualFold(c.Protocol.V2.Depository, demo.Depository(c.ID).Hex()) {
			t.Errorf("chain %+v", c)
		}
	}
}

// TestTamperedQuotesDiffer: every fraud shows in what is answered.
func TestTamperedQuotesDiffer(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	req := ask(w, coin(t, w, "USDC", ethereum), coin(t, w, "APE", apes), big.NewInt(100e6))
	read := func() string {
		_, body := raw(t, w, req)
		var q quoteDoc
		if err := json.Unmarshal(body, &q); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		id := q.Steps[len(q.Steps)-1].RequestID
		return strings.NewReplacer(id, "ID", id[2:], "ID").Replace(string(body))
	}
	honest := read()
	if again := read(); again != honest {
		t.Fatalf("two honest quotes differ:\n%s\n%s", honest, again)
	}
	shown := map[string]faults.Name{}
	n := 0
	for _, k := range faults.Relay {
		if !strings.HasPrefix(string(k.Name), "relay-tamper-") {
			continue
		}
		n++
		set(t, w, string(k.Name))
		got := read()
		if got == honest {
			t.Errorf("%s changes nothing", k.Name)
		}
		if other, twice := shown[got]; twice {
			t.Errorf("%s is the same as %s", k.Name, other)
		}
		shown[got] = k.Name
	}
	if n < 25 {
		t.Errorf("only %d ways to tamper", n)
	}
}

func TestHonestOddities(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	in, out := coin(t, w, "USDC", ethereum), coin(t, w, "APE", apes)
	req := ask(w, in, out, big.NewInt(100e6))
	set(t, w, "relay-approve-twice")
	q := quote(t, w, req)
	if len(q.Steps) != 3 || q.Steps[1].ID != "approve" || !strings.HasSuffix(q.Steps[0].Items[0].Data.Data, strings.Repeat("0", 64)) {
		t.Fatalf("steps %+v", q.Steps)
	}
	execute(t, w, q)
	until(t, w, q, is("success"))

	set(t, w, "relay-numbers")
	_, body := raw(t, w, req)
	for _, want := range []string{`"amount":100000000`, `"value":0`, `"chainId":"7700001"`, `"decimals":"6"`} {
		if !bytes.Contains(body, []byte(want)) {
			t.Errorf("no %s in %s", want, body)
		}
	}
}

// TestEndsOfTransfers: what becomes of a deposit under each fault, on the chains.
func TestEndsOfTransfers(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	eth, ape := coin(t, w, "ETH", ethereum), coin(t, w, "APE", apes)
	for _, tt := range []struct {
		fault    string
		end      string
		arrived  string // percent of the minimum; "": none
		refunded bool
	}{
		{"relay-refund", "refund", "", true},
		{"relay-refunding=4", "refund", "", true},
		{"relay-failure", "failure", "", false},
		{"relay-under-deliver=40", "success", "40", false},
		{"relay-no-payout", "success", "", false},
		{"relay-other-payee", "success", "", false},
		{"relay-status=teleporting", "teleporting", "", false},
		{"relay-slow=1ms", "success", "100", false},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			me := demo.DeriveKey("test", t.Name()).Address()
			set(t, w, tt.fault)
			req := ask(w, eth, ape, big.NewInt(1e17))
			req["recipient"], req["refundTo"] = me.Hex(), me.Hex()
			q := quote(t, w, req)
			execute(t, w, q)
			if strings.HasPrefix(tt.fault, "relay-refunding") {
				if st := status(t, w, q); st.Status != "refund" || st.TxHashes != nil || balance(t, w, eth, me).Sign() != 0 {
					t.Errorf("at first %+v", st)
				}
			}
			st := until(t, w, q, is(tt.end))
			if len(st.InTxHashes) != 1 {
				t.Errorf("status %+v", st)
			}
			back := balance(t, w, eth, me)
			if (back.Int64() == 1e17) != tt.refunded || back.Sign() != 0 != tt.refunded {
				t.Errorf("refunded %s", back)
			}
			got := balance(t, w, ape, me)
			switch {
			case tt.end == "teleporting":
			case tt.arrived == "":
				if got.Sign() != 0 {
					t.Errorf("arrived %s", got)
				}
			case tt.arrived == "100":
				if got.String() != q.Details.CurrencyOut.Amount {
					t.Errorf("arrived %s", got)
				}
			default:
				want := new(big.Int).Mul(number(t, q.Details.CurrencyOut.MinimumAmount), number(t, tt.arrived))
				if got.Cmp(want.Quo(want, big.NewInt(100))) != 0 {
					t.Errorf("arrived %s, want %s", got, want)
				}
			}
		})
	}
}

func TestAStuckTransferArrivesOnceItIsFreed(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	me := demo.DeriveKey("test", t.Name()).Address()
	ape := coin(t, w, "APE", apes)
	set(t, w, "relay-stuck")
	req := ask(w, coin(t, w, "ETH", ethereum), ape, big.NewInt(1e17))
	req["recipient"] = me.Hex()
	q := quote(t, w, req)
	execute(t, w, q)
	for range 5 {
		if st := status(t, w, q); st.Status != "pending" || st.TxHashes != nil {
			t.Fatalf("stuck: %+v", st)
		}
	}
	other := quote(t, w, req)
	if st := status(t, w, other); st.Status != "waiting" {
		t.Errorf("another one: %+v", st)
	}
	set(t, w, "relay-other-status")
	if st := status(t, w, other); st.Status != "success" || st.InTxHashes[0] == status(t, w, q).TxHashes[0] {
		t.Errorf("of another: %+v", st)
	}
	w.ClearFaults()
	until(t, w, q, is("success"))
	if got := balance(t, w, ape, me); got.String() != q.Details.CurrencyOut.Amount {
		t.Errorf("arrived %s", got)
	}
}

func TestWhatIsNotAsQuotedGoesBack(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	eth, ape := coin(t, w, "ETH", ethereum), coin(t, w, "APE", apes)
	me := demo.DeriveKey("test", t.Name()).Address()
	for _, refundTo := range []string{me.Hex(), ""} {
		req := ask(w, eth, ape, big.NewInt(1e17))
		req["refundTo"], req["recipient"] = refundTo, me.Hex()
		q := quote(t, w, req)
		q.Steps[0].Items[0].Data.Value = "5000"
		execute(t, w, q)
		st := until(t, w, q, is("refund", "failure"))
		if want := map[bool]string{true: "failure", false: "refund"}[refundTo == ""]; st.Status != want {
			t.Errorf("refund to %q: %+v", refundTo, st)
		}
	}
	if got := balance(t, w, eth, me); got.Int64() != 5000 {
		t.Errorf("refunded %s", got)
	}
	if got := balance(t, w, ape, me); got.Sign() != 0 {
		t.Errorf("arrived %s", got)
	}
}

// TestNobodyHasToAsk: the bridge pays by itself.
func TestNobodyHasToAsk(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	me, ape := demo.DeriveKey("test", t.Name()).Address(), coin(t, w, "APE", apes)
	req := ask(w, coin(t, w, "ETH", ethereum), ape, big.NewInt(1e17))
	req["recipient"] = me.Hex()
	execute(t, w, quote(t, w, req))
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 4000 {
		if balance(t, w, ape, me).Sign() > 0 {
			return
		}
		<-tick.C
	}
	t.Error("nothing arrived")
}

func TestFailuresOfTheServer(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	for _, tt := range []struct {
		fault  string
		status int
		says   string
		drops  bool
	}{
		{fault: "relay-rate-limit=7", status: 429, says: "RATE_LIMITED"},
		{fault: "relay-http", status: 500, says: "UNKNOWN_ERROR"},
		{fault: "relay-http=503", status: 503, says: "UNKNOWN_ERROR"},
		{fault: "relay-http=7", status: 500, says: "UNKNOWN_ERROR"},
		{fault: "relay-bad-key", status: 401, says: "UNAUTHORIZED"},
		{fault: "relay-html", status: 200, says: "<!DOCTYPE html>"},
		{fault: "relay-truncated", status: 200, says: `{"chains":[`},
		{fault: "relay-endless", status: 200, says: "aaaa"},
		{fault: "relay-redirect", status: 307, says: "MOVED"},
		{fault: "relay-wait=1ms", status: 200, says: `"depository"`},
		{fault: "relay-reset", drops: true},
	} {
		set(t, w, tt.fault)
		code, header, body, err := fetch(t, http.MethodGet, w.RelayURL()+"/chains", nil)
		if tt.drops {
			if err == nil {
				t.Errorf("%s: answered %d", tt.fault, code)
			}
			continue
		}
		if err != nil || code != tt.status || !bytes.Contains(body, []byte(tt.says)) {
			t.Errorf("%s: %d %.100s, %v", tt.fault, code, body, err)
		}
		if tt.fault == "relay-rate-limit=7" && header.Get("Retry-After") != "7" {
			t.Error("no Retry-After")
		}
		if tt.fault == "relay-truncated" && json.Valid(body) {
			t.Error("the cut answer is whole")
		}
	}
}
