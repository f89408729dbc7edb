// Package faults holds what the sandbox's servers do wrong on purpose: the
// failures and the frauds that a client of a marketplace and of a node must
// survive. They are asked for by name, on the command line or by a test.
package faults

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Name is the name of a fault.
type Name string

// Failures of the marketplace's server.
const (
	RateLimit     Name = "rate-limit"
	RateLimitBare Name = "rate-limit-bare"
	Status        Name = "status"
	HTML          Name = "html"
	Truncated     Name = "truncated"
	Slow          Name = "slow"
	Reset         Name = "reset"
	BadKey        Name = "bad-key"
	Quota         Name = "quota"
	FulfilQuota   Name = "fulfil-quota"
	GzipBomb      Name = "gzip-bomb"
	Redirect      Name = "redirect"
	Renamed       Name = "renamed"
	WrongContract Name = "wrong-contract"
)

// Odd listings.
const (
	WAPE           Name = "wape"
	SixDecimals    Name = "six-decimals"
	ERC1155        Name = "erc1155"
	Dutch          Name = "dutch"
	English        Name = "english"
	Private        Name = "private"
	Restricted     Name = "restricted"
	Inactive       Name = "inactive"
	FlatPrice      Name = "flat-price"
	HighPrice      Name = "high-price"
	LowPrice       Name = "low-price"
	OtherContract  Name = "other-contract"
	NoSignature    Name = "no-signature"
	Expired        Name = "expired"
	Future         Name = "future"
	Criteria       Name = "criteria"
	Lookalike      Name = "lookalike"
	NumberPrice    Name = "number-price"
	RepeatedCursor Name = "repeated-cursor"
	CursorCycle    Name = "cursor-cycle"
	EndlessPages   Name = "endless-pages"
)

// Tampered and unusual fulfilments.
const (
	Gone            Name = "gone"
	Cancelled       Name = "cancelled"
	Relisted        Name = "relisted"
	Repriced        Name = "repriced"
	Advanced        Name = "advanced"
	PlainOrder      Name = "plain-order"
	StringNumbers   Name = "string-numbers"
	HexNumbers      Name = "hex-numbers"
	Attribution     Name = "attribution"
	TamperToken     Name = "tamper-token"
	TamperContract  Name = "tamper-contract"
	TamperRecipient Name = "tamper-recipient"
	TamperPrice     Name = "tamper-price"
	TamperPayee     Name = "tamper-payee"
	TamperOrder     Name = "tamper-order"
	TamperApproval  Name = "tamper-approval"
	TamperTarget    Name = "tamper-target"
	TamperValue     Name = "tamper-value"
	TamperSuffix    Name = "tamper-suffix"
	TamperMatch     Name = "tamper-match"
	TamperAvailable Name = "tamper-available"
	TamperChain     Name = "tamper-chain"
	TamperConduit   Name = "tamper-conduit"
	TamperZone      Name = "tamper-zone"
	TamperSignature Name = "tamper-signature"
	TamperExpiry    Name = "tamper-expiry"
	TamperEncoding  Name = "tamper-encoding"
)

// Failures of the node.
const (
	RPCDown         Name = "rpc-down"
	RPCSlow         Name = "rpc-slow"
	RPCChainID      Name = "rpc-chain-id"
	RPCLostResponse Name = "rpc-lost-response"
	RPCNoReceipt    Name = "rpc-no-receipt"
	RPCNoMining     Name = "rpc-no-mining"
	RPCHang         Name = "rpc-hang"
	RPCIndexing     Name = "rpc-indexing"
	RPCOtherReceipt Name = "rpc-other-receipt"
	RPCUnderpriced  Name = "rpc-underpriced"
	RPCBaseFee      Name = "rpc-base-fee"
	RPCReorg        Name = "rpc-reorg"
)

// Kind is one row of the catalogue.
type Kind struct {
	Name    Name
	Value   string // what the value means, "" when it takes none
	Default string
	Means   string
}

