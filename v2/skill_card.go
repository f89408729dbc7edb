package v2

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/skill"
)

// SkillCardIn is the input of skill mint.
type SkillCardIn struct {
	SkillMintIn
	URI      *string `json:"uri" ai:"operator" help:"where the card is to be had (default: the card's sourceUrl, if that is https)" empty:"true"`
	RiskTier string  `json:"riskTier" ai:"operator" help:"1, 2 or 3 (default: the card's, else 1)"`
}

// SkillCardOut is the result of skill mint: the mint, and the publishing after it.
type SkillCardOut struct {
	OK            bool             `json:"ok"`
	DryRun        bool             `json:"dryRun"`
	Message       string           `json:"message"`
	ChainID       int64            `json:"chainId"`
	SkillID       json.Number      `json:"skillId,omitempty"`
	Slug          string           `json:"slug"`
	Version       string           `json:"version"`
	ContentHash   string           `json:"contentHash"`
	VersionHash   string           `json:"versionHash"`
	URI           string           `json:"uri"`
	RiskTier      int              `json:"riskTier"`
	Already       []string         `json:"already"` // what an earlier run did: minted, published
	TxHash        string           `json:"txHash,omitempty"`
	ConfirmPhrase string           `json:"confirmPhrase,omitempty"`
	Next          string           `json:"next,omitempty"`
	Mint          *SkillMintOut    `json:"mint,omitempty"`
	Publish       *SkillPublishOut `json:"publish,omitempty"`
}

// SkillMintCard mints a skill for a card and publishes the card's version, with
// in.Execute, and else tells what it would do. Run again after it was cut off, it goes
// on where that was: a card whose mint the log tells of is not minted twice.
func (s *Service) SkillMintCard(ctx context.Context, in SkillCardIn) (SkillCardOut, error) {
	card, _, err := ReadCard(in.File)
	if err != nil {
		return SkillCardOut{}, err
	}
	out := SkillCardOut{DryRun: !in.Execute, Slug: card.Slug, Version: card.Version, ContentHash: card.ContentHash.Hex(), VersionHash: VersionHash(card.Version).Hex(), URI: card.URI(), Already: []string{}}
	if in.URI != nil {
		out.URI = *in.URI
	}
	if err := checkURI(out.URI); err != nil {
		return SkillCardOut{}, err
	}
	level, err := tier(in.RiskTier, card)
	if err != nil {
		return SkillCardOut{}, err
	}
	out.RiskTier = int(level)
	if first, ok := strings.CutSuffix(in.Confirm, in.cardPhrase(card, out)); in.Confirm != "" && (!ok || first != alreadyMinted && !strings.HasPrefix(first, alreadyMinted+" v2 skill mint ")) {
		return SkillCardOut{}, fault.New(fault.ConfirmationMismatch, "the phrase is not the one of this card: that ends with%s", in.cardPhrase(card, out)).
			Hintf("run it without --execute, and give its confirmPhrase").WithSent(fault.SentNo)
	}
	id, err := s.mintedFor(ctx, in, card.ContentHash)
	if err != nil {
		return out, err
	}
	if id == "" {
		if id, err = s.mintOf(ctx, in, card, &out); err != nil || !in.Execute {
			return out, err
		}
	} else {
		out.SkillID, out.Already = json.Number(id), append(out.Already, "minted")
	}
	return out, s.publishOf(ctx, in, card, id, &out)
}

// alreadyMinted begins the phrase where only the publishing is left.
const alreadyMinted = "EXECUTE"

// cardPhrase is what a phrase has after that of the mint, so that it agrees to this card,
// and to what flags say instead of it.
func (in SkillCardIn) cardPhrase(c skill.Card, out SkillCardOut) string {
	hash := c.ContentHash.Hex()
	phrase := fmt.Sprintf(" AND PUBLISH %s %s %s", c.Slug, c.Version, hash[len(hash)-8:])
	if in.URI != nil {
		phrase += " AT " + map[bool]string{true: "none", false: out.URI}[out.URI == ""]
	}
	if in.RiskTier != "" {
		phrase += fmt.Sprintf(" TIER %d", out.RiskTier)
	}
	return phrase
}

// mintOf mints, and returns the skill's id once it is there.
func (s *Service) mintOf(ctx context.Context, in SkillCardIn, c skill.Card, out *SkillCardOut) (id string, err error) {
	mint := in.SkillMintIn
	mint.Also = []Fact{{"publish", "then publishes", "version " + c.Version + " of it"}, {"versionHash", "version hash", out.VersionHash},
		{"uri", "uri", map[bool]string{true: "none", false: out.URI}[out.URI == ""]}, {"riskTier", "risk tier", strconv.Itoa(out.RiskTier)}}
	mint.Confirm = strings.TrimSuffix(in.Confirm, in.cardPhrase(c, *out))
	m, err := s.SkillMint(ctx, mint)
	if err != nil {
		return "", err
	}
	out.Mint, out.OK, out.ChainID = &m, m.OK, m.ChainID
	if m.DryRun {
		out.Message = m.Message
		if m.ConfirmPhrase != "" {
			out.ConfirmPhrase = m.ConfirmPhrase + in.cardPhrase(c, *out)
			out.Next = fmt.Sprintf("%s skill mint --file FILE --execute --confirm '%s'", s.d.CLI, out.ConfirmPhrase)
		}
		return "", nil
	}
	out.SkillID = m.SkillID
	return m.SkillID.String(), nil
}

