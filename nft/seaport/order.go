package seaport

import (
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/crypto"
)

// Item types of Seaport (ConsiderationEnums.sol) that this package handles.
const (
	ItemNative = 0
	ItemERC721 = 2
)

// Order types of Seaport (ConsiderationEnums.sol).
const (
	FullOpen          = 0
	PartialOpen       = 1
	FullRestricted    = 2
	PartialRestricted = 3
)

const (
	offerItemType         = "OfferItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount)"
	considerationItemType = "ConsiderationItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount,address recipient)"
	orderComponentsType   = "OrderComponents(address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter)" +
		considerationItemType + offerItemType // EIP-712: referenced types follow in alphabetical order
	domainType = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)

// typeHashes holds the keccak of each EIP-712 type, computed once when needed.
var typeHashes = sync.OnceValue(func() (h struct{ offer, consideration, order, domain common.Hash }) {
	h.offer = crypto.Keccak256Hash([]byte(offerItemType))
	h.consideration = crypto.Keccak256Hash([]byte(considerationItemType))
	h.order = crypto.Keccak256Hash([]byte(orderComponentsType))
	h.domain = crypto.Keccak256Hash([]byte(domainType))
	return h
})

// words builds the encoding that EIP-712 hashes: 32 bytes a member.
type words []byte

func (w *words) hash(h common.Hash) { *w = append(*w, h[:]...) }

func (w *words) address(a common.Address) { w.hash(common.BytesToHash(a[:])) }

func (w *words) small(v uint8) { w.hash(common.BytesToHash([]byte{v})) }

// number appends v as a uint256; nil is zero. Larger values wrap, as they
// would in the EVM: what reads untrusted numbers refuses them before.
func (w *words) number(v *big.Int) {
	if v == nil {
		v = new(big.Int)
	}
	w.hash(common.BytesToHash(math.U256Bytes(new(big.Int).Set(v))))
}

func (w words) sum() common.Hash { return crypto.Keccak256Hash(w) }

// OrderHash returns the EIP-712 struct hash of c: what Seaport, its events and
// the marketplace call the order hash.
func OrderHash(c OrderComponents) common.Hash {
	types := typeHashes()
	var offer, consideration, order words
	for _, item := range c.Offer {
		var w words
		w.hash(types.offer)
		w.small(item.ItemType)
		w.address(item.Token)
		w.number(item.IdentifierOrCriteria)
		w.number(item.StartAmount)
		w.number(item.EndAmount)
		offer.hash(w.sum())
	}
	for _, item := range c.Consideration {
		var w words
		w.hash(types.consideration)
		w.small(item.ItemType)
		w.address(item.Token)
		w.number(item.IdentifierOrCriteria)
		w.number(item.StartAmount)
		w.number(item.EndAmount)
		w.address(item.Recipient)
		consideration.hash(w.sum())
	}
	order.hash(types.order)
	order.address(c.Offerer)
	order.address(c.Zone)
	order.hash(offer.sum())
	order.hash(consideration.sum())
	order.small(c.OrderType)
	order.number(c.StartTime)
	order.number(c.EndTime)
	order.hash(c.ZoneHash)
	order.number(c.Salt)
	order.hash(c.ConduitKey)
	order.number(c.Counter)
	return order.sum()
}

// SigningDigest returns the 32 bytes an offerer signs for c on one chain and
// one Seaport contract.
func SigningDigest(c OrderComponents, chainID int64, verifying common.Address) common.Hash {
	var domain words
	domain.hash(typeHashes().domain)
	domain.hash(crypto.Keccak256Hash([]byte(domainName)))
	domain.hash(crypto.Keccak256Hash([]byte(domainVersion)))
	domain.number(big.NewInt(chainID))
	domain.address(verifying)
	separator, order := domain.sum(), OrderHash(c)
	return crypto.Keccak256Hash([]byte{0x19, 0x01}, separator[:], order[:])
}

// Parameters returns the order as fulfillOrder and fulfillAdvancedOrder take
// it: the components without the counter, with the number of signed payments.
func Parameters(c OrderComponents) OrderParameters {
	return OrderParameters{
		Offerer: c.Offerer, Zone: c.Zone, Offer: c.Offer, Consideration: c.Consideration,
		OrderType: c.OrderType, StartTime: c.StartTime, EndTime: c.EndTime, ZoneHash: c.ZoneHash,
		Salt: c.Salt, ConduitKey: c.ConduitKey,
		TotalOriginalConsiderationItems: big.NewInt(int64(len(c.Consideration))),
	}
}

// Components returns the signed order that p and counter stand for. Payments
// past TotalOriginalConsiderationItems were not signed and are left out; a
// count beyond the list leaves the list as it is.
func Components(p OrderParameters, counter *big.Int) OrderComponents {
	signed := p.Consideration
	if n := p.TotalOriginalConsiderationItems; n != nil && n.IsInt64() && n.Int64() >= 0 && n.Int64() < int64(len(signed)) {
		signed = signed[:n.Int64()]
	}
	return OrderComponents{
		Offerer: p.Offerer, Zone: p.Zone, Offer: p.Offer, Consideration: signed,
		OrderType: p.OrderType, StartTime: p.StartTime, EndTime: p.EndTime, ZoneHash: p.ZoneHash,
		Salt: p.Salt, ConduitKey: p.ConduitKey, Counter: counter,
	}
}

// Basic returns c, an order of one ERC-721 for native currency whose first
// payment goes to the offerer, in the form fulfillBasicOrder takes.
func Basic(c OrderComponents, signature []byte) BasicOrderParameters {
	item, first := c.Offer[0], c.Consideration[0]
	p := BasicOrderParameters{
		ConsiderationToken: first.Token, ConsiderationIdentifier: first.IdentifierOrCriteria, ConsiderationAmount: first.StartAmount,
		Offerer: c.Offerer, Zone: c.Zone,
		OfferToken: item.Token, OfferIdentifier: item.IdentifierOrCriteria, OfferAmount: item.StartAmount,
		BasicOrderType: c.OrderType, // native to ERC-721 is route 0: the basic type is the order type
		StartTime:      c.StartTime, EndTime: c.EndTime, ZoneHash: c.ZoneHash, Salt: c.Salt,
		OffererConduitKey:                 c.ConduitKey,
		TotalOriginalAdditionalRecipients: big.NewInt(int64(len(c.Consideration) - 1)),
		AdditionalRecipients:              []AdditionalRecipient{},
		Signature:                         signature,
	}
	for _, r := range c.Consideration[1:] {
		p.AdditionalRecipients = append(p.AdditionalRecipients, AdditionalRecipient{Amount: r.StartAmount, Recipient: r.Recipient})
	}
	return p
}