const (
	tokens  = "token ids, joined by +; none: all"
	percent = "percent of its price"
)

// Catalogue lists the faults of marketplace and node, in the order of the help
// text; those of the bridge follow in Relay.
var Catalogue = []Kind{
	{RateLimit, "seconds to wait", "1", "the marketplace answers 429 with Retry-After"},
	{RateLimitBare, "", "", "the marketplace answers 429 without Retry-After"},
	{Status, "HTTP status", "500", "the marketplace answers an error status"},
	{HTML, "", "", "the marketplace answers 200 with an HTML page"},
	{Truncated, "", "", "the marketplace's JSON is cut in half"},
	{Slow, "duration", "5s", "the marketplace waits before it answers"},
	{Reset, "", "", "the marketplace drops the connection"},
	{BadKey, "", "", "the marketplace refuses the API key"},
	{Quota, "requests/duration", "5/1m", "the marketplace serves so many requests in each window, says how many are left, and then 429"},
	{FulfilQuota, "requests/duration", "5/1m", "the same for fulfilments alone"},
	{GzipBomb, "", "", "the marketplace's answer is small, and 64 MiB when unpacked"},
	{Redirect, "", "", "the marketplace redirects to another host"},
	{Renamed, "", "", "the marketplace knows collections under another slug only: theirs and -renamed"},
	{WrongContract, "", "", "the marketplace says that collections have another contract"},

	{WAPE, tokens, "", "listings are priced in WAPE, an ERC-20"},
	{SixDecimals, tokens, "", "listings are priced in a currency of six decimals"},
	{ERC1155, tokens, "", "listings offer three of an ERC-1155 token"},
	{Dutch, tokens, "", "listings are auctions with a falling price"},
	{English, tokens, "", "listings are auctions with bids"},
	{Private, tokens, "", "listings are reserved for another buyer"},
	{Restricted, tokens, "", "listings are restricted by an unknown zone"},
	{Inactive, tokens, "", "cancelled listings stand among the active"},
	{FlatPrice, tokens, "", "prices have the older, flat shape"},
	{HighPrice, tokens, "", "listings cost 1 wei more than their order asks"},
	{LowPrice, tokens, "", "listings cost 1 wei less than their order asks"},
	{OtherContract, tokens, "", "listings are of another contract"},
	{NoSignature, tokens, "", "listings come without the order's signature"},
	{Expired, tokens, "", "listings whose order has ended stand among the active"},
	{Future, tokens, "", "listings whose order has not begun stand among the active"},
	{Criteria, tokens, "", "listings offer any token that fits criteria"},
	{Lookalike, tokens, "", "listings are of a contract whose address begins and ends as the collection's"},
	{NumberPrice, tokens, "", "prices are JSON numbers with an exponent"},
	{RepeatedCursor, "", "", "every page names the same next page"},
	{CursorCycle, "", "", "pages lead round in a circle of two"},
	{EndlessPages, "", "", "there is always one more page, and nothing on it"},

	{Gone, "HTTP status", "404", "the order is gone when its fulfilment is asked for"},
	{Cancelled, "", "", "the seller cancels the order when its fulfilment is asked for, and the marketplace has not noticed"},
	{Relisted, percent, "100", "the order is gone when its fulfilment is asked for: the seller has listed the token anew"},
	{Repriced, percent, "110", "the fulfilment is of a newer order of the same token, at another price"},
	{Advanced, "", "", "fulfilments use fulfillAdvancedOrder"},
	{PlainOrder, "", "", "fulfilments use fulfillOrder"},
	{StringNumbers, "", "", "numbers of a fulfilment are decimal strings"},
	{HexNumbers, "", "", "numbers of a fulfilment are 0x strings"},
	{Attribution, "", "", "fulfilments end in four bytes of attribution"},
	{TamperToken, "", "", "the fulfilment buys another token"},
	{TamperContract, "", "", "the fulfilment buys from another contract"},
	{TamperRecipient, "", "", "the fulfilment sends the token to another"},
	{TamperPrice, "", "", "the fulfilment costs 1 wei more"},
	{TamperPayee, "", "", "the fulfilment pays somebody the order doesn't name"},
	{TamperOrder, "", "", "the fulfilment buys another listed order"},
	{TamperApproval, "", "", "the fulfilment is an approval of all tokens"},
	{TamperTarget, "", "", "the fulfilment calls another contract"},
	{TamperValue, "", "", "the fulfilment sends 1 wei more than it pays"},
	{TamperSuffix, "", "", "the fulfilment's suffix holds more than an attribution"},
	{TamperMatch, "", "", "the fulfilment matches orders"},
	{TamperAvailable, "", "", "the fulfilment takes whatever orders are available"},
	{TamperChain, "", "", "the fulfilment is for another chain"},
	{TamperConduit, "", "", "the fulfilment names an unknown conduit"},
	{TamperZone, "", "", "the fulfilment names another zone"},
	{TamperSignature, "", "", "the fulfilment's signature is another order's"},
	{TamperExpiry, "", "", "the fulfilment's order has expired"},
	{TamperEncoding, "", "", "the fulfilment's arguments have ambiguous values"},

	{RPCDown, "", "", "the node answers 503"},
	{RPCSlow, "duration", "5s", "the node waits before it answers"},
	{RPCChainID, "chain id", "33139", "the node says it is another chain"},
	{RPCLostResponse, "", "", "the node takes a transaction and drops the connection"},
	{RPCNoReceipt, "", "", "the node knows no receipts"},
	{RPCNoMining, "", "", "transactions stay in the pool"},
	{RPCHang, "methods, joined by +; none: all", "", "the node never answers"},
	{RPCIndexing, "", "", "the node answers for receipts that transaction indexing is in progress"},
	{RPCOtherReceipt, "", "", "the node answers with another transaction's receipt"},
	{RPCUnderpriced, "", "", "the node refuses transactions as underpriced"},
	{RPCBaseFee, "factor", "10", "the base fee rises by this factor between what the node tells and what it takes"},
	{RPCReorg, "commands", "1", "the block of a purchase is taken back when the next command asks for the chain's id, and made again after so many more"},
}

