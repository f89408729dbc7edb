package provider

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"

	"github.com/ape-claw/ape-claw/ai"
)

// readUsage reads what a step cost. What is missing or no number stays nil.
func readUsage(v json.RawMessage) ai.Usage {
	var w struct {
		Input   json.RawMessage `json:"prompt_tokens"`
		Output  json.RawMessage `json:"completion_tokens"`
		Details struct {
			Cached json.RawMessage `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		Hit  json.RawMessage `json:"prompt_cache_hit_tokens"` // DeepSeek
		Cost json.RawMessage `json:"cost"`                    // OpenRouter, in US dollars
	}
	if json.Unmarshal(v, &w) != nil {
		return ai.Usage{}
	}
	u := ai.Usage{Input: count(w.Input), Output: count(w.Output), CacheRead: count(w.Details.Cached), CostMicros: micros(w.Cost)}
	if u.CacheRead == nil {
		u.CacheRead = count(w.Hit)
	}
	return u
}

// maxCount is a number of tokens that no step has.
const maxCount = 1 << 40

func count(v json.RawMessage) *int64 {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil || n < 0 || n > maxCount {
		return nil
	}
	return &n
}

// dollars is a number as JSON writes it, small enough to be a price.
var dollars = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,30})?([eE][-+]?[0-9]{1,2})?$`)

// micros turns a number of dollars into millionths, rounded up.
func micros(v json.RawMessage) *int64 {
	if !dollars.Match(v) {
		return nil
	}
	r, ok := new(big.Rat).SetString(string(v))
	if !ok {
		return nil
	}
	return ceil(r.Mul(r, big.NewRat(1_000_000, 1)))
}

func ceil(r *big.Rat) *int64 {
	n, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	if !n.IsInt64() {
		return nil
	}
	i := n.Int64()
	return &i
}

// Price is what a million tokens cost, in millionths of a US dollar.
type Price struct {
	Input     int64 `json:"input"`
	CacheRead int64 `json:"cacheRead"` // of the input that was cached
	Output    int64 `json:"output"`
}

// Cost is what the tokens cost at a price, in millionths of a US dollar, rounded
// up. It is nil without a price, or where input or output were not told.
func Cost(u ai.Usage, p *Price) *int64 {
	if p == nil || u.Input == nil || u.Output == nil {
		return nil
	}
	var cached int64
	if u.CacheRead != nil {
		cached = min(*u.CacheRead, *u.Input)
	}
	sum := new(big.Int)
	for _, t := range [][2]int64{{*u.Input - cached, p.Input}, {cached, p.CacheRead}, {*u.Output, p.Output}} {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(t[0]), big.NewInt(t[1])))
	}
	return ceil(new(big.Rat).SetFrac(sum, big.NewInt(1_000_000)))
}

// Sum adds what two steps cost. What neither told stays nil; what only one told is
// that, a least amount.
func Sum(a, b ai.Usage) ai.Usage {
	return ai.Usage{Input: plus(a.Input, b.Input), Output: plus(a.Output, b.Output),
		CacheRead: plus(a.CacheRead, b.CacheRead), CostMicros: plus(a.CostMicros, b.CostMicros)}
}

func plus(a, b *int64) *int64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	n := *a + *b
	return &n
}
