package v2

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
	"github.com/ape-claw/ape-claw/v2/skill"
)

// SkillVersion is a published version of a skill.
type SkillVersion struct {
	Index       uint64 `json:"index"`
	VersionHash string `json:"versionHash"`
	ContentHash string `json:"contentHash"`
	URI         string `json:"uri"` // as whoever published it says, bounded and cleaned
	RiskTier    uint8  `json:"riskTier"`
	PublishedAt string `json:"publishedAt"`
	Publisher   string `json:"publisher"`
}

// Skill is a skill as the chain has it.
type Skill struct {
	SkillID  json.Number `json:"skillId"`
	ParentID json.Number `json:"parentId"` // 0: none
	Owner    string      `json:"owner"`
	Versions uint64      `json:"versions"` // how many were published
}

// SkillShowIn is the input of v2 skill show.
type SkillShowIn struct {
	SkillID string `json:"skillId" ai:"expose" kind:"tokenId" help:"id of the skill" required:"true"`
	File    string `json:"file" ai:"operator" help:"a skill's card (JSON), to hold against what was published" complete:"files"`
}

// SkillShowOut is the result of v2 skill show.
type SkillShowOut struct {
	OK       bool   `json:"ok"`
	ChainID  int64  `json:"chainId"`
	Network  string `json:"network"`
	Contract string `json:"contract"` // SkillNFT
	Registry string `json:"registry"` // SkillRegistry
	Skill
	RoyaltyReceiver string         `json:"royaltyReceiver,omitempty"`
	RoyaltyBps      uint64         `json:"royaltyBps"`
	Published       []SkillVersion `json:"published"`         // the newest first, a hundred at most
	Card            *CardOnChain   `json:"card,omitempty"`    // the card of --file
	Explained       string         `json:"message,omitempty"` // of it, in words
}

// CardOnChain is a card held against the versions that were published.
type CardOnChain struct {
	Slug        string  `json:"slug"`
	Version     string  `json:"version"`
	VersionHash string  `json:"versionHash"`
	ContentHash string  `json:"contentHash"`
	Index       *uint64 `json:"index"`  // of the published version with its name; null: none has it
	Agrees      bool    `json:"agrees"` // that version is of this very card
}

// maxVersions bounds the versions that are read of one skill.
const maxVersions = 100

// SkillShow reads a skill, its royalty and its versions. It records no event.
func (s *Service) SkillShow(ctx context.Context, in SkillShowIn) (SkillShowOut, error) {
	id, err := number("--skill-id", in.SkillID)
	if err != nil {
		return SkillShowOut{}, err
	}
	r, err := s.skills(ctx)
	if err != nil {
		return SkillShowOut{}, err
	}
	out := SkillShowOut{OK: true, ChainID: r.chainID, Network: r.network, Contract: r.nft.Address, Registry: r.registry.Address, Published: []SkillVersion{}}
	if out.Skill, err = r.skill(ctx, id); err != nil {
		return out, err
	}
	royalty, err := s.view(ctx, r.chain, r.nft, "royaltyInfo", id, big.NewInt(10_000))
	if err != nil {
		return out, err
	}
	if to, err := at[common.Address](royalty, 0); err == nil && to != (common.Address{}) {
		out.RoyaltyReceiver = lower(to)
		if out.RoyaltyBps, err = countOf(royalty[1]); err != nil {
			return out, err
		}
	}
	newest := min(out.Versions, maxVersions)
	out.Published = make([]SkillVersion, newest)
	err = each(ctx, int(newest), func(ctx context.Context, i int) (err error) {
		out.Published[i], err = r.version(ctx, id, out.Versions-1-uint64(i))
		return err
	})
	if err == nil && in.File != "" {
		err = out.hold(in.File)
	}
	return out, err
}

// hold compares a card with the published versions.
func (o *SkillShowOut) hold(path string) error {
	card, _, err := ReadCard(path)
	if err == nil {
		o.holdCard(card)
	}
	return err
}

func (o *SkillShowOut) holdCard(card skill.Card) {
	c := CardOnChain{Slug: card.Slug, Version: card.Version, VersionHash: VersionHash(card.Version).Hex(), ContentHash: card.ContentHash.Hex()}
	o.Explained = fmt.Sprintf("version %s of the card is not published", card.Version)
	for _, v := range o.Published {
		if v.VersionHash != c.VersionHash {
			continue
		}
		c.Index, c.Agrees = &v.Index, v.ContentHash == c.ContentHash
		o.Explained = fmt.Sprintf("version %s was published of this very card", card.Version)
		if !c.Agrees {
			o.Explained = fmt.Sprintf("version %s was published of another card than this one", card.Version)
		}
		break
	}
	o.Card = &c
}

// HoldCard holds a card against what was published of a skill, on the chain whose id
// it returns. It records no event.
func (s *Service) HoldCard(ctx context.Context, skillID string, card skill.Card) (chainID int64, held CardOnChain, err error) {
	out, err := s.SkillShow(ctx, SkillShowIn{SkillID: skillID})
	if err != nil {
		return 0, CardOnChain{}, err
	}
	out.holdCard(card)
	return out.ChainID, *out.Card, nil
}

// SkillListIn is the input of v2 skill list.
type SkillListIn struct {
	Limit  int    `json:"limit" ai:"expose" default:"20" min:"1" max:"100" help:"at most so many, the newest"`
	Before string `json:"before" ai:"expose" kind:"tokenId" help:"only skills with a lower id: how a page goes on"`
}

