// Package demo makes up the sandbox's little economy: three collections, their
// sellers, and the orders they signed. All of it follows from a seed: the same
// options give the same addresses, prices and order hashes.
package demo

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// What a world has when the options don't say otherwise.
const (
	DefaultSeed     = "ape-claw"
	DefaultTokens   = 100
	DefaultListings = 40
	maxListings     = 1000 // each collection; more would make the start slow
)

// FeeBPS is the marketplace's share of a price.
const FeeBPS units.BPS = 100

// When orders start and end: fixed, since the order hash covers both. The end
// is 2099-12-31T23:59:59Z.
const (
	orderStart = devchain.GenesisTime
	orderEnd   = 4_102_444_799
)

// Options say what world to make. The zero value is the default world.
type Options struct {
	Seed     string    // "": DefaultSeed
	ChainID  int64     // 0: devchain.ChainID
	Tokens   int       // of each collection; 0: DefaultTokens, or Listings if that is more
	Listings int       // of each collection; 0: DefaultListings
	Price    units.Wei // of every listing; zero: various prices
	Balance  units.Wei // of the buyer; zero: 1000 APE
}

// Collection is one demo collection.
type Collection struct {
	Slug        string
	Name        string
	Symbol      string
	Single      string // one token's name, before its number
	Glyph       string // the figure in its pictures
	Description string
	Royalty     units.BPS
	Floor       units.Wei // the least price that various prices start from

	Address common.Address
	Seller  Key            // holds every token at first, and lists them
	Creator common.Address // receives the royalty
	Tokens  int
}

// Order is a listing as its seller signed it.
type Order struct {
	Hash       common.Hash
	Slug       string
	Token      common.Address
	TokenID    *big.Int
	Price      units.Wei // the sum of the consideration
	Components seaport.OrderComponents
	Signature  []byte
}

// World is everything that follows from the options. It is not changed later.
type World struct {
	Options     Options
	Collections []Collection
	Orders      []Order // collection by collection, in listing order
	Buyer       Key     // the profile's account
	Faucet      Key     // funds other accounts
}

// collections returns what is fixed about the demo collections.
func collections() []Collection {
	ape := func(s string) units.Wei {
		w, err := units.Parse(s, units.APEDecimals)
		if err != nil {
			panic(err) // a constant below is misspelt
		}
		return w
	}
	return []Collection{
		{Slug: "demo-apes", Name: "Demo Apes", Symbol: "DAPE", Single: "Demo Ape", Glyph: "🦍", Royalty: 500, Floor: ape("4"),
			Description: "A hundred apes who live on your machine, hold a banana or better, and are always for sale."},
		{Slug: "pocket-bananas", Name: "Pocket Bananas", Symbol: "PEEL", Single: "Pocket Banana", Glyph: "🍌", Royalty: 250, Floor: ape("0.5"),
			Description: "Small change with a peel. The floor is half an APE, so practise here first."},
		{Slug: "moon-gorillas", Name: "Moon Gorillas", Symbol: "MOON", Single: "Moon Gorilla", Glyph: "🌝", Royalty: 750, Floor: ape("25"),
			Description: "Too big for the jungle. Some cost more than your policy allows, and that is the point."},
	}
}

