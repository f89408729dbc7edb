package commands

import (
	"context"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// V2SkillMintIn adds the contracts' addresses to the operation's input.
type V2SkillMintIn struct {
	v2.SkillMintIn
	SkillNFT string `json:"skillNft" ai:"operator" help:"address of SkillNFT"`
	Vault    string `json:"vault" ai:"operator" help:"address of PodVault, for --royalty-receiver vault"`
	Registry string `json:"registry" ai:"operator" help:"address of SkillRegistry; accepted for compatibility: minting does not call it"`
}

func newV2SkillMint() Command {
	return define(Spec{Name: "v2 skill mint", Short: "Mint a skill on chain: a dry run, and with --execute for real",
		Long: `Mint a skill as a token of SkillNFT to the account of the key, with a royalty where one
is named. Without --execute the exact call is simulated, and nothing is signed. With it
the gates of policy decide, the transaction is journaled, signed and sent, and the
skill's id is read from the event in its receipt. --confirm gives the phrase that the dry
run shows; at a terminal it is asked for.

With --file the hash of the skill's card goes into the event; v2 skill publish then
publishes the card's version.`,
		Example: "  ape-claw v2 skill mint\n  ape-claw v2 skill mint --royalty-receiver vault --royalty-bps 500 --execute",
		Events:  settling("v2.tx.dry_run"), Risk: RiskHigh, Permission: "v2:skill:mint", AI: Exposure{Class: AITool, Grade: ai.GradeHigh, Identifiers: []string{"parentId", "contentHash"}, Untrusted: true, About: aboutSkillMint}},
		func(ctx context.Context, d *Deps, in V2SkillMintIn) (v2.SkillMintOut, error) {
			s, err := d.v2Asking(ctx, in.Go, v2Flag{contracts.SkillNFT, "--skill-nft", in.SkillNFT}, v2Flag{contracts.PodVault, "--vault", in.Vault})
			if err != nil {
				return v2.SkillMintOut{}, err
			}
			return s.SkillMint(ctx, in.SkillMintIn)
		},
		func(p *Printer, out v2.SkillMintOut) {
			printSent(p, out.Sent, "skill", out.SkillID.String(), "owner", out.Owner)
		})
}

// V2SkillPublishIn adds the registry's address to the operation's input.
type V2SkillPublishIn struct {
	v2.SkillPublishIn
	Registry string `json:"registry" ai:"operator" help:"address of SkillRegistry"`
}

func newV2SkillPublish() Command {
	return define(Spec{Name: "v2 skill publish", Aliases: []string{"skill publish"}, Short: "Publish a version of a skill: a dry run, and with --execute for real",
		Long: `Publish the version and the content hash of a skill's card in SkillRegistry, where they
can't be changed or taken back. Only the skill's owner, or whom they approved, may. The
hash is keccak256 of the card's canonical JSON. Nothing of this machine goes on chain:
the uri is what --uri says, or the card's sourceUrl where that is https, or none.

Without --execute the exact call is simulated, and nothing is signed; --confirm gives the
phrase that the dry run shows, and at a terminal it is asked for.`,
		Example: "  ape-claw v2 skill publish --skill-id 1 --file my-skill.v1.0.0.json",
		Events:  settling("v2.tx.dry_run"), Risk: RiskHigh, Permission: "v2:skill:publish", AI: Exposure{Class: AITool, Grade: ai.GradeHigh, Identifiers: []string{"skillId", "contentHash"}, Untrusted: true, About: aboutSkillPublish}},
		func(ctx context.Context, d *Deps, in V2SkillPublishIn) (v2.SkillPublishOut, error) {
			s, err := d.v2Asking(ctx, in.Go, v2Flag{contracts.SkillRegistry, "--registry", in.Registry})
			if err != nil {
				return v2.SkillPublishOut{}, err
			}
			return s.SkillPublish(ctx, in.SkillPublishIn)
		},
		func(p *Printer, out v2.SkillPublishOut) {
			printSent(p, out.Sent, "skill", out.SkillID.String(), "version", out.Version, "version hash", out.VersionHash, "content hash", out.ContentHash)
		})
}
