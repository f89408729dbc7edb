package contracts_test

import (
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/v2/contracts"
)

var nobody common.Address

func TestMintSkill(t *testing.T) {
	t.Parallel()
	a, b := newActor(t), newActor(t)
	nft := a.deploy(t, contracts.SkillNFT)
	wantValues(t, a.call(t, nft, "name"), "ApeClaw Skill")
	wantValues(t, a.call(t, nft, "symbol"), "ACSKILL")
	wantValues(t, a.call(t, nft, "nextSkillId"), 1)

	wantValues(t, a.call(t, nft, "mintSkill", 0), 1)
	wantEvents(t, a.send(t, nft, "mintSkill", 0),
		fmt.Sprintf("SkillNFT.Transfer(%s, %s, 1)", nobody, a.addr),
		fmt.Sprintf("SkillNFT.SkillMinted(1, %s, 0)", a.addr))
	wantEvents(t, b.send(t, nft, "mintSkill", 1), // a parent may be anybody's
		fmt.Sprintf("SkillNFT.Transfer(%s, %s, 2)", nobody, b.addr),
		fmt.Sprintf("SkillNFT.SkillMinted(2, %s, 1)", b.addr))
	wantValues(t, a.call(t, nft, "ownerOf", 2), b.addr)
	wantValues(t, a.call(t, nft, "parentSkillId", 1), 0)
	wantValues(t, a.call(t, nft, "parentSkillId", 2), 1)
	wantValues(t, a.call(t, nft, "parentSkillId", 99), 0)
	wantValues(t, a.call(t, nft, "nextSkillId"), 3)
	wantValues(t, a.call(t, nft, "royaltyInfo", 1, 10_000), nobody, 0)
	wantValues(t, a.call(t, nft, "tokenURI", 1), "")

	a.refused(t, "ParentSkillNotFound(3)", nft, "mintSkill", 3) // not its own parent
	a.refused(t, "ParentSkillNotFound(4)", nft, "mintSkillWithRoyalty", 4, a.addr, 1)
	a.paying(1).refused(t, "nothing", nft, "mintSkill", 0)
}

func TestSkillRoyalty(t *testing.T) {
	t.Parallel()
	a, b := newActor(t), newActor(t)
	nft := a.deploy(t, contracts.SkillNFT)
	wantEvents(t, a.send(t, nft, "mintSkillWithRoyalty", 0, b.addr, 250),
		fmt.Sprintf("SkillNFT.Transfer(%s, %s, 1)", nobody, a.addr),
		fmt.Sprintf("SkillNFT.SkillMinted(1, %s, 0)", a.addr),
		fmt.Sprintf("SkillNFT.SkillRoyaltySet(1, %s, 250)", b.addr))
	wantValues(t, a.call(t, nft, "royaltyInfo", 1, 10_000), b.addr, 250)
	wantValues(t, a.call(t, nft, "royaltyInfo", 1, 39), b.addr, 0) // rounded down

	// The owner sets it, and the new owner after a sale; an approved account not.
	a.send(t, nft, "approve", b.addr, 1)
	b.refused(t, fmt.Sprintf("NotSkillOwner(1, %s)", b.addr), nft, "setSkillRoyalty", 1, b.addr, 1)
	wantEvents(t, a.send(t, nft, "setSkillRoyalty", 1, a.addr, 10_000),
		fmt.Sprintf("SkillNFT.SkillRoyaltySet(1, %s, 10000)", a.addr))
	wantValues(t, a.call(t, nft, "royaltyInfo", 1, 777), a.addr, 777)
	a.send(t, nft, "transferFrom", a.addr, b.addr, 1)
	a.refused(t, fmt.Sprintf("NotSkillOwner(1, %s)", a.addr), nft, "setSkillRoyalty", 1, a.addr, 1)
	b.send(t, nft, "setSkillRoyalty", 1, b.addr, 0)
	wantValues(t, a.call(t, nft, "royaltyInfo", 1, 10_000), b.addr, 0)

	b.refused(t, "ERC2981InvalidTokenRoyalty(1, 10001, 10000)", nft, "setSkillRoyalty", 1, b.addr, 10_001)
	b.refused(t, fmt.Sprintf("ERC2981InvalidTokenRoyaltyReceiver(1, %s)", nobody), nft, "setSkillRoyalty", 1, nobody, 1)
	b.refused(t, "ERC721NonexistentToken(2)", nft, "setSkillRoyalty", 2, b.addr, 1)
	b.refused(t, "ERC2981InvalidTokenRoyalty(2, 10001, 10000)", nft, "mintSkillWithRoyalty", 0, b.addr, 10_001)
	b.refused(t, fmt.Sprintf("ERC2981InvalidTokenRoyaltyReceiver(2, %s)", nobody), nft, "mintSkillWithRoyalty", 0, nobody, 0)
}