// New makes a world. It fails with fault.Usage when the options make none.
func New(opt Options) (*World, error) {
	if err := opt.complete(); err != nil {
		return nil, err
	}
	w := &World{Options: opt, Buyer: DeriveKey(opt.Seed, "buyer"), Faucet: DeriveKey(opt.Seed, "faucet")}
	for _, c := range collections() {
		// Addresses of contracts don't follow the seed: an allowlist that was
		// written once fits every world.
		h := digest("collection", c.Slug)
		c.Address = common.BytesToAddress(h[:])
		c.Seller = DeriveKey(opt.Seed, "seller/"+c.Slug)
		c.Creator = DeriveKey(opt.Seed, "creator/"+c.Slug).Address()
		c.Tokens = opt.Tokens
		w.Collections = append(w.Collections, c)
		if err := w.list(&c); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (o *Options) complete() error {
	if o.Seed == "" {
		o.Seed = DefaultSeed
	}
	if o.ChainID == 0 {
		o.ChainID = devchain.ChainID
	}
	if o.Listings == 0 {
		o.Listings = DefaultListings
	}
	if o.Listings < 0 || o.Listings > maxListings {
		return fault.New(fault.Usage, "%d listings: expected 1 to %d a collection", o.Listings, maxListings)
	}
	if o.Tokens == 0 {
		o.Tokens = max(DefaultTokens, o.Listings)
	}
	if o.Tokens < o.Listings || o.Tokens > maxListings {
		return fault.New(fault.Usage, "%d tokens for %d listings: expected %d to %d", o.Tokens, o.Listings, o.Listings, maxListings)
	}
	if o.Balance.IsZero() {
		b, err := units.FromUint64(1000).Mul(1e18)
		if err != nil {
			return err
		}
		o.Balance = b
	}
	return nil
}

// Collection returns a collection by its slug.
func (w *World) Collection(slug string) (*Collection, bool) {
	for i := range w.Collections {
		if w.Collections[i].Slug == slug {
			return &w.Collections[i], true
		}
	}
	return nil, false
}

// list signs the listings of one collection.
func (w *World) list(c *Collection) error {
	draw := newDraws(w.Options.Seed, c.Slug)
	for n, id := range draw.pick(c.Tokens, w.Options.Listings) {
		price := w.Options.Price
		if price.IsZero() {
			var err error
			if price, err = draw.price(c.Floor, n == 0); err != nil {
				return err
			}
		}
		o, err := NewOrder(c, w.Options.ChainID, Terms{TokenID: id, Price: price, Salt: w.Options.Seed})
		if err != nil {
			return err
		}
		w.Orders = append(w.Orders, o)
	}
	return nil
}

// draws are the choices of one collection, always the same for a seed. Only the
// generator's raw output is used, which Go promises not to change.
type draws struct{ src *rand.ChaCha8 }

func newDraws(seed, slug string) draws {
	return draws{rand.NewChaCha8(digest("draws", seed, slug))}
}

// below returns a number in [0, n). The bias of the remainder is of no account.
func (d draws) below(n uint64) uint64 { return d.src.Uint64() % n }

// pick returns k of the token ids 1 to n, in a drawn order.
func (d draws) pick(n, k int) []uint64 {
	ids := make([]uint64, n)
	for i := range ids {
		ids[i] = uint64(i) + 1
	}
	for i := range k {
		j := i + int(d.below(uint64(n-i)))
		ids[i], ids[j] = ids[j], ids[i]
	}
	return ids[:k]
}

// price draws a price: many near the floor, few far above it (up to nine times),
// all multiples of a ten-thousandth APE. The first of a collection is the floor.
func (d draws) price(floor units.Wei, first bool) (units.Wei, error) {
	const step = 1e14 // 0.0001 APE in wei
	r := d.below(1000)
	if first {
		return floor, nil
	}
	// floor * (1 + 8 r³), r in [0, 1)
	extra, err := floor.Mul(8 * r * r * r)
	if err != nil {
		return units.Wei{}, err
	}
	rounded := new(big.Int).Div(extra.Big(), big.NewInt(1e9))
	rounded.Div(rounded, big.NewInt(step)).Mul(rounded, big.NewInt(step))
	more, err := units.FromBig(rounded)
	if err != nil {
		return units.Wei{}, err
	}
	return floor.Add(more)
}

// salt makes orders of one seller for one token differ.
func salt(seed string, token common.Address, id uint64) *big.Int {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], id)
	h := digest("salt", seed, token.Hex(), string(n[:]))
	return new(big.Int).SetBytes(h[:16])
}

// TokenName is what a token is called.
func (c *Collection) TokenName(id uint64) string { return fmt.Sprintf("%s #%d", c.Single, id) }
