package units

import (
	"fmt"

	"github.com/holiman/uint256"
)

// BPS is a share in basis points: 1 is 0.01 %, 10000 is the whole.
type BPS uint32

// WholeBPS is 100 %.
const WholeBPS BPS = 10_000

// Of returns the share of w, rounded up (a cost) or down (a proceed) to a base
// unit. The product is computed in 512 bits; a share over the whole that does
// not fit 256 bits is held at 2^256-1, which no cap lets through.
func (b BPS) Of(w Wei, roundUp bool) Wei {
	whole, share := uint256.NewInt(uint64(WholeBPS)), uint256.NewInt(uint64(b))
	var q Wei
	if _, over := q.n.MulDivOverflow(&w.n, share, whole); over {
		q.n.SetAllOne()
		return q
	}
	if roundUp && !new(uint256.Int).MulMod(&w.n, share, whole).IsZero() {
		up, err := q.Add(FromUint64(1))
		if err != nil {
			return q
		}
		return up
	}
	return q
}

// String returns the share in percent, for people: 250 is "2.5%".
func (b BPS) String() string { return fmt.Sprintf("%s%%", FromUint64(uint64(b)).Decimal(2)) }