// A contract gets a skill only if it says that it can hold one.
func TestMintToContract(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	nft := a.deploy(t, contracts.SkillNFT)
	wallet := a.fixture(t, "Wallet")
	mint := pack(t, nft.abi, "mintSkill", 0)
	withRoyalty := pack(t, nft.abi, "mintSkillWithRoyalty", 0, a.addr, 5)
	a.send(t, wallet, "call", nft.addr, 0, mint)
	wantValues(t, a.call(t, nft, "ownerOf", 1), wallet.addr)

	a.send(t, wallet, "setRefusing", true)
	refused := fmt.Sprintf("ERC721InvalidReceiver(%s)", wallet.addr)
	a.refused(t, refused, wallet, "call", nft.addr, 0, mint)
	a.refused(t, refused, wallet, "call", nft.addr, 0, withRoyalty)

	// A module has no such function: what is minted through one would be lost.
	swap := a.deploy(t, contracts.SwapModule)
	a.refused(t, fmt.Sprintf("ERC721InvalidReceiver(%s)", swap.addr), swap, "execute", a.addr, inputOf(t, nft.addr, mint))
}

func TestSkillInterfaces(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	nft := a.deploy(t, contracts.SkillNFT)
	for id, want := range map[string]bool{
		"0x01ffc9a7": true,  // ERC-165
		"0x80ac58cd": true,  // ERC-721
		"0x5b5e139f": true,  // its metadata
		"0x2a55205a": true,  // ERC-2981
		"0x780e9d63": false, // ERC-721 enumerable
		"0xffffffff": false,
	} {
		wantValues(t, a.call(t, nft, "supportsInterface", [4]byte(hexutil.MustDecode(id))), want)
	}
}