// SkillListOut is the result of v2 skill list.
type SkillListOut struct {
	OK       bool          `json:"ok"`
	ChainID  int64         `json:"chainId"`
	Network  string        `json:"network"`
	Contract string        `json:"contract"`
	Total    uint64        `json:"total"` // all there are
	Count    int           `json:"count"`
	Skills   []ListedSkill `json:"skills"`
	Next     string        `json:"next,omitempty"` // the command that shows older ones
}

// ListedSkill is a skill with its newest version; null where none was published.
type ListedSkill struct {
	Skill
	Newest *SkillVersion `json:"newest"`
}

// SkillList reads the newest skills. It records no event.
func (s *Service) SkillList(ctx context.Context, in SkillListIn) (SkillListOut, error) {
	if in.Limit < 1 || in.Limit > maxVersions {
		return SkillListOut{}, fault.New(fault.Usage, "--limit %d: 1 to %d is expected", in.Limit, maxVersions).WithSent(fault.SentNo)
	}
	r, err := s.skills(ctx)
	if err != nil {
		return SkillListOut{}, err
	}
	out := SkillListOut{OK: true, ChainID: r.chainID, Network: r.network, Contract: r.nft.Address, Skills: []ListedSkill{}}
	given, err := viewOne[*big.Int](ctx, s, r.chain, r.nft, "nextSkillId")
	if err != nil {
		return out, err
	}
	next, err := countOf(given)
	if err != nil || next <= 1 {
		return out, err // ids start at 1
	}
	out.Total = next - 1
	if in.Before != "" {
		before, err := number("--before", in.Before)
		if err != nil {
			return out, err
		}
		if before.IsUint64() {
			next = min(next, max(1, before.Uint64()))
		}
	}
	out.Count = int(min(next-1, uint64(in.Limit)))
	out.Skills = make([]ListedSkill, out.Count)
	err = each(ctx, out.Count, func(ctx context.Context, i int) (err error) {
		id := new(big.Int).SetUint64(next - 1 - uint64(i))
		l := &out.Skills[i]
		if l.Skill, err = r.skill(ctx, id); err != nil || l.Versions == 0 {
			return err
		}
		v, err := r.version(ctx, id, l.Versions-1)
		l.Newest = &v
		return err
	})
	if last := next - uint64(out.Count); last > 1 && err == nil {
		out.Next = fmt.Sprintf("%s v2 skill list --limit %d --before %d", s.d.CLI, in.Limit, last)
	}
	return out, err
}

// skillReader reads the two contracts of skills.
type skillReader struct {
	*Service
	chain         Chain
	chainID       int64
	network       string
	nft, registry Located
}

func (s *Service) skills(ctx context.Context) (r skillReader, err error) {
	r.Service = s
	if r.chain, err = s.d.Chain(ctx); err != nil {
		return r, err
	}
	if r.chainID, r.network, err = s.network(ctx); err != nil {
		return r, err
	}
	if r.nft, err = s.locate(ctx, contracts.SkillNFT); err != nil {
		return r, err
	}
	r.registry, err = s.locate(ctx, contracts.SkillRegistry)
	return r, err
}

// skill is what is known of a skill; fault.NotFound when the chain has none with
// this id.
func (r skillReader) skill(ctx context.Context, id *big.Int) (Skill, error) {
	out := Skill{SkillID: json.Number(id.String())}
	owner, err := viewOne[common.Address](ctx, r.Service, r.chain, r.nft, "ownerOf", id)
	if reverted(err) {
		return out, fault.New(fault.NotFound, "there is no skill %s on %s (chain %d)", id, r.network, r.chainID).
			Hintf("see which there are: %s v2 skill list", r.d.CLI).WithSent(fault.SentNo)
	}
	if err != nil {
		return out, err
	}
	out.Owner = lower(owner)
	parent, err := viewOne[*big.Int](ctx, r.Service, r.chain, r.nft, "parentSkillId", id)
	if err != nil {
		return out, err
	}
	out.ParentID = json.Number(parent.String())
	n, err := viewOne[*big.Int](ctx, r.Service, r.chain, r.registry, "versionCount", id)
	if err != nil {
		return out, err
	}
	out.Versions, err = countOf(n)
	return out, err
}

func (r skillReader) version(ctx context.Context, id *big.Int, index uint64) (SkillVersion, error) {
	v, err := r.view(ctx, r.chain, r.registry, "getVersion", id, new(big.Int).SetUint64(index))
	if err != nil {
		return SkillVersion{}, err
	}
	versionHash, _ := at[[32]byte](v, 0)
	contentHash, _ := at[[32]byte](v, 1)
	uri, _ := at[string](v, 2)
	tier, _ := at[uint8](v, 3)
	published, _ := at[uint64](v, 4)
	publisher, err := at[common.Address](v, 5)
	return SkillVersion{
		Index: index, VersionHash: common.Hash(versionHash).Hex(), ContentHash: common.Hash(contentHash).Hex(), URI: fault.Excerpt(uri, maxShownURI),
		RiskTier: tier, PublishedAt: second(published), Publisher: lower(publisher),
	}, err
}

// maxShownURI is how much of a stranger's address is shown.
const maxShownURI = 300

// second is a block's time as answers have it.
func second(unix uint64) string {
	if unix > maxUnix {
		return strconv.FormatUint(unix, 10)
	}
	return time.Unix(int64(unix), 0).UTC().Format(time.RFC3339)
}
