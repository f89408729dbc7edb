package bridge_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestJudgeTakesWhatWasAsked(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		r, err := bridge.Judge(f.ask, depository, encode(t, f.answer))
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		if why := wrongPayment(f.ask, r); why != "" || len(r.Steps) != len(f.answer["steps"].(list)) {
			t.Errorf("%s: %s: %+v", f.name, why, r)
		}
		if r.RequestID != requestHex || r.FeeBPS != 10 || r.MinOut != f.ask.Floor || r.Out.Symbol != "APE" || r.In.Decimals != f.ask.InPlaces {
			t.Errorf("%s: %+v", f.name, r)
		}
	}
}

// wrongPayment says what a route would pay otherwise than was asked, by a reading of
// its bytes that shares nothing with the judge.
func wrongPayment(a bridge.Ask, r bridge.Route) string {
	if len(r.Steps) == 0 {
		return "no steps"
	}
	native := a.In == bridge.Native
	for i, s := range r.Steps {
		data, to := hex.EncodeToString(s.Data), strings.ToLower(s.To.Hex())
		if i < len(r.Steps)-1 {
			want := []string{"095ea7b3" + pad(depositoryHex) + number(a.Amount.String())}
			if i < len(r.Steps)-2 {
				want = []string{"095ea7b3" + pad(depositoryHex) + number("0")}
			}
			if native || to != usdcHex || !s.Value.IsZero() || !slices.Contains(want, data) {
				return fmt.Sprintf("approval %d: %s %s %s", i, to, s.Value, data)
			}
			continue
		}
		want, value := "e8017952"+pad(ownerHex)+pad(usdcHex)+number(a.Amount.String()), "0"
		if native {
			want, value = "49290c1c"+pad(ownerHex), a.Amount.String()
		}
		if to != depositoryHex || s.Value.String() != value || data != want+r.OrderID.Hex()[2:] {
			return fmt.Sprintf("deposit: %s %s %s", to, s.Value, data)
		}
	}
	switch {
	case r.AmountIn != a.Amount, r.In.ChainID != a.From, r.In.Address != a.In, r.Out.ChainID != a.To, r.Out.Address != a.Out:
		return "other funds"
	case r.MinOut.Cmp(a.Floor) < 0, a.NeedsMin && r.MinOut.IsZero():
		return "a lower least amount"
	case r.OrderID.Hex() != orderHex && r.OrderID.Hex() != requestHex:
		return "another order"
	}
	return ""
}

