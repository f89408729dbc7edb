package torture_test

import (
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// books are what a vault's ledger of one currency should say, kept here with
// numbers that can't overflow, by another way than the vault's.
type books struct {
	held, in     *big.Int   // what is there; all that ever came
	written, got []*big.Int // what the vault wrote down of a member; what it got
	fair         bool       // nothing ever shrank by itself: the shares hold exactly
	shares       []*big.Int
	totalShares  *big.Int
	currency     string
}

func newBooks(currency string, shares []*big.Int) *books {
	b := &books{held: new(big.Int), in: new(big.Int), fair: true, shares: shares, totalShares: new(big.Int), currency: currency}
	for _, s := range shares {
		b.totalShares.Add(b.totalShares, s)
		b.written, b.got = append(b.written, new(big.Int)), append(b.got, new(big.Int))
	}
	return b
}

func sum(of []*big.Int) *big.Int {
	total := new(big.Int)
	for _, v := range of {
		total.Add(total, v)
	}
	return total
}

var most = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))

func least(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// share is a member's part of an amount, rounded down.
func (b *books) share(i int, of *big.Int) *big.Int {
	part := new(big.Int).Mul(of, b.shares[i])
	return part.Quo(part, b.totalShares)
}

// pending is what a member is due: its share of what is there and was paid,
// without what it got, and never more than is there.
func (b *books) pending(i int) *big.Int {
	received := least(new(big.Int).Add(b.held, sum(b.written)), most)
	due := b.share(i, received)
	if due.Sub(due, b.written[i]); due.Sign() < 0 {
		return new(big.Int)
	}
	return least(due, b.held)
}

// hold what has to be true at any time.
func (b *books) hold(t testing.TB) {
	t.Helper()
	if paid := sum(b.got); paid.Cmp(b.in) > 0 {
		t.Fatalf("%s: %s was paid, and %s came in", b.currency, paid, b.in)
	}
	if all := new(big.Int).Add(sum(b.got), b.held); b.fair && all.Cmp(b.in) != 0 {
		t.Fatalf("%s: %s came in, and %s is there or was paid", b.currency, b.in, all)
	}
	for i := range b.shares {
		if b.fair && b.got[i].Cmp(b.share(i, b.in)) > 0 {
			t.Fatalf("%s: member %d got %s of %s with %s of %s shares", b.currency, i, b.got[i], b.in, b.shares[i], b.totalShares)
		}
	}
}

// program is bytes that say what happens to a vault; when they end, zeros.
type program struct{ rest []byte }

func (p *program) next() byte {
	if len(p.rest) == 0 {
		return 0
	}
	b := p.rest[0]
	p.rest = p.rest[1:]
	return b
}

// amount is one of any magnitude below 2^bits: small ones, ones near a power of
// two, and others.
func (p *program) amount(bits uint) *big.Int {
	v := big.NewInt(int64(p.next()))
	v.Lsh(v, uint(p.next())%bits)
	v.Add(v, big.NewInt(int64(p.next())))
	v.Sub(v, big.NewInt(1))
	v.Abs(v)
	limit := new(big.Int).Lsh(big.NewInt(1), bits)
	return v.Mod(v, limit)
}

// play runs a program against a vault and the books.
func play(t testing.TB, text []byte) {
	p := &program{rest: text}
	w := newWorld(t, nil)
	rich := common.HexToAddress("0x123456")
	w.fund(rich, new(uint256.Int).Lsh(uint256.NewInt(1), 254))

	var who members
	var shares parts
	for i := range 1 + int(p.next())%6 {
		who = append(who, common.BigToAddress(big.NewInt(int64(0x777000+i))))
		s := p.amount(252)
		if s.Sign() == 0 {
			s.SetInt64(1)
		}
		shares = append(shares, s)
	}
	v, tok := w.deploy(vault, who, shares), w.deploy(hostileToken)
	native, token := newBooks("native", shares), newBooks("token", shares)
	mode := honest

	look := func() {
		t.Helper()
		native.hold(t)
		token.hold(t)
		if held := w.balance(v).ToBig(); held.Cmp(native.held) != 0 {
			t.Fatalf("the vault has %s, not %s", held, native.held)
		}
		for i, m := range who {
			if got := view[*big.Int](w, v, "pendingNative", m); got.Cmp(native.pending(i)) != 0 {
				t.Fatalf("pendingNative of %d is %s, not %s", i, got, native.pending(i))
			}
			if got := view[*big.Int](w, v, "pendingToken", tok, m); got.Cmp(token.pending(i)) != 0 {
				t.Fatalf("pendingToken of %d is %s, not %s", i, got, token.pending(i))
			}
		}
	}
	releaseNative := func(i int) {
		t.Helper()
		due := native.pending(i)
		before := w.balance(who[i]).ToBig()
		r := w.call(mallory, v, "releaseNative", who[i])
		if due.Sign() == 0 {
			r.fails(vault, "NothingToRelease", who[i])
			return
		}
		r.ok()
		got := new(big.Int).Sub(w.balance(who[i]).ToBig(), before)
		if got.Cmp(due) != 0 {
			t.Fatalf("member %d got %s, not %s", i, got, due)
		}
		native.written[i].Add(native.written[i], got)
		native.got[i].Add(native.got[i], got)
		native.held.Sub(native.held, got)
	}
	releaseToken := func(i int) {
		t.Helper()
		due := token.pending(i)
		before, had := view[*big.Int](w, tok, "held", v), view[*big.Int](w, tok, "held", who[i])
		r := w.call(mallory, v, "releaseToken", tok, who[i])
		after, has := view[*big.Int](w, tok, "held", v), view[*big.Int](w, tok, "held", who[i])
		left, got := new(big.Int).Sub(before, after), new(big.Int).Sub(has, had)
		if r.err != nil {
			if due.Sign() == 0 {
				r.fails(vault, "NothingToRelease", who[i])
			} else if mode == honest && had.Cmp(new(big.Int).Sub(most, due)) <= 0 {
				t.Fatalf("%s is due to member %d, who can't get it: %s", due, i, w.reason(r.ret))
			}
			if left.Sign() != 0 || got.Sign() != 0 {
				t.Fatalf("it failed, and %s left", left)
			}
			return
		}
		if due.Sign() == 0 {
			t.Fatalf("%s left to member %d, who is due nothing", left, i)
		}
		written := due
		if left.Cmp(due) > 0 {
			written = left
		}
		if left.Cmp(got) != 0 || left.Cmp(due) != 0 {
			token.fair = false
		}
		token.written[i].Add(token.written[i], written)
		token.got[i].Add(token.got[i], got)
		token.held.Sub(token.held, left)
		if now := view[*big.Int](w, v, "releasedToken", tok, who[i]); now.Cmp(token.written[i]) != 0 {
			t.Fatalf("releasedToken of %d is %s, not %s", i, now, token.written[i])
		}
	}

	for range min(len(p.rest), 200) {
		if len(p.rest) == 0 {
			break
		}
		op := p.next()
		i := int(op>>4) % len(who)
		switch op % 8 {
		case 0, 1:
			a := p.amount(240)
			w.pay(rich, v, uint256.MustFromBig(a)).ok()
			native.held.Add(native.held, a)
			native.in.Add(native.in, a)
		case 2:
			releaseNative(i)
		case 3, 4: // tokens come in
			a := least(p.amount(256), new(big.Int).Sub(most, token.held))
			token.held.Add(token.held, a)
			token.in.Add(token.in, a)
			w.call(carol, tok, "set", v, token.held).ok()
		case 5:
			releaseToken(i)
		case 6: // the balance shrinks by itself
			a := least(p.amount(256), token.held)
			if a.Sign() > 0 {
				token.fair = false
			}
			token.held.Sub(token.held, a)
			w.call(carol, tok, "set", v, token.held).ok()
		case 7:
			mode = []uint8{honest, honest, feeOffTop, feeOnTop, movesOneLess, movesHalf, mints, returnsNothing}[i%8]
			w.call(carol, tok, "setTransfer", mode).ok()
			mode = map[bool]uint8{true: honest, false: mode}[mode == returnsNothing]
		}
		look()
	}
	// In the end everybody takes what is theirs: less than a unit each is left.
	for i := range who {
		releaseNative(i)
	}
	look()
	if native.held.Cmp(big.NewInt(int64(len(who)))) >= 0 {
		t.Fatalf("%s is left for nobody", native.held)
	}
	if token.fair && sum(token.written).Cmp(most) < 0 && new(big.Int).Add(token.held, sum(token.written)).Cmp(most) < 0 && mode == honest {
		for i := range who {
			releaseToken(i)
		}
		if token.held.Cmp(big.NewInt(int64(len(who)))) >= 0 {
			t.Fatalf("%s tokens are left for nobody", token.held)
		}
	}
}

// FuzzVault looks for deposits, releases and tricks of a token after which
// members can take what is not theirs, or can't take what is.
func FuzzVault(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{2, 1, 0, 1, 3, 0, 1, 0, 200, 3, 7, 2, 18, 2})
	f.Add([]byte{1, 255, 251, 255, 255, 251, 255, 3, 255, 255, 255, 5, 3, 255, 255, 255, 21, 5})
	f.Add([]byte{3, 1, 0, 1, 1, 0, 1, 1, 0, 1, 3, 100, 0, 0, 55, 5, 21, 6, 90, 0, 0, 37, 3, 9, 9, 9, 5})
	f.Fuzz(func(t *testing.T, text []byte) { play(t, text) })
}

// The same with programs grown from a seed, so that every run plays some.
func TestVaultArithmetic(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		var text []byte
		for block := uint64(0); len(text) < 192; block++ {
			h := sha256.Sum256(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, seed), block))
			text = append(text, h[:]...)
		}
		play(t, text)
	}
}