// publishOf publishes the version, unless the chain has it.
func (s *Service) publishOf(ctx context.Context, in SkillCardIn, c skill.Card, id string, out *SkillCardOut) error {
	chainID, held, err := s.HoldCard(ctx, id, c)
	switch out.ChainID = chainID; {
	case err != nil:
		return s.half(err, out)
	case held.Agrees:
		out.OK, out.Already = true, append(out.Already, "published")
		out.Message = fmt.Sprintf("skill %s has version %s of this very card", id, c.Version)
		return nil
	case held.Index != nil:
		return fault.New(fault.Conflict, "version %s of skill %s was published of another card", c.Version, id).Hintf("give the card a new version").WithSent(fault.SentNo)
	}
	publish := SkillPublishIn{SkillID: id, File: in.File, URI: in.URI, RiskTier: in.RiskTier, Go: in.Go}
	if in.Execute && !in.Autonomous {
		// Who agreed to mint this card agreed to publish it, and saw its hash: the phrase of
		// the second transaction could not be shown before there was an id.
		agreed := in.Confirm != "" || out.Mint != nil
		publish.Execute, publish.Confirm = false, ""
		dry, err := s.SkillPublish(ctx, publish)
		if err != nil {
			return s.half(err, out)
		}
		publish.Execute = true
		if agreed {
			publish.Confirm = dry.ConfirmPhrase
		}
	}
	p, err := s.SkillPublish(ctx, publish)
	if err != nil {
		return s.half(err, out)
	}
	if p.ContentHash != out.ContentHash {
		return s.half(fault.New(fault.Conflict, "the card changed while it was published").WithSent(fault.SentYes), out)
	}
	out.Publish, out.OK, out.Message, out.TxHash = &p, p.OK, p.Message, p.TxHash
	if p.DryRun && p.ConfirmPhrase != "" {
		out.ConfirmPhrase = alreadyMinted + in.cardPhrase(c, *out)
		out.Next = fmt.Sprintf("%s skill mint --file FILE --execute --confirm '%s'", s.d.CLI, out.ConfirmPhrase)
	}
	return nil
}

// half says how it goes on when the skill is minted and its card is not published.
func (s *Service) half(err error, out *SkillCardOut) error {
	if out.SkillID == "" {
		return err
	}
	f := *fault.From(err)
	hint := fmt.Sprintf("skill %s is minted: the same command again publishes the card", out.SkillID)
	if f.Hint != "" {
		hint = f.Hint + "; " + hint
	}
	return f.Hintf("%s", hint).With("skillId", out.SkillID.String())
}

// isSkillKey reports whether a transaction's key is one of a mint or a publishing.
func isSkillKey(key string) bool { return strings.HasPrefix(key, "v2.skill.") }

// mintedFor is the id of the skill that was minted for a card by this account, as this
// log tells; "" for none.
func (s *Service) mintedFor(ctx context.Context, in SkillCardIn, hash common.Hash) (id string, err error) {
	if s.d.Log == nil {
		return "", nil
	}
	who, err := s.d.Account(ctx)
	if err != nil {
		return "", err
	}
	chainID, _, err := s.network(ctx)
	if err != nil {
		return "", err
	}
	if in.Execute && s.d.Settle != nil { // what an earlier run left open may be this very mint
		if _, err := s.d.Settle(ctx, chainID, isSkillKey, s.Reconsider); err != nil {
			return "", err
		}
	}
	log, err := s.d.Log(ctx)
	if err != nil {
		return "", err
	}
	_, cut, err := s.search(log).back(ctx, 1, func(raw []byte) (take, last bool) {
		var l struct {
			EventType, EventID string
			ChainID            int64
			OK                 bool
			Result             struct {
				SkillID            *big.Int
				ContentHash, Owner string
			}
		}
		if !bytes.Contains(raw, []byte(`"v2.skill.minted"`)) || json.Unmarshal(raw, &l) != nil || l.EventType != "v2.skill.minted" || isCopy(l.EventID) || !l.OK ||
			l.ChainID != chainID || l.Result.SkillID == nil || common.HexToHash(l.Result.ContentHash) != hash || common.HexToAddress(l.Result.Owner) != who {
			return false, false
		}
		id = l.Result.SkillID.String()
		return true, true
	})
	if err == nil && id != "" && chainID == sandboxChain { // which may have been made anew since
		if _, err := s.SkillShow(ctx, SkillShowIn{SkillID: id}); fault.CodeOf(err) == fault.NotFound {
			return "", nil
		}
	}
	if err == nil && id == "" && cut {
		err = fault.New(fault.StateUnusable, "the log is too long to say whether this card was minted already").
			Hintf("mint and publish it step by step: %s v2 skill mint, then v2 skill publish", s.d.CLI).WithSent(fault.SentNo)
	}
	return id, err
}
