package v2

import (
	"context"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// lower is an address as this program writes it.
func lower(a common.Address) string { return strings.ToLower(a.Hex()) }

// fromRecord says of an address that the deployment record gave it.
const fromRecord = "the deployment record"

// means are the flag and the variable that give the address of a contract.
type means struct{ flag, env string }

func meansOf(n Name) means {
	return map[Name]means{
		contracts.SkillNFT:        {"--skill-nft", "APE_CLAW_V2_SKILL_NFT"},
		contracts.SkillRegistry:   {"--registry", "APE_CLAW_V2_SKILL_REGISTRY"},
		contracts.IntentRegistry:  {"--intents", "APE_CLAW_V2_INTENT_REGISTRY"},
		contracts.ReceiptRegistry: {"--receipts", "APE_CLAW_V2_RECEIPT_REGISTRY"},
		contracts.PolicyEngine:    {"", "APE_CLAW_V2_POLICY_ENGINE"},
		contracts.AgentAccount:    {"--agent-account", "APE_CLAW_V2_AGENT_ACCOUNT"},
		contracts.PodVault:        {"--vault", "APE_CLAW_V2_POD_VAULT"},
		contracts.SwapModule:      {"--module", "APE_CLAW_V2_SWAP_MODULE"},
		contracts.BridgeModule:    {"--module", "APE_CLAW_V2_BRIDGE_MODULE"},
		contracts.NftBuyModule:    {"--module", "APE_CLAW_V2_NFT_BUY_MODULE"},
	}[n]
}

// locate finds a contract that may be called: by flag, variable, config file, or the
// deployment record of the chain, in this order. Code of this program's own build is
// known; any other has to answer as the contract does, and to be listed by the policy.
func (s *Service) locate(ctx context.Context, n Name) (Located, error) {
	l, listed, err := s.find(ctx, n)
	if err == nil && !listed {
		err = notListed(l)
	}
	return l, err
}

// locateTarget is locate for a write, whose gates look at the policy's list. A write
// needs a key: that there is none is said first, since no node mends it.
func (s *Service) locateTarget(ctx context.Context, n Name) (Located, error) {
	if _, err := s.d.Account(ctx); err != nil {
		return Located{}, err
	}
	l, _, err := s.find(ctx, n)
	return l, err
}

// find is locate; allowed says whether the code is known or listed.
func (s *Service) find(ctx context.Context, n Name) (l Located, allowed bool, err error) {
	c, at, err := s.where(ctx)
	if err != nil {
		return Located{}, false, err
	}
	return s.findAt(ctx, c, at, n)
}

// findAt is find on a chain that is known.
func (s *Service) findAt(ctx context.Context, c Chain, at place, n Name) (l Located, allowed bool, err error) {
	found, err := s.address(at, n)
	if err != nil {
		return Located{}, false, err
	}
	addr := common.HexToAddress(found.Address)
	l = Located{Name: n, Address: lower(addr), From: found.From}
	code, err := c.Code(ctx, addr)
	if err != nil {
		return l, false, err
	}
	if len(code) == 0 {
		return l, false, s.missing(at, n, fmt.Sprintf("there is no contract at %s on %s (chain %d), which %s gives for %s", l.Address, at.Name, at.ID, l.From, n))
	}
	if l.Known = contracts.Matches(n, code); l.Known {
		return l, true, nil
	}
	allowed, err = s.foreign(ctx, c, l, code)
	return l, allowed, err
}

// address is where a contract should be, and who says so.
func (s *Service) address(at place, n Name) (Address, error) {
	if a, ok := s.d.Named[n]; ok && a.Address != "" {
		if !common.IsHexAddress(a.Address) || common.HexToAddress(a.Address) == (common.Address{}) {
			return Address{}, fault.New(fault.Usage, "%s: %q is no address of a contract", a.From, fault.Excerpt(a.Address, 60)).
				Hintf("give 0x and 40 hexadecimal digits").WithSent(fault.SentNo)
		}
		return a, nil
	}
	r, ok, err := s.record(at)
	if err != nil {
		return Address{}, err
	}
	d, listed := r.Contracts[n]
	if !ok || !listed {
		return Address{}, s.missing(at, n, fmt.Sprintf("no address of %s is known on %s (chain %d)", n, at.Name, at.ID))
	}
	l := Located{Name: n, Address: d.Address, From: fromRecord}
	if why := r.contradicts(n); why != "" {
		return Address{}, misfit(l, why)
	}
	return Address{Address: d.Address, From: fromRecord}, nil
}

// contradicts says why a record's address of a contract can't be that of the set that
// the record is of. Code of ours proves little by itself: an account of ours may have
// been told to trust a policy engine of anybody's. The address tells what its
// constructor was told.
func (r Record) contradicts(n Name) string {
	pieces, err := layout{Deployer: common.HexToAddress(r.Deployer), Label: r.Label, Members: r.Members, Mock: true}.pieces()
	if err != nil {
		return "what the record says it was made from can't be"
	}
	for _, p := range pieces {
		if p.Name == n && lower(p.Address) == r.Contracts[n].Address {
			return ""
		}
	}
	return "its address does not follow from what the record says it was made from"
}

// vaultToPay is the vault, as somebody who is to be paid. Anybody can deploy a vault of
// their own with our code and write a record of it: from the record, it has to be one
// that this home's journal says was created from here.
func (s *Service) vaultToPay(ctx context.Context) (Located, error) {
	l, err := s.locate(ctx, contracts.PodVault)
	if err != nil || l.From != fromRecord {
		return l, err
	}
	_, at, err := s.where(ctx)
	if err != nil {
		return l, err
	}
	tx, ok, err := s.d.Journal(ctx, createKey(at, common.HexToAddress(l.Address)))
	if err != nil || ok && tx.State == chain.StateConfirmed {
		return l, err
	}
	return l, fault.New(fault.ContractNotAllowed, "the deployment record alone names the vault %s, and it was not deployed from this home: whom it pays is not known", l.Address).
		Hintf("look at its members with ape-claw v2 vault status, then name it: --vault %s", l.Address).
		WithSent(fault.SentNo).With("gate", policy.GateContract).With("contract", string(l.Name))
}

// record is the deployment record of the chain; ok is false when there is none. The
// record of a sandbox that was reset is none; on other chains, one that is of another
// chain is refused.
func (s *Service) record(at place) (r Record, ok bool, err error) {
	path := s.recordPath(at.Name)
	if r, ok, err = readRecord(path); err != nil || !ok {
		return Record{}, false, err
	}
	if r.ChainID == at.ID && r.Genesis == at.Genesis {
		return r, true, nil
	}
	if at.sandbox() {
		return Record{}, false, nil
	}
	return Record{}, false, fault.New(fault.ChainMismatch, "the deployment record %s is of another chain than the one that is called (chain %d)", store.Display(path), at.ID).
		Hintf("check the RPC URL (ape-claw doctor), or move the record away").WithSent(fault.SentNo)
}

// missing says that a contract was not found, and every way to name it.
func (s *Service) missing(at place, n Name, what string) error {
	m := meansOf(n)
	var ways []string
	if m.flag != "" {
		ways = append(ways, "give "+m.flag+" ADDRESS")
	}
	if m.env != "" {
		ways = append(ways, "set "+m.env)
	}
	ways = append(ways, "deploy the contracts, which writes "+store.Display(s.recordPath(at.Name))+": "+s.d.CLI+" v2 deploy")
	return fault.New(fault.ContractMissing, "%s", what).Hintf("%s", strings.Join(ways, ", or ")).
		WithSent(fault.SentNo).With("contract", string(n)).With("network", at.Name)
}
