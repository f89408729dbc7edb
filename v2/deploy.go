package v2

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const cmdDeploy = "v2 deploy"

// DeployIn is the input of v2 deploy.
type DeployIn struct {
	Label         string   `json:"label" ai:"expose" maxlen:"64" help:"a name that makes another set of contracts: lower case letters, digits, - _ ."`
	VaultMember   []string `json:"vaultMember" ai:"expose" maxlen:"160" help:"a member of the vault as ADDRESS:SHARES, repeatable (default: the deployer, 1)"`
	MaxValue      string   `json:"maxValue" ai:"expose" maxlen:"100" help:"the most that an agent account's call may carry, in APE (default 1)"`
	Mock          bool     `json:"mock" ai:"expose" help:"deploy a target for practice too, and allow it; always so on the sandbox"`
	AllowTarget   []string `json:"allowTarget" ai:"expose" maxlen:"42" help:"an address that agent accounts may call, repeatable"`
	AllowSelector []string `json:"allowSelector" ai:"expose" maxlen:"200" help:"a function that may be called on every allowed target: 0x and 8 digits, or as transfer(address,uint256); repeatable"`
	Go
}

// DeployOut is what a deployment would do, or did.
type DeployOut struct {
	OK            bool            `json:"ok"`
	DryRun        bool            `json:"dryRun"`
	Message       string          `json:"message"`
	ChainID       int64           `json:"chainId"`
	Network       string          `json:"network"`
	Deployer      string          `json:"deployer"`
	Label         string          `json:"label,omitempty"`
	Contracts     []DeployedState `json:"contracts"`
	Rules         []RuleState     `json:"rules"`
	VaultMembers  []Member        `json:"vaultMembers"`
	Record        string          `json:"record"`             // where the deployment record is
	SetAside      string          `json:"setAside,omitempty"` // where a record of another set was moved to
	Sent          int             `json:"sent"`
	FeeApe        json.Number     `json:"feeApe,omitempty"` // of all that was sent
	FeeWei        *units.Wei      `json:"feeWei,omitempty"`
	MaxFeeApe     json.Number     `json:"maxFeeApe,omitempty"` // of a dry run: about, for what is left to do
	MaxFeeWei     *units.Wei      `json:"maxFeeWei,omitempty"`
	WouldBlock    []policy.Gate   `json:"wouldBlock,omitzero"`
	Action        *Action         `json:"action,omitempty"`
	ConfirmPhrase string          `json:"confirmPhrase,omitempty"`
	Next          string          `json:"next,omitempty"`
}

// DeployedState is a contract of the set and how it stands.
type DeployedState struct {
	Name        Name   `json:"name"`
	Address     string `json:"address"`
	State       string `json:"state"` // missing, there or created
	TxHash      string `json:"txHash,omitempty"`
	BlockNumber uint64 `json:"blockNumber,omitempty"`
}

// RuleState is a rule of the policy engine and how it stands.
type RuleState struct {
	rule
	State  string `json:"state"` // missing, there or set
	TxHash string `json:"txHash,omitempty"`
}

// How a contract or a rule of a deployment stands.
const (
	stateMissing = "missing"
	stateThere   = "there"   // it was there already, and is what it should be
	stateCreated = "created" // by this run
	stateSet     = "set"     // by this run
)

// Check refuses what can't be meant.
func (in DeployIn) Check() error {
	if !isLabel(in.Label) {
		return fault.New(fault.Usage, "--label %q: up to %d lower case letters, digits, - _ and . are expected", fault.Excerpt(in.Label, 80), maxLabel).
			Hintf("leave it out for the usual set").WithSent(fault.SentNo)
	}
	if in.MaxValue != "" {
		if _, err := units.Parse(in.MaxValue, units.APEDecimals); err != nil {
			return fault.New(fault.Usage, "--max-value %q: an amount in APE is expected", fault.Excerpt(in.MaxValue, 80)).
				Hintf("give it as in --max-value 1.5").WithSent(fault.SentNo)
		}
	}
	if _, err := parseMembers(in.VaultMember, common.Address{1}); err != nil {
		return err
	}
	_, err := in.allowed()
	return err
}

// allowed are the targets and selectors that were given.
func (in DeployIn) allowed() ([]rule, error) {
	var out []rule
	add := func(r rule) {
		if !slices.ContainsFunc(out, func(o rule) bool { return o.Rule == r.Rule && o.Subject == r.Subject }) {
			out = append(out, r)
		}
	}
	for _, s := range in.AllowTarget {
		if a := strings.ToLower(s); !isAddress(a) || s != a && common.HexToAddress(s).Hex() != s {
			return nil, fault.New(fault.Usage, "--allow-target %q: an address is expected", fault.Excerpt(s, 80)).
				Hintf("give 0x and 40 hexadecimal digits").WithSent(fault.SentNo)
		}
		add(rule{Rule: ruleTarget, Subject: strings.ToLower(s)})
	}
	for _, s := range rejoined(in.AllowSelector) {
		switch {
		case isHexOf(strings.ToLower(s), 8):
			add(rule{Rule: ruleSelector, Subject: strings.ToLower(s)})
		case isSignature(s):
			add(rule{Rule: ruleSelector, Subject: selectorOf(s), Signature: s})
		default:
			return nil, fault.New(fault.Usage, "--allow-selector %q: a function is expected", fault.Excerpt(s, 80)).
				Hintf("give 0x and 8 hexadecimal digits, or as in --allow-selector 'transfer(address,uint256)'").WithSent(fault.SentNo)
		}
	}
	return out, nil
}

// rejoined puts signatures together again that were taken apart at their commas, as
// flags that are lists are.
func rejoined(given []string) []string {
	var out []string
	for _, s := range given {
		if n := len(out) - 1; n >= 0 && strings.Count(out[n], "(") > strings.Count(out[n], ")") {
			out[n] += "," + s
			continue
		}
		out = append(out, s)
	}
	return out
}

// selectorOf is what a call to the function of a signature begins with.
func selectorOf(signature string) string {
	return fmt.Sprintf("0x%x", crypto.Keccak256([]byte(signature))[:4])
}

// isSignature reports whether s can be the signature of a function.
func isSignature(s string) bool {
	name, args, ok := strings.Cut(s, "(")
	if !ok || name == "" || len(s) > 200 || !strings.HasSuffix(args, ")") || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	word := func(r rune) bool {
		return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	depth := 1
	for _, r := range args[:len(args)-1] {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case !word(r) && !strings.ContainsRune(",[]", r):
			return false
		}
		if depth < 1 {
			return false
		}
	}
	return depth == 1 && strings.IndexFunc(name, func(r rune) bool { return !word(r) }) < 0 && !aliased(args)
}

// aliased reports whether a type is written by a short name that no selector is made
// from: uint is uint256 there.
func aliased(args string) bool {
	for _, t := range strings.FieldsFunc(args, func(r rune) bool { return strings.ContainsRune("(),[]", r) }) {
		if t == "uint" || t == "int" {
			return true
		}
	}
	return false
}
