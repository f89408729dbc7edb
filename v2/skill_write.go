package v2

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
	"github.com/ape-claw/ape-claw/v2/skill"
)

func skillOps() map[string]op {
	return map[string]op{
		"skill.mint":    {event: "v2.skill.minted", confirm: confirmMint},
		"skill.publish": {event: "v2.skill.version.published", confirm: confirmPublish},
	}
}

// SkillMintIn is the input of v2 skill mint.
type SkillMintIn struct {
	ParentID        string `json:"parentId" ai:"expose" kind:"tokenId" help:"id of the skill that this one was made from; 0 is none" default:"0"`
	RoyaltyReceiver string `json:"royaltyReceiver" ai:"expose" maxlen:"42" help:"address that sales pay a royalty to, or vault for the PodVault; with --royalty-bps"`
	RoyaltyBps      string `json:"royaltyBps" ai:"expose" kind:"tokenId" help:"the royalty in hundredths of a percent, 0 to 10000; with --royalty-receiver"`
	File            string `json:"file" ai:"operator" help:"the skill's card (JSON), whose hash goes into the event" complete:"files"`
	Go
	// Also are facts that a person confirms with the mint, since they follow from it.
	Also []Fact `json:"-"`
}

// SkillMintOut is the result of v2 skill mint.
type SkillMintOut struct {
	Sent
	SkillID         json.Number `json:"skillId,omitempty"` // once it is minted
	ContentHash     string      `json:"contentHash"`       // of the card; all zeros without one
	ParentID        json.Number `json:"parentId"`
	Owner           string      `json:"owner,omitempty"`
	RoyaltyReceiver string      `json:"royaltyReceiver,omitempty"`
	RoyaltyBps      uint64      `json:"royaltyBps,omitempty"`
}

// mintKeep is what a mint is held against once it is mined.
type mintKeep struct {
	ContentHash common.Hash     `json:"contentHash"`
	ParentID    *big.Int        `json:"parentId"`
	Receiver    *common.Address `json:"receiver,omitempty"`
	Bps         uint64          `json:"bps,omitempty"`
}

// SkillMint mints a skill to the account, with in.Execute, and else tells what it
// would do.
func (s *Service) SkillMint(ctx context.Context, in SkillMintIn) (SkillMintOut, error) {
	parent, err := number("--parent-id", in.ParentID)
	if err != nil {
		return SkillMintOut{}, err
	}
	keep := mintKeep{ParentID: parent}
	payload := map[string]any{"parentId": parent.String()}
	facts := []Fact{{"parentId", "parent", map[bool]string{true: "none", false: parent.String()}[parent.Sign() == 0]}}
	if keep.Receiver, keep.Bps, err = s.royalty(ctx, in); err != nil {
		return SkillMintOut{}, err
	}
	what := "mint a skill"
	if in.File != "" {
		card, _, err := ReadCard(in.File)
		if err != nil {
			return SkillMintOut{}, err
		}
		keep.ContentHash = card.ContentHash
		payload["slug"], payload["version"] = card.Slug, card.Version
		what = "mint the skill " + card.Slug
		facts = append(facts, cardFacts(card)...)
	}
	facts = append(append(facts, Fact{"contentHash", "content hash", keep.ContentHash.Hex()}), in.Also...)
	data, err := contracts.ABI(contracts.SkillNFT).Pack("mintSkill", parent)
	out := SkillMintOut{ContentHash: keep.ContentHash.Hex(), ParentID: json.Number(parent.String())}
	if keep.Receiver != nil {
		data, err = contracts.ABI(contracts.SkillNFT).Pack("mintSkillWithRoyalty", parent, *keep.Receiver, new(big.Int).SetUint64(keep.Bps))
		out.RoyaltyReceiver, out.RoyaltyBps = lower(*keep.Receiver), keep.Bps
		payload["royaltyReceiver"], payload["royaltyBps"] = out.RoyaltyReceiver, keep.Bps
		facts = append(facts, Fact{"royalty", "royalty", fmt.Sprintf("%s of each sale to %s", percent(keep.Bps), keep.Receiver.Hex())})
	}
	if err != nil {
		return SkillMintOut{}, err
	}
	at, err := s.locateTarget(ctx, contracts.SkillNFT)
	if err != nil {
		return SkillMintOut{}, err
	}
	d, err := s.send(ctx, call{Op: "skill.mint", Command: "v2 skill mint", What: what, Contract: at, Data: data, Facts: facts, Payload: payload, Keep: keep, Go: in.Go})
	if err != nil {
		return SkillMintOut{}, err
	}
	if !d.DryRun {
		id, _ := d.Result["skillId"].(*big.Int)
		owner, _ := d.Result["owner"].(string)
		d.Message = fmt.Sprintf("minted skill %s", id)
		out.SkillID, out.Owner = json.Number(id.String()), owner
	}
	out.Sent = s.sent(d)
	return out, nil
}