// What real bridges, broken ones and thieves answer, each refused with its reason.
func TestJudgeRefuses(t *testing.T) {
	t.Parallel()
	unlimited := strings.Repeat("f", 64)
	for name, c := range map[string]struct {
		of     int // fixture
		change func(t *testing.T, a object)
		code   fault.Code
		says   string
	}{
		"an unlimited approval": {1, func(t *testing.T, a object) {
			put(a, "0x095ea7b3"+pad(depositoryHex)+unlimited, "steps", 0, "items", 0, "data", "data")
		}, fault.UnsafeTransaction, "approval is not of exactly the amount"},
		"an approval for another": {1, func(t *testing.T, a object) {
			put(a, "0x095ea7b3"+pad(strangerHex)+number("250000000"), "steps", 0, "items", 0, "data", "data")
		}, fault.UnsafeTransaction, "approval is for " + strangerHex},
		"an approval of ether": {0, func(t *testing.T, a object) {
			a["steps"] = append(list{step("approve", item(ownerHex, usdcHex, "0", "0x095ea7b3"+pad(depositoryHex)+number("1")))}, a["steps"].(list)...)
		}, fault.UnsafeTransaction, "needs none"},
		"an approval alone": {1, func(t *testing.T, a object) { a["steps"] = a["steps"].(list)[:1] }, fault.UnsafeTransaction, "does not end with a deposit"},
		"the deposit first": {1, func(t *testing.T, a object) { slices.Reverse(a["steps"].(list)) }, fault.UnsafeTransaction, "does not end with a deposit"},
		"two deposits":      {0, func(t *testing.T, a object) { a["steps"] = append(a["steps"].(list), at(a, "steps", 0)) }, fault.UnsafeTransaction, "one deposit"},
		"only a reset": {1, func(t *testing.T, a object) {
			put(a, "0x095ea7b3"+pad(depositoryHex)+number("0"), "steps", 0, "items", 0, "data", "data")
		}, fault.UnsafeTransaction, "exact approval"},
		"an extra step": {0, func(t *testing.T, a object) {
			a["steps"] = append(a["steps"].(list), step("send", item(ownerHex, strangerHex, "1", "0x")))
		}, fault.UnsafeTransaction, `step "send" is not known`},
		"a signature":         {0, func(t *testing.T, a object) { put(a, "signature", "steps", 0, "kind") }, fault.UnsafeTransaction, "asks for a signature"},
		"an authorisation":    {0, func(t *testing.T, a object) { put(a, "authorize1", "steps", 0, "id") }, fault.UnsafeTransaction, `step "authorize1" is not known`},
		"a swap":              {0, func(t *testing.T, a object) { put(a, "swap", "steps", 0, "id") }, fault.UnsafeTransaction, `step "swap" is not known`},
		"an unknown contract": {0, func(t *testing.T, a object) { put(a, strangerHex, "steps", 0, "items", 0, "data", "to") }, fault.UnsafeTransaction, "only " + depositoryHex + " is known"},
		"an unknown function": {0, func(t *testing.T, a object) { put(a, "0xcd6e13f7"+pad("1"), "steps", 0, "items", 0, "data", "data") }, fault.UnsafeTransaction, "0xcd6e13f7"},
		"more than was asked": {0, func(t *testing.T, a object) { put(a, "500000000000000001", "steps", 0, "items", 0, "data", "value") }, fault.UnsafeTransaction, "sends along 500000000000000001"},
		"value with a token":  {1, func(t *testing.T, a object) { put(a, "1", "steps", 1, "items", 0, "data", "value") }, fault.UnsafeTransaction, "sends along 1"},
		"for another depositor": {0, func(t *testing.T, a object) {
			put(a, "0x49290c1c"+pad(strangerHex)+orderHex[2:], "steps", 0, "items", 0, "data", "data")
		}, fault.UnsafeTransaction, "not the one for this order"},
		"for another order": {0, func(t *testing.T, a object) {
			put(a, "0x49290c1c"+pad(ownerHex)+otherHex[2:], "steps", 0, "items", 0, "data", "data")
		}, fault.UnsafeTransaction, "not the one for this order"},
		"bytes after the call": {0, func(t *testing.T, a object) {
			put(a, "0x49290c1c"+pad(ownerHex)+orderHex[2:]+"00", "steps", 0, "items", 0, "data", "data")
		}, fault.UnsafeTransaction, "not the one for this order"},
		"a dirty address": {0, func(t *testing.T, a object) {
			put(a, "0x49290c1c01"+pad(ownerHex)[2:]+orderHex[2:], "steps", 0, "items", 0, "data", "data")
		}, fault.UnsafeTransaction, "not the one for this order"},
		"another recipient": {0, func(t *testing.T, a object) { put(a, strangerHex, "details", "recipient") }, fault.UnsafeTransaction, "recipient"},
		"another payee in it": {0, func(t *testing.T, a object) {
			put(a, strangerHex, "protocol", "v2", "orderData", "output", "payments", 0, "recipient")
		}, fault.UnsafeTransaction, "order's recipient"},
		"another's refund": {0, func(t *testing.T, a object) {
			put(a, strangerHex, "protocol", "v2", "orderData", "inputs", 0, "refunds", 0, "recipient")
		}, fault.UnsafeTransaction, "order's refund"},
		"refund to another":     {0, func(t *testing.T, a object) { put(a, strangerHex, "details", "refundTo") }, fault.UnsafeTransaction, "refund"},
		"calls over there":      {0, func(t *testing.T, a object) { put(a, list{"0x00"}, "protocol", "v2", "orderData", "output", "calls") }, fault.UnsafeTransaction, "makes calls on the other chain"},
		"another currency out":  {0, func(t *testing.T, a object) { put(a, usdcHex, "details", "currencyOut", "currency", "address") }, fault.UnsafeTransaction, "what arrives"},
		"another chain out":     {0, func(t *testing.T, a object) { put(a, 33111, "details", "currencyOut", "currency", "chainId") }, fault.UnsafeTransaction, "chain 33111"},
		"another currency in":   {1, func(t *testing.T, a object) { put(a, strangerHex, "details", "currencyIn", "currency", "address") }, fault.UnsafeTransaction, "what leaves"},
		"other places":          {1, func(t *testing.T, a object) { put(a, 18, "details", "currencyIn", "currency", "decimals") }, fault.UnsafeTransaction, "6 places"},
		"too many places":       {1, func(t *testing.T, a object) { put(a, 255, "details", "currencyOut", "currency", "decimals") }, fault.UnsafeTransaction, "places"},
		"other places there":    {0, func(t *testing.T, a object) { put(a, 15, "details", "currencyOut", "currency", "decimals") }, fault.UnsafeTransaction, "15 places"},
		"another sender":        {0, func(t *testing.T, a object) { put(a, strangerHex, "steps", 0, "items", 0, "data", "from") }, fault.UnsafeTransaction, "sent by"},
		"another chain to sign": {0, func(t *testing.T, a object) { put(a, 8453, "steps", 0, "items", 0, "data", "chainId") }, fault.UnsafeTransaction, "chain 8453"},
		"done already":          {0, func(t *testing.T, a object) { put(a, "complete", "steps", 0, "items", 0, "status") }, fault.UnsafeTransaction, "already"},
		"a deposit address":     {0, func(t *testing.T, a object) { put(a, strangerHex, "steps", 0, "depositAddress") }, fault.UnsafeTransaction, "address of its own"},
		"two requests":          {1, func(t *testing.T, a object) { put(a, otherHex, "steps", 1, "requestId") }, fault.UnsafeTransaction, "two requests"},
		"no request":            {0, func(t *testing.T, a object) { put(a, nil, "steps", 0, "requestId") }, fault.UnsafeTransaction, "request id"},
		"no steps":              {0, func(t *testing.T, a object) { a["steps"] = list{} }, fault.UnsafeTransaction, "no steps"},
		"a least amount below": {0, func(t *testing.T, a object) {
			put(a, "915999999999999999999", "details", "currencyOut", "minimumAmount")
		}, fault.MinimumNotMet, "no less than"},
		"a least amount of 0": {0, func(t *testing.T, a object) { put(a, "0", "details", "currencyOut", "minimumAmount") }, fault.MinimumNotMet, "no least amount"},
		"no least amount":     {0, func(t *testing.T, a object) { put(a, nil, "details", "currencyOut", "minimumAmount") }, fault.MinimumNotMet, "no least amount"},
		"less in the order": {0, func(t *testing.T, a object) {
			put(a, "1", "protocol", "v2", "orderData", "output", "payments", 0, "minimumAmount")
		}, fault.UnsafeTransaction, "pays otherwise"},
		"paid elsewhere": {0, func(t *testing.T, a object) { put(a, strangerHex, "protocol", "v2", "paymentDetails", "depository") }, fault.UnsafeTransaction, "paid otherwise"},
		"no relayer fee": {0, func(t *testing.T, a object) { put(a, nil, "fees", "relayer") }, fault.FeeOverLimit, "lacks the relayer fee"},
		"no app fee":     {0, func(t *testing.T, a object) { put(a, nil, "fees", "app") }, fault.FeeOverLimit, "lacks the app fee"},
		"no fees":        {0, func(t *testing.T, a object) { delete(a, "fees") }, fault.FeeOverLimit, "lacks the relayer fee"},
		"a fee without a price": {0, func(t *testing.T, a object) {
			put(a, usdcHex, "fees", "relayer", "currency", "address")
			put(a, nil, "fees", "relayer", "amountUsd")
		}, fault.FeeOverLimit, "price is missing"},
		"a fee of no amount": {0, func(t *testing.T, a object) { put(a, nil, "fees", "relayer", "amount") }, fault.FeeOverLimit, "lacks the relayer fee"},
		"a fee that costs 0 dollars": {0, func(t *testing.T, a object) {
			put(a, usdcHex, "fees", "relayer", "currency", "address")
			put(a, "0", "fees", "relayer", "amountUsd")
		}, fault.FeeOverLimit, "price is missing"},
		"an amount with a point": {0, func(t *testing.T, a object) { put(a, 0.5, "details", "currencyIn", "amount") }, fault.UnsafeTransaction, "can't be read"},
		"a negative amount":      {0, func(t *testing.T, a object) { put(a, "-500000000000000000", "details", "currencyIn", "amount") }, fault.UnsafeTransaction, "was asked"},
		"too large a number":     {0, func(t *testing.T, a object) { put(a, strings.Repeat("9", 90), "steps", 0, "items", 0, "data", "value") }, fault.UnsafeTransaction, "can't be read"},
	} {
		f := fixtures(t)[c.of]
		a := clone(t, f.answer)
		c.change(t, a)
		_, err := bridge.Judge(f.ask, depository, encode(t, a))
		if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) || fault.From(err).Sent != fault.SentNo {
			t.Errorf("%s: %v; want %s, %q", name, err, c.code, c.says)
		}
	}
}

