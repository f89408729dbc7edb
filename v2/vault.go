package v2

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

const (
	cmdVaultStatus  = "v2 vault status"
	cmdVaultRelease = "v2 vault release"
)

// mostMembers is how many members a vault of ours has at the most, and how many are
// asked about.
const mostMembers = 64

// VaultStatusIn is the input of v2 vault status.
type VaultStatusIn struct {
	ERC20 string `json:"erc20" ai:"expose" kind:"address" help:"address of an ERC-20 token to look at too"`
	Vault string `json:"vault" ai:"operator" help:"address of PodVault"`
}

// VaultStatusOut is who shares what. Amounts are base units.
type VaultStatusOut struct {
	OK          bool          `json:"ok"`
	ChainID     int64         `json:"chainId"`
	Network     string        `json:"network"`
	Vault       string        `json:"vault"`
	TotalShares string        `json:"totalShares"`
	Balance     units.Wei     `json:"balance"`
	BalanceApe  json.Number   `json:"balanceApe"`
	Members     []VaultMember `json:"members"`
	Token       *VaultToken   `json:"token,omitempty"`
}

// VaultMember is one who shares. What is pending can be released now.
type VaultMember struct {
	Address       string     `json:"address"`
	Shares        string     `json:"shares"`
	Pending       units.Wei  `json:"pending"`
	Released      units.Wei  `json:"released"`
	PendingToken  *units.Wei `json:"pendingToken,omitempty"`
	ReleasedToken *units.Wei `json:"releasedToken,omitempty"`
}

// VaultToken is a token of the vault's.
type VaultToken struct {
	Address  string    `json:"address"`
	Released units.Wei `json:"released"`
}

// VaultStatus reads a vault. It records no event.
func (s *Service) VaultStatus(ctx context.Context, in VaultStatusIn) (VaultStatusOut, error) {
	var token common.Address
	if in.ERC20 != "" {
		var err error
		if token, err = address("--erc20", in.ERC20); err != nil {
			return VaultStatusOut{}, err
		}
	}
	l, err := s.locate(ctx, contracts.PodVault)
	if err != nil {
		return VaultStatusOut{}, err
	}
	c, err := s.d.Chain(ctx)
	if err != nil {
		return VaultStatusOut{}, err
	}
	out := VaultStatusOut{OK: true, Vault: l.Address}
	if out.ChainID, out.Network, err = s.network(ctx); err != nil {
		return out, err
	}
	total, err := s.viewWei(ctx, c, l, "totalShares")
	if err != nil {
		return out, err
	}
	if out.Balance, err = c.Balance(ctx, common.HexToAddress(l.Address)); err != nil {
		return out, err
	}
	out.TotalShares, out.BalanceApe = total.String(), out.Balance.JSON(units.APEDecimals)
	if in.ERC20 != "" {
		out.Token = &VaultToken{Address: token.Hex()}
		if out.Token.Released, err = s.viewWei(ctx, c, l, "totalReleasedToken", token); err != nil {
			return out, err
		}
	}
	out.Members, err = s.members(ctx, c, l, out.Token)
	return out, err
}

func (s *Service) members(ctx context.Context, c Chain, l Located, token *VaultToken) ([]VaultMember, error) {
	count, err := viewOne[*big.Int](ctx, s, c, l, "memberCount")
	if err != nil {
		return nil, err
	}
	if !count.IsInt64() || count.Int64() > mostMembers {
		return nil, fault.New(fault.ContractMismatch, "%s at %s says that it has %s members; %d are the most", l.Name, l.Address, word(count), mostMembers).
			Hintf("check the address, which is from %s", l.From).WithSent(fault.SentNo)
	}
	all := make([]VaultMember, count.Int64())
	return all, each(ctx, len(all), func(ctx context.Context, i int) error {
		who, err := viewOne[common.Address](ctx, s, c, l, "memberAt", big.NewInt(int64(i)))
		if err != nil {
			return err
		}
		all[i], err = s.member(ctx, c, l, who, token)
		return err
	})
}

func (s *Service) member(ctx context.Context, c Chain, l Located, who common.Address, token *VaultToken) (VaultMember, error) {
	m := VaultMember{Address: who.Hex()}
	shares, err := s.viewWei(ctx, c, l, "shares", who)
	if err != nil {
		return m, err
	}
	m.Shares = shares.String()
	if m.Pending, err = s.viewWei(ctx, c, l, "pendingNative", who); err != nil {
		return m, err
	}
	if m.Released, err = s.viewWei(ctx, c, l, "releasedNative", who); err != nil || token == nil {
		return m, err
	}
	of := common.HexToAddress(token.Address)
	pending, err := s.viewWei(ctx, c, l, "pendingToken", of, who)
	if err != nil {
		return m, notToken(err, token.Address)
	}
	released, err := s.viewWei(ctx, c, l, "releasedToken", of, who)
	m.PendingToken, m.ReleasedToken = &pending, &released
	return m, err
}

// notToken puts the blame where it is: the vault asks the token for its balance.
func notToken(err error, token string) error {
	if !reverted(err) {
		return err
	}
	return fault.Wrap(err, fault.ContractMismatch, "what is at %s does not answer as a token does", token).
		Hintf("check --erc20: an ERC-20 token on this chain is expected").WithSent(fault.SentNo)
}

