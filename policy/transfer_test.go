package policy_test

import (
	"database/sql"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	transferPolicy = `{"bridge":{"maxBridgeFeeBps":100,"requireMinAmountOut":true},
	"execution":{"dailySpendCap":20,"autonomousMode":true,"windows":[{"days":["sun"],"from":"08:00","to":"18:00"}],
		"dailySpendCaps":{"1:native":1,"1:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48":{"amount":300,"decimals":6}}}}`
	depository = "0x4cd00e387622c35bddb9b4c962c136462338bc31"
	payer      = "0xf001000000000000000000000000000000000000"
)

func bps(n uint32) *units.BPS { b := units.BPS(n); return &b }

func account(s string) (a [20]byte) {
	b, _ := hex.DecodeString(s[2:])
	copy(a[:], b)
	return a
}

// sends are the transactions of a transfer of 0.5 ETH, or of 250 USDC.
func sends(t testing.TB, a policy.Asset) []policy.Tx {
	tx := policy.Tx{ChainID: 1, From: account(payer), To: account(depository), Data: []byte{4, 5}, FeeCap: amount(t, "0.01"), Key: "bridge:0x12:deposit"}
	if a.Token == policy.Native {
		tx.Value = amount(t, "0.5")
		return []policy.Tx{tx}
	}
	approve := policy.Tx{ChainID: 1, From: tx.From, To: account(a.Token), Data: []byte{1}, FeeCap: tx.FeeCap, Key: "bridge:0x12:approve"}
	return []policy.Tx{approve, tx}
}

// moving is a transfer that every gate of transferPolicy lets through.
func moving(t testing.TB, f policy.Fence, a policy.Asset) policy.Transfer {
	now := newClock().now()
	w := policy.Transfer{
		From: 1, To: 33139, FromName: "ethereum", ToName: "apechain", Account: payer, Recipient: payer, RefundTo: payer,
		Asset: a, Currency: "ETH", Decimals: 18, Amount: amount(t, "0.5"), FeeLimit: amount(t, "0.02"), FeeBPS: bps(100),
		Receives: "APE", ReceivesDecimals: 18, MinOut: amount(t, "900"), Floor: amount(t, "900"), Depository: depository, Pinned: true,
		Now: now, QuoteExpires: now.Add(time.Second), Simulation: policy.Simulation{State: policy.SimPassed},
	}
	if a.Token != policy.Native {
		w.Currency, w.Decimals, w.Amount = "USDC", 6, units.FromUint64(250_000_000)
	}
	for _, x := range sends(t, a) {
		w.Steps = append(w.Steps, policy.TransferStep{Target: "0x" + hex.EncodeToString(x.To[:]), Value: x.Value, Deposit: x.Data[0] == 4, Digest: digestOf(x)})
	}
	w.Confirm = w.Phrase()
	return usingT(w, f)
}

func usingT(w policy.Transfer, f policy.Fence) policy.Transfer {
	w.Spent = nil
	for _, l := range f.Policy.Limits(w.Scope()) {
		w.Spent = append(w.Spent, policy.Use{Limit: l})
	}
	return w
}

type transferRefusal struct {
	gate   string
	code   fault.Code
	change func(*policy.Fence, *policy.Transfer)
}