// Set holds the faults in force. It is safe for concurrent use; its zero value
// is empty.
type Set struct {
	mu sync.Mutex
	on map[Name]*state
	// ethereum holds the faults of the second chain's node.
	ethereum *Set // guarded by mu
}

type state struct {
	value string
	left  int // how often it still happens; -1 always
}

// Set puts a fault in force: "name", "name=value", and either followed by "*N"
// for the next N times only; a node's with "ethereum/" in front is the second
// chain's node's. An unknown name is a fault.Usage.
func (s *Set) Set(spec string) error {
	if rest, other := strings.CutPrefix(spec, onEthereum); other {
		if err := Check(spec); err != nil {
			return err
		}
		return s.Ethereum().Set(rest)
	}
	name, st, err := parse(spec)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on == nil {
		s.on = map[Name]*state{}
	}
	s.on[name] = st
	return nil
}

// Check is Set without an effect.
func Check(spec string) error {
	rest, other := strings.CutPrefix(spec, onEthereum)
	name, _, err := parse(rest)
	if err == nil && other && !strings.HasPrefix(string(name), "rpc-") {
		return fault.New(fault.Usage, "fault %s is not a node's: %s takes those alone", name, onEthereum)
	}
	return err
}

func parse(spec string) (Name, *state, error) {
	head, count, limited := strings.Cut(spec, "*")
	name, value, given := strings.Cut(head, "=")
	kinds := slices.Concat(Catalogue, Relay)
	i := slices.IndexFunc(kinds, func(k Kind) bool { return string(k.Name) == name })
	if i < 0 {
		return "", nil, fault.New(fault.Usage, "there is no fault %q", name).
			Hintf("the faults are: %s", strings.Join(Names(), ", "))
	}
	k, st := kinds[i], &state{value: value, left: -1}
	if given && k.Value == "" {
		return "", nil, fault.New(fault.Usage, "fault %s takes no value, got %q", name, value)
	}
	if !given {
		st.value = k.Default
	}
	if err := checkValue(k, st.value); err != nil {
		return "", nil, err
	}
	if limited {
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 {
			return "", nil, fault.New(fault.Usage, "fault %s: %q is no number of times", name, count)
		}
		st.left = n
	}
	return k.Name, st, nil
}