// VaultReleaseIn is the input of v2 vault release.
type VaultReleaseIn struct {
	Member string `json:"member" ai:"expose" kind:"address" help:"whom to pay; it always goes to the member" required:"true"`
	ERC20  string `json:"erc20" ai:"expose" kind:"address" help:"address of an ERC-20 token to pay out, in place of APE"`
	Vault  string `json:"vault" ai:"operator" help:"address of PodVault"`
	Go
}

// VaultReleased is what came of v2 vault release.
type VaultReleased struct {
	Tx        string     `json:"tx,omitempty"`
	Member    string     `json:"member"`
	Token     string     `json:"token,omitempty"`
	AmountWei *units.Wei `json:"amountWei,omitempty"` // base units, of a token too
}

// VaultReleaseOut is the result of v2 vault release.
type VaultReleaseOut struct {
	Sent
	VaultReleased
	Pending *units.Wei `json:"pending,omitempty"` // before
}

// releaseKeep is what tells a release in a receipt.
type releaseKeep struct {
	Member common.Address  `json:"member"`
	Token  *common.Address `json:"token,omitempty"` // nil: native
}

// VaultRelease pays a member what it is due.
func (s *Service) VaultRelease(ctx context.Context, in VaultReleaseIn) (VaultReleaseOut, error) {
	member, err := address("--member", in.Member)
	if err != nil {
		return VaultReleaseOut{}, err
	}
	k := releaseKeep{Member: member}
	if in.ERC20 != "" {
		token, err := address("--erc20", in.ERC20)
		if err != nil {
			return VaultReleaseOut{}, err
		}
		k.Token = &token
	}
	l, err := s.locateTarget(ctx, contracts.PodVault)
	if err != nil {
		return VaultReleaseOut{}, err
	}
	pending, err := s.pending(ctx, l, k)
	if err != nil {
		return VaultReleaseOut{}, err
	}
	c := call{
		Op: "vault.release", Command: cmdVaultRelease, What: "pay out a member's share", Contract: l, Go: in.Go, Keep: k,
		Facts:   []Fact{{"vault", "vault", common.HexToAddress(l.Address).Hex()}, {"member", "member", member.Hex()}},
		Payload: map[string]any{"member": lower(member)},
	}
	if c.Data, err = k.data(); err != nil {
		return VaultReleaseOut{}, err
	}
	out := VaultReleaseOut{VaultReleased: VaultReleased{Member: lower(member)}, Pending: pending}
	if k.Token != nil {
		c.Payload["token"], out.Token = lower(*k.Token), lower(*k.Token)
		c.Facts = append(c.Facts, Fact{"token", "token", k.Token.Hex()})
	}
	if pending != nil {
		c.Facts = append(c.Facts, Fact{k.pendingName(), "due now", k.amount(*pending)})
	}
	d, err := s.send(ctx, c)
	if err != nil {
		return VaultReleaseOut{}, err
	}
	if err := fill(d.Result, &out.VaultReleased); err != nil {
		return out, err
	}
	if !d.DryRun && out.AmountWei != nil {
		d.Message = fmt.Sprintf("paid %s to %s", k.amount(*out.AmountWei), member.Hex())
	}
	out.Sent = s.sent(d)
	return out, nil
}

func (k releaseKeep) data() ([]byte, error) {
	if k.Token != nil {
		return contracts.ABI(contracts.PodVault).Pack("releaseToken", *k.Token, k.Member)
	}
	return contracts.ABI(contracts.PodVault).Pack("releaseNative", k.Member)
}

// amount is a sum in words. What a token says of its decimals is not asked.
func (k releaseKeep) amount(w units.Wei) string {
	if k.Token != nil {
		return w.String() + " base units of the token"
	}
	return ape(w)
}

func (k releaseKeep) pendingName() string {
	if k.Token != nil {
		return "pendingToken"
	}
	return "pendingNative"
}

// pending is what the member is due; nil when the vault won't say, as for one that is
// no member: the simulation has the reason.
func (s *Service) pending(ctx context.Context, l Located, k releaseKeep) (*units.Wei, error) {
	c, err := s.d.Chain(ctx)
	if err != nil {
		return nil, err
	}
	args := []any{k.Member}
	if k.Token != nil {
		args = []any{*k.Token, k.Member}
	}
	w, err := s.viewWei(ctx, c, l, k.pendingName(), args...)
	switch {
	case reverted(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &w, nil
}

func vaultOps() map[string]op {
	return map[string]op{"vault.release": {event: "v2.vault.release", confirm: vaultReleased}}
}

func vaultReleased(_ context.Context, _ Chain, m mined) (map[string]any, error) {
	var k releaseKeep
	if err := json.Unmarshal(m.Keep, &k); err != nil {
		return nil, err
	}
	event, asked := "PaymentReleased", map[string]any{"to": k.Member}
	if k.Token != nil {
		event = "ERC20PaymentReleased"
		asked["token"] = *k.Token
	}
	got, err := m.event(event, asked)
	if err != nil {
		return nil, err
	}
	n, _ := got["amount"].(*big.Int)
	amount, err := units.FromBig(n)
	if err != nil {
		return nil, err
	}
	result := map[string]any{"tx": m.Tx.Hash.Hex(), "member": lower(k.Member), "amountWei": amount}
	if k.Token != nil {
		result["token"] = lower(*k.Token)
	}
	return result, nil
}