func TestPublishVersion(t *testing.T) {
	t.Parallel()
	a, b, c := newActor(t), newActor(t), newActor(t)
	nft := a.deploy(t, contracts.SkillNFT)
	reg := a.deploy(t, contracts.SkillRegistry, nft.addr)
	wantValues(t, a.call(t, reg, "skillNft"), nft.addr)
	wantValues(t, a.call(t, reg, "MAX_URI_LENGTH"), 2048)
	wantValues(t, a.call(t, reg, "MAX_RISK_TIER"), 3)
	a.send(t, nft, "mintSkill", 0)
	v1, v2, card := hash("1.0.0"), hash("1.1.0"), hash("{}")

	wantValues(t, a.call(t, reg, "versionCount", 1), 0)
	r := a.send(t, reg, "publishVersion", 1, v1, card, "https://a.test/1", 1)
	wantEvents(t, r, fmt.Sprintf(`SkillRegistry.SkillVersionPublished(1, %s, %s, %s, "https://a.test/1", 1)`, v1, card, a.addr))
	head, err := client(t).HeaderByNumber(t.Context(), r.BlockNumber)
	if err != nil {
		t.Fatal(err)
	}
	wantValues(t, a.call(t, reg, "getVersion", 1, 0), v1, card, "https://a.test/1", 1, head.Time, a.addr)
	wantValues(t, a.call(t, reg, "versionCount", 1), 1)
	wantValues(t, a.call(t, reg, "isPublished", 1, v1), true)
	wantValues(t, a.call(t, reg, "isPublished", 1, v2), false)
	wantValues(t, a.call(t, reg, "isPublished", 2, v1), false)

	a.refused(t, fmt.Sprintf("VersionAlreadyPublished(1, %s)", v1), reg, "publishVersion", 1, v1, hash("other"), "", 2)
	a.refused(t, "ZeroVersionHash()", reg, "publishVersion", 1, common.Hash{}, card, "", 1)
	a.refused(t, "InvalidRiskTier(0)", reg, "publishVersion", 1, v2, card, "", 0)
	a.refused(t, "InvalidRiskTier(4)", reg, "publishVersion", 1, v2, card, "", 4)
	a.refused(t, "UriTooLong(2049)", reg, "publishVersion", 1, v2, card, strings.Repeat("x", 2049), 1)
	a.refused(t, "VersionNotFound(1, 1)", reg, "getVersion", 1, 1)
	a.refused(t, "VersionNotFound(2, 0)", reg, "getVersion", 2, 0)
	// The registry asks the token for its owner, which there is none of.
	a.refused(t, "ERC721NonexistentToken(2)", reg, "publishVersion", 2, v1, card, "", 1)

	// Nobody else; then who is approved for the token; then for all tokens.
	stranger := func(x actor) string { return fmt.Sprintf("NotSkillOwnerOrApproved(1, %s)", x.addr) }
	b.refused(t, stranger(b), reg, "publishVersion", 1, v2, card, "", 1)
	a.send(t, nft, "approve", b.addr, 1)
	b.send(t, reg, "publishVersion", 1, v2, common.Hash{}, strings.Repeat("x", 2048), 3)
	wantValues(t, a.call(t, reg, "getVersion", 1, 1)[3:4], 3)
	wantValues(t, a.call(t, reg, "getVersion", 1, 1)[5:], b.addr)
	c.refused(t, stranger(c), reg, "publishVersion", 1, hash("2"), card, "", 1)
	a.send(t, nft, "setApprovalForAll", c.addr, true)
	c.send(t, reg, "publishVersion", 1, hash("2"), card, "", 2)

	// A sale ends the right of the seller and of whom the token was approved for.
	a.send(t, nft, "transferFrom", a.addr, c.addr, 1)
	a.refused(t, stranger(a), reg, "publishVersion", 1, hash("3"), card, "", 1)
	b.refused(t, stranger(b), reg, "publishVersion", 1, hash("3"), card, "", 1)
	c.send(t, reg, "publishVersion", 1, hash("3"), card, "", 1)
	wantValues(t, a.call(t, reg, "versionCount", 1), 4)

	// Another skill has its own versions.
	b.send(t, nft, "mintSkill", 1)
	b.send(t, reg, "publishVersion", 2, v1, card, "", 1)
	wantValues(t, a.call(t, reg, "versionCount", 2), 1)
}

func TestSkillRegistryNeedsTokens(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	a.refusedDeploy(t, fmt.Sprintf("InvalidSkillNft(%s)", nobody), contracts.SkillRegistry, nobody)
	a.refusedDeploy(t, fmt.Sprintf("InvalidSkillNft(%s)", a.addr), contracts.SkillRegistry, a.addr)
}

// Whoever reads the id from their own event has their own, however many mint at once.
func TestMintsAtOnce(t *testing.T) {
	t.Parallel()
	nft := newActor(t).deploy(t, contracts.SkillNFT)
	var seen sync.Map
	for i := range 2 {
		a := newActor(t)
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for range 5 {
				r := a.send(t, nft, "mintSkill", 0)
				id := new(big.Int).SetBytes(r.Logs[1].Topics[1][:])
				if other, taken := seen.LoadOrStore(id.String(), i); taken {
					t.Errorf("id %s was minted by %d and by %d", id, other, i)
				}
				wantValues(t, a.call(t, nft, "ownerOf", id), a.addr)
			}
		})
	}
}