func checkValue(k Kind, value string) error {
	var err error
	switch k.Name {
	case Slow, RPCSlow, RelayWait, RelaySlow:
		_, err = time.ParseDuration(value)
	case RateLimit, Status, RPCChainID, Gone, RPCReorg, RelayRateLimit, RelayHTTP, RelayRefunding:
		_, err = strconv.ParseUint(value, 10, 32)
	case Relisted, Repriced, RPCBaseFee, RelayFee, RelayDearer, RelayUnderDeliver:
		var n uint64
		if n, err = strconv.ParseUint(value, 10, 16); err == nil && n == 0 {
			err = strconv.ErrRange
		}
	case Quota, FulfilQuota:
		_, _, err = ParseQuota(value)
	}
	if err != nil {
		return fault.New(fault.Usage, "fault %s: %q is no %s", k.Name, value, k.Value)
	}
	return nil
}

// ParseQuota reads "5/1m": so many in each window of such a length.
func ParseQuota(value string) (n int, window time.Duration, err error) {
	count, length, _ := strings.Cut(value, "/")
	if n, err = strconv.Atoi(count); err != nil {
		return 0, 0, err
	}
	if window, err = time.ParseDuration(length); err != nil {
		return 0, 0, err
	}
	if n < 1 || window < time.Millisecond {
		return 0, 0, strconv.ErrRange
	}
	return n, window, nil
}

// Names returns the names of all faults.
func Names() []string {
	var out []string
	for _, k := range slices.Concat(Catalogue, Relay) {
		out = append(out, string(k.Name))
	}
	return out
}

// Clear ends the named faults, or all when none is named.
func (s *Set) Clear(names ...Name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(names) == 0 {
		s.on = nil
		if s.ethereum != nil {
			s.ethereum.Clear()
		}
	}
	for _, n := range names {
		delete(s.on, n)
	}
}

// Has reports whether a fault is in force. It does not count.
func (s *Set) Has(name Name) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on[name] != nil
}

// On reports whether a fault happens now, and its value. It counts: a fault
// that was set for N times is over after N calls.
func (s *Set) On(name Name) (value string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.on[name]
	if st == nil {
		return "", false
	}
	if st.left > 0 {
		if st.left--; st.left == 0 {
			delete(s.on, name)
		}
	}
	return st.value, true
}

// OnFor is On for a fault whose value lists token ids; an empty value means
// every token.
func (s *Set) OnFor(name Name, token string) bool {
	s.mu.Lock()
	st := s.on[name]
	hits := st != nil && (st.value == "" || slices.Contains(strings.Split(st.value, "+"), token))
	s.mu.Unlock()
	if !hits {
		return false
	}
	_, on := s.On(name)
	return on
}

// Active lists the faults in force, sorted.
func (s *Set) Active() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for name, st := range s.on {
		spec := string(name)
		if st.value != "" {
			spec += "=" + st.value
		}
		if st.left > 0 {
			spec += "*" + strconv.Itoa(st.left)
		}
		out = append(out, spec)
	}
	if s.ethereum != nil {
		for _, spec := range s.ethereum.Active() {
			out = append(out, onEthereum+spec)
		}
	}
	slices.Sort(out)
	return out
}
