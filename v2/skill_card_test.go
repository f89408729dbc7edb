package v2_test

import (
	"context"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
	"github.com/ape-claw/ape-claw/v2/skill"
)

// settling gives the operations what settles earlier runs, as commands do.
func settling(p **process) func(*v2.Deps) {
	return func(d *v2.Deps) {
		d.Settle = func(ctx context.Context, chainID int64, mine func(string) bool, _ v2.Again) (kept []error, err error) {
			open, err := (*p).sender.Recover(ctx, chainID)
			for _, tx := range open {
				if mine(tx.Key) && err == nil {
					var got chain.ResumeOut
					got, err = (*p).sender.Resume(ctx, chain.ResumeIn{ChainID: chainID, Tx: tx.ID, Await: true})
					kept = append(kept, got.Kept...)
				}
			}
			return kept, err
		}
	}
}

// settled is a process that settles.
func (h *home) settled(t testing.TB) *process {
	t.Helper()
	p := new(process)
	*p = *h.open(t, settling(&p))
	return p
}

func writeCard(t testing.TB, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "card.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const mintedCard = `{"slug":"a","name":"A","version":"2.0","constraints":{"riskTier":2},"provenance":{"sourceUrl":"https://a.example/a.json"}}`

func (p *process) mintCard(t testing.TB, in v2.SkillCardIn) (v2.SkillCardOut, error) {
	t.Helper()
	in.ParentID = "0"
	dry, err := p.SkillMintCard(t.Context(), in)
	if err != nil {
		return dry, err
	}
	in.Execute, in.Confirm = true, dry.ConfirmPhrase
	return p.SkillMintCard(t.Context(), in)
}

// A card is minted and published by one agreement, and once.
func TestSkillMintCard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 3)
	p := h.settled(t)
	in := v2.SkillCardIn{SkillMintIn: v2.SkillMintIn{File: writeCard(t, mintedCard)}}
	dry, err := p.SkillMintCard(t.Context(), v2.SkillCardIn{SkillMintIn: v2.SkillMintIn{File: in.File, ParentID: "0"}})
	if err != nil || !dry.DryRun || !strings.Contains(dry.ConfirmPhrase, " AND PUBLISH a 2.0 ") || w.minted(t) != 0 {
		t.Fatalf("%+v, %v", dry, err)
	}
	var facts []string
	for _, f := range dry.Mint.Action.Facts {
		facts = append(facts, f.Name+"="+f.Value)
	}
	for _, want := range []string{"publish=version 2.0 of it", "uri=https://a.example/a.json", "riskTier=2", "contentHash=" + dry.ContentHash} {
		if !slices.Contains(facts, want) {
			t.Errorf("the card lacks %s: %v", want, facts)
		}
	}
	// Another card's phrase, and the mint's own, agree to nothing.
	for _, phrase := range []string{dry.Mint.ConfirmPhrase, strings.Replace(dry.ConfirmPhrase, " a 2.0 ", " b 2.0 ", 1), "YES" + dry.ConfirmPhrase[strings.Index(dry.ConfirmPhrase, " AND"):], "EXECUTE v2 skill mint 000000" + dry.ConfirmPhrase[strings.Index(dry.ConfirmPhrase, " AND"):]} {
		bad := v2.SkillCardIn{SkillMintIn: v2.SkillMintIn{File: in.File, ParentID: "0", Go: v2.Go{Execute: true, Confirm: phrase}}}
		if _, err := p.SkillMintCard(t.Context(), bad); fault.CodeOf(err) != fault.ConfirmationMismatch || w.minted(t) != 0 {
			t.Errorf("%s: %v", phrase, err)
		}
	}
	// What flags say instead of the card is in the phrase: another uri or tier needs another one.
	elsewhere := "https://evil.example/a.json"
	for _, other := range []v2.SkillCardIn{{SkillMintIn: in.SkillMintIn, URI: &elsewhere}, {SkillMintIn: in.SkillMintIn, RiskTier: "2"}} {
		other.ParentID, other.Execute, other.Confirm = "0", true, dry.ConfirmPhrase
		if _, err := p.SkillMintCard(t.Context(), other); fault.CodeOf(err) != fault.ConfirmationMismatch || w.minted(t) != 0 {
			t.Errorf("%+v: %v", other, err)
		}
	}
	out, err := p.mintCard(t, in)
	if err != nil || out.SkillID != "1" || out.Publish == nil || !out.OK || out.TxHash == "" || out.ChainID != devchain.ChainID {
		t.Fatalf("%+v, %v", out, err)
	}
	parsed, err := skill.Parse([]byte(mintedCard))
	if err != nil {
		t.Fatal(err)
	}
	_, held, err := p.HoldCard(t.Context(), "1", parsed)
	if err != nil || !held.Agrees {
		t.Errorf("%+v, %v", held, err)
	}
	again, err := p.mintCard(t, in)
	if err != nil || again.SkillID != "1" || !slices.Equal(again.Already, []string{"minted", "published"}) || w.minted(t) != 1 {
		t.Errorf("%+v, %v", again, err)
	}
	// Another account's log says nothing of this one's.
	other, err := w.home(t, 4).settled(t).mintCard(t, in)
	if err != nil || other.SkillID != "2" {
		t.Errorf("%+v, %v", other, err)
	}
}

// Wherever it is cut off, the same command again ends with one skill and one version.
func TestSkillMintCardEndsAtEachStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := 10
	for _, at := range []string{"intended", "signed", "persisted", "broadcast", "noted", "sent", "mined", "settled", "logged"} {
		for _, which := range []int{1, 2} { // of the mint, and of the publishing
			account++
			h := w.home(t, account)
			h.lax = true
			before := w.minted(t)
			in := v2.SkillCardIn{SkillMintIn: v2.SkillMintIn{File: writeCard(t, strings.Replace(mintedCard, `"A"`, `"`+at+string(rune('0'+which))+`"`, 1))}}
			seen := 0
			h.step = func(name string) {
				if name == at {
					if seen++; seen == which {
						panic(errStopped)
					}
				}
			}
			func() {
				defer func() {
					if r := recover(); r != errStopped {
						t.Fatalf("%s %d: %v", at, which, r)
					}
				}()
				_, err := h.settled(t).mintCard(t, in)
				t.Fatalf("it never came to %s %d: %v", at, which, err)
			}()
			h.step = nil
			out, err := h.settled(t).mintCard(t, in)
			if err != nil || !out.OK {
				t.Fatalf("%s %d: %+v, %v", at, which, out, err)
			}
			if n := w.minted(t); n != before+1 {
				t.Errorf("%s %d: %d were minted", at, which, n-before)
			}
			id, _ := new(big.Int).SetString(out.SkillID.String(), 10)
			if n := w.read(t, contracts.SkillRegistry, "versionCount", id)[0].(*big.Int); n.Int64() != 1 {
				t.Errorf("%s %d: %s versions", at, which, n)
			}
		}
	}
}