// royalty reads who gets what of each sale; nil is nobody.
func (s *Service) royalty(ctx context.Context, in SkillMintIn) (*common.Address, uint64, error) {
	if in.RoyaltyReceiver == "" && in.RoyaltyBps == "" {
		return nil, 0, nil
	}
	if in.RoyaltyReceiver == "" || in.RoyaltyBps == "" {
		return nil, 0, fault.New(fault.Usage, "--royalty-receiver and --royalty-bps belong together").Hintf("give both, or none").WithSent(fault.SentNo)
	}
	bps, err := strconv.ParseUint(in.RoyaltyBps, 10, 16)
	if err != nil || bps > 10_000 {
		return nil, 0, fault.New(fault.Usage, "--royalty-bps %q: a whole number from 0 to 10000 is expected, in hundredths of a percent", fault.Excerpt(in.RoyaltyBps, 20)).
			Hintf("5 %% is --royalty-bps 500").WithSent(fault.SentNo)
	}
	if in.RoyaltyReceiver == "vault" {
		at, err := s.vaultToPay(ctx)
		if err != nil {
			return nil, 0, err
		}
		vault := common.HexToAddress(at.Address)
		return &vault, bps, nil
	}
	to, err := address("--royalty-receiver", in.RoyaltyReceiver)
	return &to, bps, err
}

func confirmMint(_ context.Context, _ Chain, m mined) (map[string]any, error) {
	var keep mintKeep
	if err := json.Unmarshal(m.Keep, &keep); err != nil {
		return nil, err
	}
	got, err := m.event("SkillMinted", map[string]any{"owner": m.Tx.From, "parentId": keep.ParentID})
	if err == nil && keep.Receiver != nil {
		_, err = m.event("SkillRoyaltySet", map[string]any{"skillId": got["skillId"], "receiver": *keep.Receiver, "feeNumerator": new(big.Int).SetUint64(keep.Bps)})
	}
	if err != nil {
		return nil, err
	}
	id, ok := got["skillId"].(*big.Int)
	if !ok || id.Sign() == 0 {
		return nil, errors.New("the event tells no skill id")
	}
	return map[string]any{"skillId": id, "contentHash": keep.ContentHash.Hex(), "owner": lower(m.Tx.From)}, nil
}

// SkillPublishIn is the input of v2 skill publish.
type SkillPublishIn struct {
	SkillID  string  `json:"skillId" ai:"expose" kind:"tokenId" help:"id of the skill" required:"true"`
	File     string  `json:"file" ai:"operator" help:"the skill's card (JSON), whose version and hash are published" complete:"files"`
	CardText string  `json:"cardText" ai:"expose" maxlen:"8192" help:"the card itself, as the text of its JSON, where there is no file"`
	URI      *string `json:"uri" ai:"operator" help:"where the card is to be had (default: the card's sourceUrl, if that is https)" empty:"true"`
	RiskTier string  `json:"riskTier" ai:"operator" help:"1, 2 or 3 (default: the card's, else 1)"`
	Go
}

// Check refuses what names no card, or two.
func (in SkillPublishIn) Check() error {
	if (in.File == "") == (in.CardText == "") {
		return fault.New(fault.Usage, "the skill's card is needed, once: --file, or --card-text").Hintf("give it as in --file my-skill.v1.0.0.json").WithSent(fault.SentNo)
	}
	return nil
}

// SkillPublishOut is the result of v2 skill publish.
type SkillPublishOut struct {
	Sent
	SkillID     json.Number `json:"skillId"`
	Slug        string      `json:"slug"`
	Version     string      `json:"version"`
	VersionHash string      `json:"versionHash"`
	ContentHash string      `json:"contentHash"`
	URI         string      `json:"uri"`
	RiskTier    int         `json:"riskTier"`
}

// publishKeep is what a published version is held against once it is mined.
type publishKeep struct {
	SkillID     *big.Int    `json:"skillId"`
	VersionHash common.Hash `json:"versionHash"`
	ContentHash common.Hash `json:"contentHash"`
	URI         string      `json:"uri"`
	RiskTier    uint8       `json:"riskTier"`
}