// eachTransfer has, for every gate, a transfer that this gate alone refuses.
func eachTransfer(t testing.TB) map[string]transferRefusal {
	type T = *policy.Transfer
	only := func(change func(T)) func(*policy.Fence, T) { return func(_ *policy.Fence, w T) { change(w) } }
	strange := "0x" + strings.Repeat("5", 40)
	return map[string]transferRefusal{
		"halted": {policy.GateHalt, fault.Halted, func(f *policy.Fence, _ T) { f.Halt = []string{"policy: stop"} }},
		"unreadable": {policy.GatePolicy, fault.PolicyInvalid, func(f *policy.Fence, _ T) {
			f.Err = fault.New(fault.PolicyInvalid, "policy.json:1:1: bad").Hintf("correct the file")
		}},
		"no policy": {policy.GatePolicy, fault.PolicyInvalid, func(f *policy.Fence, _ T) { f.Policy = nil }},
		"too early": {policy.GateWindow, fault.OutsideWindow, only(func(w T) {
			w.Now = w.Now.Add(-5 * time.Hour)
		})},
		"from nowhere":    {policy.GateRoute, fault.RouteNotAllowed, only(func(w T) { w.FromName = ""; w.Confirm = w.Phrase() })},
		"to another's":    {policy.GateRoute, fault.RouteNotAllowed, only(func(w T) { w.Recipient = strange })},
		"refund to other": {policy.GateRoute, fault.RouteNotAllowed, only(func(w T) { w.RefundTo = strange })},
		"refund nowhere":  {policy.GateRoute, fault.RouteNotAllowed, only(func(w T) { w.RefundTo = "" })},
		"from nobody":     {policy.GateRoute, fault.RouteNotAllowed, only(func(w T) { w.Account, w.Recipient, w.RefundTo = "", "", "" })},
		"to where it is":  {policy.GateRoute, fault.RouteNotAllowed, only(func(w T) { w.To = 1 })},
		"past the policy's chain": {policy.GateRoute, fault.RouteNotAllowed, only(func(w T) {
			w.To = 8453
		})},
		"nothing":            {policy.GateCurrency, fault.CurrencyNotAllowed, only(func(w T) { w.Amount = units.Wei{}; w.Confirm = w.Phrase() })},
		"other places":       {policy.GateCurrency, fault.CurrencyNotAllowed, only(func(w T) { w.Decimals = 17; w.Confirm = w.Phrase() })},
		"another depository": {policy.GateContract, fault.ContractNotAllowed, only(func(w T) { w.Pinned = false })},
		"no depository":      {policy.GateContract, fault.ContractNotAllowed, only(func(w T) { w.Depository = "" })},
		"a step elsewhere":   {policy.GateContract, fault.ContractNotAllowed, only(func(w T) { w.Steps[0].Target = strange })},
		"an extra step": {policy.GateContract, fault.ContractNotAllowed, only(func(w T) {
			w.Steps = append(w.Steps, policy.TransferStep{Target: depository})
		})},
		"two deposits": {policy.GateContract, fault.ContractNotAllowed, only(func(w T) { w.Steps = append(w.Steps, w.Steps[0]) })},
		"no steps":     {policy.GateContract, fault.ContractNotAllowed, only(func(w T) { w.Steps = nil })},
		"execution.contractAllowlist leaves it out": {policy.GateContract, fault.ContractNotAllowed, func(f *policy.Fence, _ T) {
			f.Policy.Execution.Contracts = []string{addrA}
		}},
		"the fee is not known": {policy.GateBridgeFee, fault.FeeOverLimit, only(func(w T) { w.FeeBPS = nil })},
		"250 bps of 100":       {policy.GateBridgeFee, fault.FeeOverLimit, only(func(w T) { w.FeeBPS = bps(250) })},
		"101 bps of 100":       {policy.GateBridgeFee, fault.FeeOverLimit, only(func(w T) { w.FeeBPS = bps(101) })},
		"no least amount":      {policy.GateMinimum, fault.MinimumNotMet, only(func(w T) { w.MinOut, w.Floor = units.Wei{}, units.Wei{} })},
		"less than was quoted": {policy.GateMinimum, fault.MinimumNotMet, only(func(w T) { w.MinOut = amount(t, "899.999999999999999999") })},
		"expired":              {policy.GateQuote, fault.QuoteExpired, only(func(w T) { w.QuoteExpires = w.Now })},
		"not simulated":        {policy.GateSimulation, fault.SimulationRequired, only(func(w T) { w.Simulation = policy.Simulation{} })},
		"would fail":           {policy.GateSimulation, fault.SimulationFailed, only(func(w T) { w.Simulation.State = policy.SimFailed })},
		"not confirmed":        {policy.GatePhrase, fault.ConfirmationMismatch, only(func(w T) { w.Confirm = "" })},
		"confirmed for more":   {policy.GatePhrase, fault.ConfirmationMismatch, only(func(w T) { w.Amount = amount(t, "0.51"); w.Steps[0].Value = w.Amount })},
		"autonomous and not allowed": {policy.GatePhrase, fault.PolicyBlocked, func(f *policy.Fence, w T) {
			f.Policy.Execution.AutonomousMode, w.Autonomous, w.Confirm = false, true, ""
		}},
		"autonomous and unbounded, there": {policy.GatePhrase, fault.PolicyBlocked, func(f *policy.Fence, w T) {
			f.Policy.Execution.SpendCaps[eth] = policy.SpendCap{Daily: policy.Cap{Unlimited: true}, Decimals: 18}
			w.Autonomous = true
			*w = usingT(*w, *f)
		}},
		"over the cap, by the gas":    {policy.GateSpend, fault.CapExceeded, only(func(w T) { w.Spent[0].Spent = amount(t, "0.480000000000000001") })},
		"nobody knows what was spent": {policy.GateSpend, fault.CapExceeded, only(func(w T) { w.Spent = nil })},
		"over the agent's cap": {policy.GateSpend, fault.CapExceeded, func(f *policy.Fence, w T) {
			c, most := f.Policy.Execution.SpendCaps[eth], capOf(t, "0.5")
			c.AgentDaily = &most
			f.Policy.Execution.SpendCaps[eth], w.Subject = c, "agent:bot"
			*w = usingT(*w, *f)
		}},
	}
}

func TestEachTransferGateAloneRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range eachTransfer(t) {
		f := fence(t, transferPolicy)
		w := moving(t, f, eth)
		if err := policy.DecideTransfer(policy.Execute, f, w).Refusal(); err != nil {
			t.Fatalf("%s: before the change: %v", name, err)
		}
		c.change(&f, &w)
		d := policy.DecideTransfer(policy.Execute, f, w)
		blocks := d.WouldBlock()
		if len(blocks) != 1 || blocks[0].Name != c.gate || blocks[0].Code != c.code || blocks[0].Reason == "" || blocks[0].Change == "" {
			t.Errorf("%s: %+v, want %s %s", name, blocks, c.gate, c.code)
		}
		if _, err := d.Authorize(sends(t, eth)[0], w.Now.Add(time.Minute)); fault.CodeOf(err) != c.code {
			t.Errorf("%s: authorized: %v", name, err)
		}
	}
}

// A currency without a cap can't leave, nor one whose chain's gas has none. The
// policy's own currency has its own cap.
func TestTransferCurrencies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy string
		asset  policy.Asset
		want   string // gates that refuse
	}{
		"ether":                  {transferPolicy, eth, ""},
		"a token":                {transferPolicy, usdcEth, ""},
		"no caps":                {`{"bridge":{"maxBridgeFeeBps":100},"execution":{"dailySpendCap":20}}`, eth, "currency spend"},
		"a token without a cap":  {`{"bridge":{"maxBridgeFeeBps":100},"execution":{"dailySpendCaps":{"1:native":1}}}`, usdcEth, "currency spend"},
		"gas without a cap":      {`{"bridge":{"maxBridgeFeeBps":100},"execution":{"dailySpendCaps":{"` + usdcEth.String() + `":{"amount":300,"decimals":6}}}}`, usdcEth, "currency spend"},
		"a cap of other places":  {`{"bridge":{"maxBridgeFeeBps":100},"execution":{"dailySpendCaps":{"1:native":1,"` + usdcEth.String() + `":{"amount":9000,"decimals":5}}}}`, usdcEth, "currency"},
		"a cap of nothing":       {`{"bridge":{"maxBridgeFeeBps":100},"execution":{"dailySpendCaps":{"1:native":0}}}`, eth, "spend"},
		"no fee allowed":         {`{"execution":{"dailySpendCaps":{"1:native":1}}}`, eth, "bridge-fee"},
		"another chain's ether":  {`{"bridge":{"maxBridgeFeeBps":100},"execution":{"dailySpendCaps":{"10:native":1}}}`, eth, "currency spend"},
		"lifted":                 {`{"bridge":{"maxBridgeFeeBps":100},"execution":{"dailySpendCaps":{"1:native":"unlimited"}}}`, eth, ""},
		"a policy of the origin": {`{"apechainChainId":1,"nativeGasToken":"ETH","bridge":{"maxBridgeFeeBps":100},"execution":{"dailySpendCap":1}}`, eth, ""},
	} {
		f := fence(t, c.policy)
		w := moving(t, f, c.asset)
		var got []string
		for _, g := range policy.DecideTransfer(policy.Execute, f, w).WouldBlock() {
			got = append(got, g.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q refuse, want %q", name, got, c.want)
		}
		// A quote needs no cap: nothing leaves by it.
		if err := policy.DecideTransfer(policy.Inspect, f, w).Refusal(); err != nil && c.want != "bridge-fee" {
			t.Errorf("%s: quoting is refused: %v", name, err)
		}
	}
}

func TestTransferPhrase(t *testing.T) {
	t.Parallel()
	f := fence(t, transferPolicy)
	if got := moving(t, f, usdcEth).Phrase(); got != "BRIDGE 250 USDC ethereum->apechain" {
		t.Errorf("%q", got)
	}
	w := moving(t, f, eth)
	w.Confirm, w.Autonomous = "", true
	if err := policy.DecideTransfer(policy.Execute, f, w).Refusal(); err != nil {
		t.Errorf("autonomous: %v", err)
	}
}

