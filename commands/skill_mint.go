package commands

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
	"github.com/ape-claw/ape-claw/v2/skill"
)

// SkillMintIn adds the contracts' addresses to the operation's input.
type SkillMintIn struct {
	v2.SkillCardIn
	SkillNFT string `json:"skillNft" ai:"operator" help:"\x60address\x60 of SkillNFT"`
	Vault    string `json:"vault" ai:"operator" help:"\x60address\x60 of PodVault, for --royalty-receiver vault"`
	Registry string `json:"registry" ai:"operator" help:"\x60address\x60 of SkillRegistry"`
}

// Check refuses a mint of no card, which is the other command's.
func (in SkillMintIn) Check() error {
	if in.File == "" {
		return fault.New(fault.Usage, "which card? --file names it").Hintf("without a card: ape-claw v2 skill mint").WithSent(fault.SentNo)
	}
	return nil
}

func newSkillMint() Command {
	return define(Spec{Name: "skill mint", Short: "Mint a skill for a card and publish it: a dry run, unless with --execute",
		Long: `Mint a skill as a token of SkillNFT and publish its card's version and content hash in
SkillRegistry: two transactions, each simulated and passed through every gate, agreed to
by one phrase that names the card and its hash. When it was cut off, or the second
failed, the same command goes on where it was: nothing is minted twice for the same card.`,
		Example: "  ape-claw skill mint --file my-skill.v1.0.0.json\n  ape-claw skill mint --file my-skill.v1.0.0.json --royalty-receiver vault --royalty-bps 500 --execute",
		Events:  settling("v2.tx.dry_run", "skill.card.onchain"), Risk: RiskHigh, Permission: "v2:skill:mint", AI: Exposure{Class: AIOperator}},
		skillMint,
		func(p *Printer, out v2.SkillCardOut) {
			switch {
			case out.Mint != nil && out.DryRun:
				printSent(p, out.Mint.Sent, "content hash", out.ContentHash)
				if out.ConfirmPhrase != "" {
					p.KV("phrase for both", clean(out.ConfirmPhrase))
				}
			default:
				p.Head("%s", clean(out.Message))
				p.KV("skill", out.SkillID.String(), "card", clean(out.Slug)+" "+out.Version, "content hash", out.ContentHash, "version hash", out.VersionHash,
					"done before", strings.Join(out.Already, ", "), "transaction", out.TxHash)
			}
			if out.Next != "" {
				p.List(cyan, "Next", []string{clean(out.Next)})
			}
		})
}

func skillMint(ctx context.Context, d *Deps, in SkillMintIn) (v2.SkillCardOut, error) {
	s, err := d.v2Asking(ctx, in.Go, v2Flag{contracts.SkillNFT, "--skill-nft", in.SkillNFT}, v2Flag{contracts.PodVault, "--vault", in.Vault}, v2Flag{contracts.SkillRegistry, "--registry", in.Registry})
	if err != nil {
		return v2.SkillCardOut{}, err
	}
	out, err := s.SkillMintCard(ctx, in.SkillCardIn)
	out.Next = strings.Replace(out.Next, "--file FILE", "--file "+store.Display(in.File), 1)
	if err != nil || out.DryRun {
		return out, err
	}
	if err := d.noteMinted(ctx, in.File, out); err != nil { // what is on chain is so without it
		d.warn("the library does not know of it: %s", fault.From(err).Message)
	}
	return out, nil
}

// noteMinted tells the library, where it has this very card.
func (d *Deps) noteMinted(ctx context.Context, file string, out v2.SkillCardOut) error {
	cfg, err := d.Config()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(cfg.StateDir, store.StateFile)); err != nil {
		return nil // there is no library
	}
	l, err := d.library()
	if err != nil {
		return err
	}
	c, _, err := v2.ReadCard(file)
	if err != nil {
		return err
	}
	e, err := l.File(ctx, c.FileName(), "")
	if isCode(err, fault.NotFound) || err == nil && e.ContentHash != out.ContentHash {
		return nil
	}
	if err != nil {
		return err
	}
	at := skill.OnChain{SkillID: out.SkillID.String(), ChainID: out.ChainID, TxHash: out.TxHash}
	if e.OnChain != nil && at.TxHash == "" {
		return nil // it knows of it
	}
	if _, err = l.MarkOnChain(ctx, e.FileName, "", e.ContentHash, at); err != nil {
		return err
	}
	return d.Record(ctx, telemetry.Draft{Type: "skill.card.onchain", ChainID: at.ChainID,
		Result: map[string]any{"slug": e.Slug, "version": e.Version, "skillId": at.SkillID, "contentHash": e.ContentHash}})
}
