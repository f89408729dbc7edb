package connection

import (
	"math/big"
	"time"

	"github.com/ape-claw/ape-claw/ai"
)

// Caps bound a connection for a day (UTC); 0 is no cap.
type Caps struct {
	TokensPerDay int64 `json:"tokensPerDay,omitempty"`
	TurnsPerDay  int64 `json:"turnsPerDay,omitempty"`
	// CostMicrosPerDay is in millionths of a US dollar, by the operator's prices.
	CostMicrosPerDay int64 `json:"costMicrosPerDay,omitempty"`
}

// Price is what a million tokens cost, in millionths of a US dollar.
type Price struct {
	InputMicros  int64 `json:"inputMicros"`
	OutputMicros int64 `json:"outputMicros"`
}

// AnyModel is the price of a model that has none of its own.
const AnyModel = "*"

// Prices are the operator's, by model.
type Prices map[string]Price

// Usage is what a connection used on a day. Unknown counts the steps whose usage
// the provider did not tell: each counts as UnknownStep tokens against the caps.
type Usage struct {
	Day        string `json:"day"` // 2006-01-02, UTC
	Turns      int64  `json:"turns"`
	Input      int64  `json:"input"`
	Output     int64  `json:"output"`
	Unknown    int64  `json:"unknown"`
	CostMicros int64  `json:"costMicros"`
}

// UnknownStep is how many tokens a step of unknown usage counts as: more than most
// steps have, so that a provider that tells nothing is capped early rather than
// never. A quarter of it counts as output.
const UnknownStep = 16_000

// Tokens is the day's tokens, those of unknown steps estimated.
func (u Usage) Tokens() int64 { return add(add(u.Input, u.Output), mul(u.Unknown, UnknownStep)) }

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// of is the price of a model; ok is false when the table has none.
func (p Prices) of(model string) (Price, bool) {
	if v, ok := p[model]; ok {
		return v, true
	}
	v, ok := p[AnyModel]
	return v, ok
}

// dearest is the highest price of the table, for a step of an unknown model.
func (p Prices) dearest() (Price, bool) {
	var out Price
	for _, v := range p {
		out.InputMicros, out.OutputMicros = max(out.InputMicros, v.InputMicros), max(out.OutputMicros, v.OutputMicros)
	}
	return out, len(p) > 0
}

// perMillion is the tokens that a price is for.
const perMillion = 1_000_000

// cost is what tokens cost, rounded up.
func (p Price) cost(input, output int64) int64 {
	sum := new(big.Int).Mul(big.NewInt(max(input, 0)), big.NewInt(p.InputMicros))
	sum.Add(sum, new(big.Int).Mul(big.NewInt(max(output, 0)), big.NewInt(p.OutputMicros)))
	sum.Add(sum, big.NewInt(perMillion-1)).Div(sum, big.NewInt(perMillion))
	if !sum.IsInt64() {
		return most
	}
	return sum.Int64()
}

// costOf is what a step cost: as the provider says, else by the prices; nil when
// nobody knows.
func (p Prices) costOf(model string, u ai.Usage) *int64 {
	if u.CostMicros != nil {
		return u.CostMicros
	}
	price, ok := p.of(model)
	if model == "" && !ok {
		price, ok = p.dearest()
	}
	if !ok || u.Input == nil || u.Output == nil {
		return nil
	}
	c := price.cost(*u.Input, *u.Output)
	return &c
}

// most is where sums stop: a provider that tells absurd numbers fills a cap and
// overflows nothing.
const most = int64(1) << 50

func add(a, b int64) int64 {
	a, b = min(max(a, 0), most), min(max(b, 0), most)
	return min(a+b, most)
}

func mul(a, b int64) int64 {
	if a > most/b {
		return most
	}
	return max(a, 0) * b
}

// charged is what a step adds to the day's cost: what the provider or the price
// table says, else, by the dearest price, what its tokens would cost, those of a
// step of unknown usage estimated; 0 without prices, which a cap of cost needs.
func (p Prices) charged(u ai.Usage) int64 {
	if u.CostMicros != nil {
		return add(*u.CostMicros, 0)
	}
	price, ok := p.dearest()
	if !ok {
		return 0
	}
	if u.Input == nil || u.Output == nil {
		return price.cost(UnknownStep*3/4, UnknownStep/4)
	}
	return add(price.cost(*u.Input, *u.Output), 0)
}