// Numbers are strings or numbers, and mean the same.
func TestJudgeReadsBothSpellings(t *testing.T) {
	t.Parallel()
	f := fixtures(t)[1]
	a := clone(t, f.answer)
	put(a, "1", "steps", 0, "items", 0, "data", "chainId")
	put(a, 0, "steps", 0, "items", 0, "data", "value")
	put(a, "0x0", "steps", 1, "items", 0, "data", "value")
	put(a, 250000000, "details", "currencyIn", "amount")
	put(a, "33139", "details", "currencyOut", "currency", "chainId")
	put(a, "6", "details", "currencyIn", "currency", "decimals")
	put(a, strings.ToUpper(ownerHex[2:]), "x")
	put(a, "0x"+strings.ToUpper(ownerHex[2:]), "details", "recipient")
	if r, err := bridge.Judge(f.ask, depository, encode(t, a)); err != nil || wrongPayment(f.ask, r) != "" {
		t.Errorf("%+v %v", r, err)
	}
}

func TestFeeInBasisPoints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(a object)
		want   units.BPS
	}{
		"as it is":     {func(object) {}, 10},
		"rounded up":   {func(a object) { put(a, "500000000000001", "fees", "relayer", "amount") }, 11},
		"250 of 10000": {func(a object) { put(a, "12500000000000000", "fees", "relayer", "amount") }, 250},
		"both":         {func(a object) { put(a, "500000000000000", "fees", "app", "amount") }, 20},
		"nothing":      {func(a object) { put(a, "0", "fees", "relayer", "amount") }, 0},
		"subsidised":   {func(a object) { put(a, "-7", "fees", "relayer", "amount"); put(a, "1", "fees", "app", "amount") }, 1},
		"in dollars": {func(a object) {
			put(a, usdcHex, "fees", "relayer", "currency", "address")
			put(a, "0.1", "fees", "relayer", "amountUsd")
		}, 80},
		"a bit more": {func(a object) {
			put(a, usdcHex, "fees", "relayer", "currency", "address")
			put(a, "0.10000000000000000001", "fees", "relayer", "amountUsd")
		}, 80},
		"dollar numbers": {func(a object) {
			put(a, 33139, "fees", "relayer", "currency", "chainId")
			put(a, 0.100001, "fees", "relayer", "amountUsd")
		}, 81},
		"all of it": {func(a object) { put(a, "500000000000000000", "fees", "relayer", "amount") }, 10000},
		"beyond":    {func(a object) { put(a, strings.Repeat("9", 70), "fees", "relayer", "amount") }, 1<<32 - 1},
	} {
		f := fixtures(t)[0]
		a := clone(t, f.answer)
		c.change(a)
		if r, err := bridge.Judge(f.ask, depository, encode(t, a)); err != nil || r.FeeBPS != c.want {
			t.Errorf("%s: %d %v, want %d", name, r.FeeBPS, err, c.want)
		}
	}
}