// SkillPublish publishes a version of a skill, with in.Execute, and else tells what
// it would do.
func (s *Service) SkillPublish(ctx context.Context, in SkillPublishIn) (SkillPublishOut, error) {
	id, err := number("--skill-id", in.SkillID)
	if err == nil && id.Sign() == 0 {
		err = fault.New(fault.Usage, "--skill-id 0 is no skill: ids begin at 1").Hintf("mint it first: %s v2 skill mint", s.d.CLI).WithSent(fault.SentNo)
	}
	if err != nil {
		return SkillPublishOut{}, err
	}
	if err := in.Check(); err != nil {
		return SkillPublishOut{}, err
	}
	card, err := in.card()
	if err != nil {
		return SkillPublishOut{}, err
	}
	keep := publishKeep{SkillID: id, VersionHash: VersionHash(card.Version), ContentHash: card.ContentHash, URI: card.URI()}
	if in.URI != nil {
		keep.URI = *in.URI
	}
	if err := checkURI(keep.URI); err != nil {
		return SkillPublishOut{}, err
	}
	if keep.RiskTier, err = tier(in.RiskTier, card); err != nil {
		return SkillPublishOut{}, err
	}
	data, err := contracts.ABI(contracts.SkillRegistry).Pack("publishVersion", id, [32]byte(keep.VersionHash), [32]byte(keep.ContentHash), keep.URI, keep.RiskTier)
	if err != nil {
		return SkillPublishOut{}, err
	}
	at, err := s.locateTarget(ctx, contracts.SkillRegistry)
	if err != nil {
		return SkillPublishOut{}, err
	}
	facts := append([]Fact{{"skillId", "skill", id.String()}}, cardFacts(card)...)
	facts = append(facts, Fact{"contentHash", "content hash", keep.ContentHash.Hex()}, Fact{"versionHash", "version hash", keep.VersionHash.Hex()},
		Fact{"uri", "uri", map[bool]string{true: "none", false: keep.URI}[keep.URI == ""]}, Fact{"riskTier", "risk tier", strconv.Itoa(int(keep.RiskTier))})
	if in.CardText != "" {
		facts = append(facts, Fact{"cardText", "the card", excerpt(in.CardText)})
	}
	d, err := s.send(ctx, call{
		Op: "skill.publish", Command: "v2 skill publish", What: fmt.Sprintf("publish version %s of skill %s (%s)", card.Version, id, card.Slug), Contract: at, Data: data, Facts: facts,
		Payload: map[string]any{"skillId": id.String(), "slug": card.Slug, "version": card.Version, "uri": keep.URI, "riskTier": keep.RiskTier}, Keep: keep, Go: in.Go,
	})
	if err != nil {
		return SkillPublishOut{}, err
	}
	if !d.DryRun {
		d.Message = fmt.Sprintf("published version %s of skill %s", card.Version, id)
	}
	return SkillPublishOut{Sent: s.sent(d), SkillID: json.Number(id.String()), Slug: card.Slug, Version: card.Version, VersionHash: keep.VersionHash.Hex(),
		ContentHash: keep.ContentHash.Hex(), URI: keep.URI, RiskTier: int(keep.RiskTier)}, nil
}

func confirmPublish(_ context.Context, _ Chain, m mined) (map[string]any, error) {
	var keep publishKeep
	if err := json.Unmarshal(m.Keep, &keep); err != nil {
		return nil, err
	}
	if _, err := m.event("SkillVersionPublished", map[string]any{"skillId": keep.SkillID, "versionHash": keep.VersionHash, "contentHash": keep.ContentHash,
		"publisher": m.Tx.From, "uri": keep.URI, "riskTier": keep.RiskTier}); err != nil {
		return nil, err
	}
	return map[string]any{"skillId": keep.SkillID, "versionHash": keep.VersionHash.Hex(), "contentHash": keep.ContentHash.Hex(), "publisher": lower(m.Tx.From)}, nil
}

// maxURI is what SkillRegistry takes, in bytes.
const maxURI = 2048

// checkURI refuses what is no address that others can use: above all, a path of this
// machine would tell the world about it. What is no text of signs that are seen would
// not come back from the journal as it is on chain, or be read as something else.
func checkURI(uri string) error {
	if uri == "" {
		return nil
	}
	u, err := url.Parse(uri)
	if err == nil && u.User == nil && len(uri) <= maxURI && slices.Contains([]string{"https", "http", "ipfs", "ar"}, u.Scheme) && (u.Host != "" || u.Opaque != "") &&
		!strings.ContainsFunc(uri, func(r rune) bool { return r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r) }) {
		return nil
	}
	return fault.New(fault.Usage, "--uri %q is no address that others can open: https, http, ipfs or ar is expected, without user and password, of at most %d bytes",
		fault.Excerpt(uri, 80), maxURI).Hintf("leave it out, or give an https address").WithSent(fault.SentNo)
}

