package seaport

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The functions that fulfil one order. Every other one is refused.
const (
	FnBasicEfficient = "fulfillBasicOrder_efficient_6GL6yc"
	FnBasic          = "fulfillBasicOrder"
	FnAdvanced       = "fulfillAdvancedOrder"
	FnOrder          = "fulfillOrder"
)

// Transaction is the marketplace's proposal: a function and its arguments as
// JSON. Its calldata, if it sent any, is not part of it: we encode our own.
type Transaction struct {
	Function  string          // name, with or without its argument types
	ChainID   int64           // the chain it claims to be for
	To        string          // contract address
	Value     units.Wei       // native currency to send
	InputData json.RawMessage // named arguments
	Suffix    []byte          // attribution after the arguments: none, or four bytes
}

// Call is the exact call to make.
type Call struct {
	ChainID int64
	To      common.Address
	Value   units.Wei
	Data    []byte
}

// SuffixLen is the length of the attribution that may follow the arguments.
const SuffixLen = 4

// Build encodes the proposed call. It checks that the arguments are complete
// and well formed, not that they are what was quoted: that is Verify's, on the
// bytes. Failures are fault.UnsafeTransaction.
func Build(t Transaction) (Call, error) {
	if !common.IsHexAddress(t.To) || !strings.HasPrefix(t.To, "0x") {
		return Call{}, unsafe("to", "the marketplace's transaction goes to %s, expected a 20-byte address", excerpt([]byte(fmt.Sprintf("%q", t.To))))
	}
	data, err := encode(t.Function, t.InputData)
	if err != nil {
		return Call{}, err
	}
	// More than an attribution could smuggle arguments past a reader that
	// believes the head of the calldata.
	if n := len(t.Suffix); n != 0 && n != SuffixLen {
		return Call{}, differs("calldata_suffix", fmt.Sprintf("%d bytes", n), "four bytes or none")
	}
	return Call{ChainID: t.ChainID, To: common.HexToAddress(t.To), Value: t.Value, Data: append(data, t.Suffix...)}, nil
}

func encode(function string, input json.RawMessage) ([]byte, error) {
	name, _, _ := strings.Cut(function, "(")
	args, failed := newFields("input_data", input)
	var data []byte
	var err error
	switch name {
	case FnBasicEfficient, FnBasic:
		key := "parameters"
		if !args.has(key) && args.has("basicOrderParameters") {
			key = "basicOrderParameters" // how older answers called it
		}
		p := basicParameters(args.object(key))
		data, err = contractABI().Pack(name, p)
	case FnAdvanced:
		o := args.object("advancedOrder")
		order := AdvancedOrder{
			Parameters: orderParameters(o.object("parameters")), Numerator: o.number("numerator"),
			Denominator: o.number("denominator"), Signature: o.bytes("signature"), ExtraData: o.bytes("extraData"),
		}
		if n := len(args.list("criteriaResolvers")); n > 0 {
			return nil, differs("criteriaResolvers", n, "none")
		}
		data, err = contractABI().Pack(name, order, []CriteriaResolver{}, args.bytes32("fulfillerConduitKey"), args.address("recipient"))
	case FnOrder:
		o := args.object("order")
		order := Order{Parameters: orderParameters(o.object("parameters")), Signature: o.bytes("signature")}
		data, err = contractABI().Pack(name, order, args.bytes32("fulfillerConduitKey"))
	default:
		return nil, differs("function", excerpt([]byte(name)), "one that fulfils a single order")
	}
	if *failed != nil {
		return nil, unsafe("input_data", "the marketplace's arguments for %s are malformed: %s", name, *failed)
	}
	if err != nil {
		return nil, unsafe("input_data", "the marketplace's arguments for %s can't be encoded", name)
	}
	return data, nil
}

func basicParameters(f fields) BasicOrderParameters {
	p := BasicOrderParameters{
		ConsiderationToken: f.address("considerationToken"), ConsiderationIdentifier: f.number("considerationIdentifier"),
		ConsiderationAmount: f.number("considerationAmount"), Offerer: f.address("offerer"), Zone: f.address("zone"),
		OfferToken: f.address("offerToken"), OfferIdentifier: f.number("offerIdentifier"), OfferAmount: f.number("offerAmount"),
		BasicOrderType: f.small("basicOrderType"), StartTime: f.number("startTime"), EndTime: f.number("endTime"),
		ZoneHash: f.bytes32("zoneHash"), Salt: f.number("salt"),
		OffererConduitKey: f.bytes32("offererConduitKey"), FulfillerConduitKey: f.bytes32("fulfillerConduitKey"),
		TotalOriginalAdditionalRecipients: f.number("totalOriginalAdditionalRecipients"),
		AdditionalRecipients:              []AdditionalRecipient{}, Signature: f.bytes("signature"),
	}
	for _, r := range f.list("additionalRecipients") {
		p.AdditionalRecipients = append(p.AdditionalRecipients, AdditionalRecipient{Amount: r.number("amount"), Recipient: r.address("recipient")})
	}
	return p
}

func orderParameters(f fields) OrderParameters {
	p := OrderParameters{
		Offerer: f.address("offerer"), Zone: f.address("zone"), OrderType: f.small("orderType"),
		StartTime: f.number("startTime"), EndTime: f.number("endTime"), ZoneHash: f.bytes32("zoneHash"),
		Salt: f.number("salt"), ConduitKey: f.bytes32("conduitKey"),
		TotalOriginalConsiderationItems: f.number("totalOriginalConsiderationItems"),
		Offer:                           []OfferItem{}, Consideration: []ConsiderationItem{},
	}
	for _, o := range f.list("offer") {
		p.Offer = append(p.Offer, OfferItem{
			ItemType: o.small("itemType"), Token: o.address("token"), IdentifierOrCriteria: o.number("identifierOrCriteria"),
			StartAmount: o.number("startAmount"), EndAmount: o.number("endAmount"),
		})
	}
	for _, c := range f.list("consideration") {
		p.Consideration = append(p.Consideration, ConsiderationItem{
			ItemType: c.small("itemType"), Token: c.address("token"), IdentifierOrCriteria: c.number("identifierOrCriteria"),
			StartAmount: c.number("startAmount"), EndAmount: c.number("endAmount"), Recipient: c.address("recipient"),
		})
	}
	return p
}

// unsafe is a refusal with its own sentence; field names what was wrong.
func unsafe(field, format string, args ...any) *fault.Error {
	return fault.New(fault.UnsafeTransaction, format, args...).With("field", field).
		Hintf("nothing was signed; quote again: ape-claw nft quote")
}

// differs is a refusal because a field is not what it has to be.
func differs(field string, got, want any) *fault.Error {
	return unsafe(field, "the marketplace's transaction is not what was quoted: %s is %v, expected %v", field, got, want).
		With("got", fmt.Sprint(got)).With("want", fmt.Sprint(want))
}

// sum adds amounts without a bound: the caller compares before it narrows.
func sum(amounts ...*big.Int) *big.Int {
	total := new(big.Int)
	for _, a := range amounts {
		total.Add(total, a)
	}
	return total
}