// paths lists every place of a document.
func paths(v any, prefix []any) (out [][]any) {
	each := func(k, child any) {
		p := append(slices.Clone(prefix), k)
		out = append(append(out, p), paths(child, p)...)
	}
	switch v := v.(type) {
	case object:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			each(k, v[k])
		}
	case list:
		for i, child := range v {
			each(i, child)
		}
	}
	return out
}

// few is how many values are tried at each place: enough for thousands of mutants in
// seconds. The fuzz target goes on from there.
const few = 6

// Every place of every honest answer, changed to values of a few dozen, and many
// places at once: what is taken pays exactly what was asked, and nothing else.
func TestMutants(t *testing.T) {
	t.Parallel()
	values := list{nil, "", "0", "1", 0, 1, -1, "-1", "500000000000000000", "500000000000000001", "250000000", "250000001", strings.Repeat("9", 78), "1e18", "0x", "0xff", true, list{}, object{},
		strangerHex, zeroHex, usdcHex, ownerHex, depositoryHex, "0x" + strings.ToUpper(strangerHex[2:]), requestHex, orderHex, otherHex, 8453, "33139", "signature", "send", "swap", "approve", "deposit", "complete",
		"0x095ea7b3" + pad(depositoryHex) + strings.Repeat("f", 64), "0x095ea7b3" + pad(strangerHex) + number("250000000"), "0xa9059cbb" + pad(strangerHex) + number("250000000"),
		"0x49290c1c" + pad(strangerHex) + orderHex[2:], "0x49290c1c" + pad(ownerHex) + otherHex[2:], "0xe8017952" + pad(ownerHex) + pad(usdcHex) + number("250000001") + orderHex[2:]}
	tried, taken := 0, 0
	judge := func(f fixture, a object, what string) {
		tried++
		r, err := bridge.Judge(f.ask, depository, encode(t, a))
		if err != nil {
			if c := fault.CodeOf(err); c != fault.UnsafeTransaction && c != fault.FeeOverLimit && c != fault.MinimumNotMet {
				t.Errorf("%s, %s: %v", f.name, what, err)
			}
			return
		}
		taken++
		if why := wrongPayment(f.ask, r); why != "" {
			t.Errorf("%s, %s: %s", f.name, what, why)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range fixtures(t) {
		all := paths(f.answer, nil)
		for _, p := range all {
			for _, i := range r.Perm(len(values))[:few] {
				v := values[i]
				a := clone(t, f.answer)
				put(a, v, p...)
				judge(f, a, fmt.Sprint(p, " = ", v))
			}
		}
		for range 300 {
			a := clone(t, f.answer)
			var what []string
			for range 2 + r.IntN(3) {
				now := paths(a, nil)
				p, v := now[r.IntN(len(now))], values[r.IntN(len(values))]
				put(a, v, p...)
				what = append(what, fmt.Sprint(p, " = ", v))
			}
			judge(f, a, strings.Join(what, "; "))
		}
	}
	t.Logf("%d mutants, %d taken and harmless", tried, taken)
	if tried < 1000 || taken == 0 {
		t.Errorf("%d mutants, %d taken", tried, taken)
	}
}

func FuzzJudge(f *testing.F) {
	for _, x := range fixtures(f) {
		f.Add(encode(f, x.answer))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, x := range fixtures(t)[:2] {
			if r, err := bridge.Judge(x.ask, depository, b); err == nil {
				r.OrderID = [32]byte{} // any order may be named
				for i := range r.Steps {
					if d := r.Steps[i].Data; r.Steps[i].Kind == bridge.StepDeposit {
						copy(d[len(d)-32:], make([]byte, 32))
					}
				}
				if why := wrongPayment(x.ask, r); why != "another order" {
					t.Errorf("%s: %s", b, why)
				}
			}
		}
	})
}
