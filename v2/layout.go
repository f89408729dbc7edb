package v2

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// layout is what a set of contracts is made from. Their addresses follow from it
// alone, so that a set is found again without a record, and two runs that make the
// same set can only make it once.
type layout struct {
	Deployer common.Address
	Label    string
	Members  []Member // sorted by address
	Mock     bool     // with a target for practice
}

// piece is a contract of a set.
type piece struct {
	Name    Name
	Address common.Address
	Data    []byte // that makes the deployment proxy create it
}

// pieces returns the contracts of the set in the order in which they are deployed:
// each comes after those that its constructor asks for.
func (l layout) pieces() ([]piece, error) {
	salt := crypto.Keccak256Hash([]byte("ape-claw/v2"), l.Deployer.Bytes(), []byte(l.Label))
	at := map[Name]common.Address{}
	var out []piece
	for _, n := range contracts.Names() {
		if n == contracts.MockTarget && !l.Mock {
			continue
		}
		args, err := l.arguments(n, at)
		if err != nil {
			return nil, fmt.Errorf("the constructor of %s: %w", n, err)
		}
		init := append(contracts.InitCode(n), args...)
		at[n] = contracts.Create2(salt, init)
		out = append(out, piece{Name: n, Address: at[n], Data: append(salt.Bytes(), init...)})
	}
	return out, nil
}

// arguments are those of a contract's constructor, encoded.
func (l layout) arguments(n Name, at map[Name]common.Address) ([]byte, error) {
	var args []any
	switch n {
	case contracts.SkillRegistry:
		args = []any{at[contracts.SkillNFT]}
	case contracts.PolicyEngine:
		args = []any{l.Deployer}
	case contracts.AgentAccount:
		args = []any{l.Deployer, at[contracts.PolicyEngine], at[contracts.ReceiptRegistry]}
	case contracts.PodVault:
		members, shares := make([]common.Address, 0, len(l.Members)), make([]*big.Int, 0, len(l.Members))
		for _, m := range l.Members {
			members, shares = append(members, common.HexToAddress(m.Address)), append(shares, m.Shares.Big())
		}
		args = []any{members, shares}
	}
	return contracts.ABI(n).Pack("", args...)
}

// same reports whether a record is of this set. The mock target is an addition.
func (l layout) same(r Record) bool {
	return r.Deployer == lower(l.Deployer) && r.Label == l.Label && slices.Equal(r.Members, l.Members)
}

// parseMembers reads ADDRESS:SHARES of the vault's members; without any, the deployer
// has the one share.
func parseMembers(given []string, deployer common.Address) ([]Member, error) {
	if len(given) == 0 {
		return []Member{{lower(deployer), units.FromUint64(1)}}, nil
	}
	bad := func(s, why string) error {
		return fault.New(fault.Usage, "--vault-member %q: %s", fault.Excerpt(s, 80), why).
			Hintf("give ADDRESS:SHARES, as in --vault-member 0x…:1").WithSent(fault.SentNo)
	}
	if len(given) > recordMembers {
		return nil, bad(given[recordMembers], fmt.Sprintf("a vault has at most %d members", recordMembers))
	}
	var out []Member
	for _, s := range given {
		text, shares, ok := strings.Cut(s, ":")
		if !ok || !common.IsHexAddress(text) || !strings.HasPrefix(text, "0x") {
			return nil, bad(s, "an address and its shares are expected")
		}
		addr := common.HexToAddress(text)
		if addr == (common.Address{}) {
			return nil, bad(s, "nobody has the zero address")
		}
		if hex := addr.Hex(); text != hex && text != strings.ToLower(hex) {
			return nil, bad(s, "the upper case letters of the address do not fit its digits: it may be mistyped")
		}
		n, err := units.Parse(shares, 0)
		if err != nil || n.IsZero() || n.Big().BitLen() > maxShareBits {
			return nil, bad(s, "the shares are a whole number from 1 up")
		}
		m := Member{lower(addr), n}
		if slices.ContainsFunc(out, func(o Member) bool { return o.Address == m.Address }) {
			return nil, bad(s, "this member is given twice")
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Member) int { return strings.Compare(a.Address, b.Address) })
	return out, nil
}

// maxShareBits bounds a member's shares, far beyond any use: their sum, and their
// product with an amount, stay in range.
const maxShareBits = 96

// rule is one setting of the policy engine.
type rule struct {
	Rule    string    `json:"rule"`              // a key of rules
	Subject string    `json:"subject,omitempty"` // a module or target, or a selector; "" for the value
	Value   units.Wei `json:"valueWei,omitzero"` // of maxValue
	// Signature is what the selector was given as, for people.
	Signature string `json:"signature,omitempty"`
}

// The rules of the policy engine.
const (
	ruleMaxValue = "maxValuePerTx"
	ruleModule   = "module"
	ruleTarget   = "target"
	ruleSelector = "selector"
)

// methods are the names of a rule's setter, its getter and its event.
func (r rule) methods() (set, get, event string) {
	switch r.Rule {
	case ruleModule:
		return "setModuleAllowed", "allowedModules", "ModuleAllowed"
	case ruleTarget:
		return "setTargetAllowed", "allowedTargets", "TargetAllowed"
	case ruleSelector:
		return "setSelectorAllowed", "allowedSelectors", "SelectorAllowed"
	}
	return "setMaxValuePerTx", "maxValuePerTx", "MaxValuePerTxSet"
}

// subject is the rule's subject as the engine takes it; nil for the value.
func (r rule) subject() any {
	switch r.Rule {
	case ruleModule, ruleTarget:
		return common.HexToAddress(r.Subject)
	case ruleSelector:
		return [4]byte(common.FromHex(r.Subject))
	}
	return nil
}

// data is the call that sets the rule.
func (r rule) data() ([]byte, error) {
	set, _, _ := r.methods()
	if s := r.subject(); s != nil {
		return contracts.ABI(contracts.PolicyEngine).Pack(set, s, true)
	}
	return contracts.ABI(contracts.PolicyEngine).Pack(set, r.Value.Big())
}

// read is the call that asks for the rule, and holds whether the answer says that it
// is set as wanted.
func (r rule) read() (data []byte, holds func(answer []byte) bool, err error) {
	_, get, _ := r.methods()
	engine := contracts.ABI(contracts.PolicyEngine)
	if s := r.subject(); s != nil {
		data, err = engine.Pack(get, s)
		return data, func(b []byte) bool { return bytes.Equal(b, common.LeftPadBytes([]byte{1}, 32)) }, err
	}
	want := r.Value.Bytes32()
	data, err = engine.Pack(get)
	return data, func(b []byte) bool { return bytes.Equal(b, want[:]) }, err
}

func (r rule) String() string {
	switch {
	case r.Rule == ruleMaxValue:
		return "allow at most " + r.Value.Decimal(units.APEDecimals) + " APE a call"
	case r.Signature != "":
		return "allow " + r.Rule + " " + r.Subject + " (" + r.Signature + ")"
	}
	return "allow " + r.Rule + " " + r.Subject
}