// A grant is for the next step alone: an approval reserves its fee, the deposit the
// amount too, each in its own currency.
func TestRedeemTransfer(t *testing.T) {
	t.Parallel()
	db, c := openMoney(t, t.TempDir()), newClock()
	l := policy.NewLedger(db, c.now)
	f := fence(t, transferPolicy)
	for _, asset := range []policy.Asset{eth, usdcEth} {
		w := moving(t, f, asset)
		txs := sends(t, asset)
		for i, x := range txs {
			g, err := policy.DecideTransfer(policy.Execute, f, w).Authorize(x, c.now().Add(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			if i+1 < len(txs) {
				if _, err := policy.DecideTransfer(policy.Execute, f, w).Authorize(txs[i+1], c.now().Add(time.Minute)); fault.CodeOf(err) != fault.UnsafeTransaction {
					t.Errorf("the deposit before its approval: %v", err)
				}
			}
			var rs []policy.Reservation
			if err := inTx(t.Context(), db, func(tx *sql.Tx) (err error) {
				if rs, err = l.Redeem(t.Context(), tx, g, x); err == nil {
					if _, again := l.Redeem(t.Context(), tx, g, x); fault.CodeOf(again) != fault.UnsafeTransaction {
						t.Errorf("used twice: %v", again)
					}
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if fee := rs[len(rs)-1]; fee.Asset != eth || fee.Kind != policy.KindFee || fee.Amount != x.FeeCap || fee.Account != payer || fee.Ref != x.Key {
				t.Errorf("%+v", fee)
			}
			if deposit := i == len(txs)-1; deposit && (len(rs) != 2 || rs[0].Asset != asset || rs[0].Kind != policy.KindPrice || rs[0].Amount != w.Amount) || !deposit && len(rs) != 1 {
				t.Errorf("%+v", rs)
			}
			w.Steps = w.Steps[1:]
		}
	}
	for a, want := range map[policy.Asset]string{eth: "530000000000000000", usdcEth: "250000000"} {
		if got, err := l.Spent(t.Context(), nil, a); err != nil || got.String() != want {
			t.Errorf("%v: %s %v", a, got, err)
		}
	}
	// The ledger refuses what the gate would have: 0.53 of 1 ETH is reserved.
	w := moving(t, f, eth)
	x := sends(t, eth)[0]
	x.Key = "bridge:0x13:deposit"
	g, err := policy.DecideTransfer(policy.Execute, f, w).Authorize(x, c.now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if err := inTx(t.Context(), db, func(tx *sql.Tx) error { _, err := l.Redeem(t.Context(), tx, g, x); return err }); fault.CodeOf(err) != fault.CapExceeded ||
		!strings.Contains(err.Error(), "ETH on chain 1") {
		t.Errorf("%v", err)
	}
}

func TestAuthorizeTransfer(t *testing.T) {
	t.Parallel()
	f := fence(t, transferPolicy)
	w := moving(t, f, eth)
	for name, change := range map[string]func(*policy.Tx){
		"chain":   func(x *policy.Tx) { x.ChainID = 33139 },
		"account": func(x *policy.Tx) { x.From[19]++ },
		"to":      func(x *policy.Tx) { x.To[19]++ },
		"value":   func(x *policy.Tx) { x.Value = amount(t, "0.4") },
		"data":    func(x *policy.Tx) { x.Data = []byte{4, 6} },
		"no data": func(x *policy.Tx) { x.Data = nil },
		"fee cap": func(x *policy.Tx) { x.FeeCap = amount(t, "0.020000000000000001") },
		"no key":  func(x *policy.Tx) { x.Key = "" },
	} {
		x := sends(t, eth)[0]
		change(&x)
		if _, err := policy.DecideTransfer(policy.Execute, f, w).Authorize(x, w.Now.Add(time.Minute)); fault.CodeOf(err) != fault.UnsafeTransaction {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A step that would send along something else than the amount is granted nothing.
	x := sends(t, eth)[0]
	x.Value = amount(t, "0.6")
	w.Steps[0] = policy.TransferStep{Target: depository, Value: x.Value, Deposit: true, Digest: digestOf(x)}
	if _, err := policy.DecideTransfer(policy.Execute, f, w).Authorize(x, w.Now.Add(time.Minute)); fault.CodeOf(err) != fault.UnsafeTransaction {
		t.Errorf("more than the amount: %v", err)
	}
	// Nor one of another account than the funds come back to, whatever its digest says.
	w, x = moving(t, f, eth), sends(t, eth)[0]
	x.From[19]++
	w.Steps[0].Digest = digestOf(x)
	if _, err := policy.DecideTransfer(policy.Execute, f, w).Authorize(x, w.Now.Add(time.Minute)); fault.CodeOf(err) != fault.UnsafeTransaction {
		t.Errorf("another account: %v", err)
	}
	w = moving(t, f, eth)
	if _, err := policy.DecideTransfer(policy.DryRun, f, w).Authorize(sends(t, eth)[0], w.Now.Add(time.Minute)); fault.CodeOf(err) != fault.PolicyBlocked {
		t.Errorf("a dry run: %v", err)
	}
}
