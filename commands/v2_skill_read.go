package commands

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

func v2SkillReadCommands() []Command { return []Command{newV2SkillShow(), newV2SkillList()} }

// V2SkillShowIn adds the contracts' addresses to the operation's input.
type V2SkillShowIn struct {
	v2.SkillShowIn
	SkillNFT string `json:"skillNft" ai:"operator" help:"\x60address\x60 of SkillNFT"`
	Registry string `json:"registry" ai:"operator" help:"\x60address\x60 of SkillRegistry"`
}

// V2SkillListIn adds the contracts' addresses to the operation's input.
type V2SkillListIn struct {
	v2.SkillListIn
	SkillNFT string `json:"skillNft" ai:"operator" help:"\x60address\x60 of SkillNFT"`
	Registry string `json:"registry" ai:"operator" help:"\x60address\x60 of SkillRegistry"`
}

func newV2SkillShow() Command {
	return define(Spec{Name: "v2 skill show", Short: "Show a skill on chain with its versions",
		Long: `Read a skill's owner, parent, royalty and published versions from the chain, the newest
first. With --file the card is held against them: it is the published one when its
canonical JSON has the published hash. A version's uri is what its publisher says; it is
not opened.`,
		Example: "  ape-claw v2 skill show --skill-id 1\n  ape-claw v2 skill show --skill-id 1 --file my-skill.v1.0.0.json",
		Events:  []string{"v2.skill.read"}, Risk: RiskRead, Permission: "v2:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in V2SkillShowIn) (v2.SkillShowOut, error) {
			s, err := d.v2(ctx, v2Flag{contracts.SkillNFT, "--skill-nft", in.SkillNFT}, v2Flag{contracts.SkillRegistry, "--registry", in.Registry})
			if err != nil {
				return v2.SkillShowOut{}, err
			}
			out, err := s.SkillShow(ctx, in.SkillShowIn)
			if err != nil {
				return v2.SkillShowOut{}, err
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "v2.skill.read", ChainID: out.ChainID,
				Payload: map[string]any{"skillId": in.SkillID}, Result: map[string]any{"skillId": out.SkillID, "versions": out.Versions, "owner": out.Owner}})
		},
		func(p *Printer, out v2.SkillShowOut) {
			p.Head("Skill %s on %s", out.SkillID, out.Network)
			p.KV("owner", out.Owner, "parent", parentWords(out.ParentID), "royalty", royaltyWords(out), "contract", out.Contract, "registry", out.Registry)
			printSkillVersions(p, out.Published)
			if more := out.Versions - uint64(len(out.Published)); more > 0 {
				p.Line("and %d older", more)
			}
			if out.Card != nil {
				p.Line("%s: %s", clean(out.Card.Slug), clean(out.Explained))
			}
		})
}

func newV2SkillList() Command {
	return define(Spec{Name: "v2 skill list", Short: "List the newest skills on chain",
		Example: "  ape-claw v2 skill list --limit 50",
		Events:  []string{"v2.skills.read"}, Risk: RiskRead, Permission: "v2:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in V2SkillListIn) (v2.SkillListOut, error) {
			s, err := d.v2(ctx, v2Flag{contracts.SkillNFT, "--skill-nft", in.SkillNFT}, v2Flag{contracts.SkillRegistry, "--registry", in.Registry})
			if err != nil {
				return v2.SkillListOut{}, err
			}
			out, err := s.SkillList(ctx, in.SkillListIn)
			if err != nil {
				return v2.SkillListOut{}, err
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "v2.skills.read", ChainID: out.ChainID, Result: map[string]any{"count": out.Count}})
		},
		func(p *Printer, out v2.SkillListOut) {
			if out.Count == 0 {
				p.Line("No skills.")
				return
			}
			rows := make([][]string, 0, out.Count)
			for _, s := range out.Skills {
				row := []string{s.SkillID.String(), parentWords(s.ParentID), s.Owner, fmt.Sprint(s.Versions), "", ""}
				if v := s.Newest; v != nil {
					row[4], row[5] = fmt.Sprint(v.RiskTier), v.ContentHash
				}
				rows = append(rows, row)
			}
			p.Table([]string{"SKILL", "PARENT", "OWNER", "VERSIONS", "RISK", "NEWEST CONTENT"}, rows)
			if out.Next != "" {
				p.List(cyan, "Next", []string{out.Next})
			}
		})
}

func printSkillVersions(p *Printer, versions []v2.SkillVersion) {
	if len(versions) == 0 {
		p.Line("No version is published.")
		return
	}
	rows := make([][]string, 0, len(versions))
	for _, v := range versions {
		rows = append(rows, []string{fmt.Sprint(v.Index), v.PublishedAt, fmt.Sprint(v.RiskTier), v.ContentHash, clean(v.URI)})
	}
	p.Table([]string{"NO", "PUBLISHED", "RISK", "CONTENT", "URI"}, rows)
}

func royaltyWords(out v2.SkillShowOut) string {
	if out.RoyaltyReceiver == "" {
		return "none"
	}
	return fmt.Sprintf("%d of 10000 to %s", out.RoyaltyBps, out.RoyaltyReceiver)
}

// parentWords is an id, of which 0 means none.
func parentWords(id json.Number) string {
	if id == "0" {
		return "none"
	}
	return id.String()
}