// tier is the risk tier of a version: the card's, and no other than that.
func tier(asked string, card skill.Card) (uint8, error) {
	own := card.RiskTier
	if asked == "" {
		return uint8(max(own, 1)), nil
	}
	n, err := strconv.ParseUint(asked, 10, 8)
	switch {
	case err != nil || n < 1 || n > 3:
		return 0, fault.New(fault.Usage, "--risk-tier %q: 1, 2 or 3 is expected", fault.Excerpt(asked, 20)).Hintf("1 is harmless, 3 may move money").WithSent(fault.SentNo)
	case own != 0 && int(n) != own:
		return 0, fault.New(fault.Usage, "--risk-tier %d, and the card says %d", n, own).Hintf("leave it out, or change the card").WithSent(fault.SentNo)
	}
	return uint8(n), nil
}

// card reads the card to be published.
func (in SkillPublishIn) card() (skill.Card, error) {
	if in.CardText == "" {
		card, _, err := ReadCard(in.File)
		return card, err
	}
	return ParseCard([]byte(in.CardText), "--card-text")
}

// ReadCard reads a skill card from a file, parsed and byte for byte.
func ReadCard(path string) (skill.Card, []byte, error) {
	f, err := store.OpenToRead(path)
	if err != nil { // what its hint tells of is the state's files
		return skill.Card{}, nil, fault.Wrap(err, fault.NotFound, "card %s", fault.From(err).Message).
			Hintf("a card is a JSON file with slug, name and version").WithSent(fault.SentNo)
	}
	defer f.Close() //nolint:errcheck // only read
	raw, err := io.ReadAll(io.LimitReader(f, skill.MaxBytes+1))
	if err != nil {
		return skill.Card{}, nil, fault.Wrap(err, fault.NotFound, "card %s can't be read", store.Display(path)).WithSent(fault.SentNo)
	}
	card, err := ParseCard(raw, "card "+store.Display(path))
	return card, raw, err
}

// ParseCard parses a skill card; from says in an error where it is from.
func ParseCard(raw []byte, from string) (skill.Card, error) {
	card, err := skill.Parse(raw)
	if err != nil {
		e := fault.From(err)
		return card, fault.Wrap(err, e.Code, "%s: %s", from, e.Message).Hintf("what a card may have: docs/skillcard.schema.json").WithSent(fault.SentNo)
	}
	return card, nil
}

// cardFacts are what a person knows a card by.
func cardFacts(c skill.Card) []Fact {
	return []Fact{{"slug", "card", c.Slug}, {"name", "name", fault.Excerpt(c.Name, 80)}, {"version", "version", c.Version}}
}

// number reads a whole number of at most 256 bits.
func number(flag, text string) (*big.Int, error) {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || n.Sign() < 0 || n.BitLen() > 256 || n.String() != text {
		return nil, fault.New(fault.Usage, "%s %q is no whole number", flag, fault.Excerpt(text, 40)).Hintf("give the id as it was shown, such as %s 1", flag).WithSent(fault.SentNo)
	}
	return n, nil
}

// address reads an address that is not the zero one. One whose mixed case is not its
// checksum has a wrong digit: what is paid to it is lost.
func address(flag, text string) (common.Address, error) {
	if !common.IsHexAddress(text) || !strings.HasPrefix(text, "0x") || common.HexToAddress(text) == (common.Address{}) {
		return common.Address{}, fault.New(fault.Usage, "%s %q is no address", flag, fault.Excerpt(text, 60)).Hintf("an address is 0x and 40 hexadecimal digits").WithSent(fault.SentNo)
	}
	digits, addr := text[2:], common.HexToAddress(text)
	if digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) && text != addr.Hex() {
		return common.Address{}, fault.New(fault.Usage, "%s %s: its capitals are not its checksum, so that a digit is wrong", flag, text).Hintf("copy it again from where it is from").WithSent(fault.SentNo)
	}
	return addr, nil
}

// percent is hundredths of a percent for people.
func percent(bps uint64) string {
	text := fmt.Sprintf("%d.%02d", bps/100, bps%100)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + " %"
}
