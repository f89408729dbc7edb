package torture_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/ape-claw/ape-claw/v2/contracts"
)

var (
	none   [32]byte
	hashA  = common.HexToHash("0xaa")
	hashB  = common.HexToHash("0xbb")
	hashC  = common.HexToHash("0xcc")
	bigOne = big.NewInt(1)
	noID   = new(big.Int)
	absent = big.NewInt(99)
)

func skills(t *testing.T, w *world) {
	nft := w.deploy(contracts.SkillNFT)
	r := w.call(alice, nft, "mintSkill", noID).ok()
	if got := r.event(nft, "SkillMinted"); got[0].(*big.Int).Cmp(bigOne) != 0 || got[1] != alice || got[2].(*big.Int).Sign() != 0 {
		t.Errorf("SkillMinted%v", got)
	}
	w.call(alice, nft, "mintSkill", absent).fails(contracts.SkillNFT, "ParentSkillNotFound", absent)
	w.call(bob, nft, "mintSkill", bigOne).ok()
	equal(t, "the parent of 2", amount(w, nft, "parentSkillId", big.NewInt(2)), n(1))
	equal(t, "the next id", amount(w, nft, "nextSkillId"), n(3))
	same(t, "the owner of 2", view[common.Address](w, nft, "ownerOf", big.NewInt(2)), bob)

	r = w.call(alice, nft, "mintSkillWithRoyalty", noID, carol, big.NewInt(250)).ok()
	r.event(nft, "SkillRoyaltySet")
	out := views(w, nft, "royaltyInfo", big.NewInt(3), big.NewInt(10_000))
	if out[0] != carol || out[1].(*big.Int).Int64() != 250 {
		t.Errorf("royaltyInfo is %v", out)
	}
	w.call(alice, nft, "mintSkillWithRoyalty", absent, carol, bigOne).fails(contracts.SkillNFT, "ParentSkillNotFound", absent)
	w.call(alice, nft, "mintSkillWithRoyalty", noID, carol, big.NewInt(10_001)).
		fails(contracts.SkillNFT, "ERC2981InvalidTokenRoyalty", big.NewInt(4), big.NewInt(10_001), big.NewInt(10_000))
	w.call(alice, nft, "mintSkillWithRoyalty", noID, zero, bigOne).
		fails(contracts.SkillNFT, "ERC2981InvalidTokenRoyaltyReceiver", big.NewInt(4), zero)
	equal(t, "the next id after what failed", amount(w, nft, "nextSkillId"), n(4))

	w.call(alice, nft, "setSkillRoyalty", bigOne, bob, big.NewInt(10_000)).ok()
	w.call(alice, nft, "approve", mallory, bigOne).ok()
	for _, who := range []common.Address{mallory, bob} {
		w.call(who, nft, "setSkillRoyalty", bigOne, who, bigOne).fails(contracts.SkillNFT, "NotSkillOwner", bigOne, who)
	}
	w.call(alice, nft, "setSkillRoyalty", absent, bob, bigOne).fails(contracts.SkillNFT, "ERC721NonexistentToken", absent)

	for id, want := range map[[4]byte]bool{
		{0x01, 0xff, 0xc9, 0xa7}: true, {0x80, 0xac, 0x58, 0xcd}: true, {0x5b, 0x5e, 0x13, 0x9f}: true,
		{0x2a, 0x55, 0x20, 0x5a}: true, {0xff, 0xff, 0xff, 0xff}: false,
	} {
		same(t, "an interface", view[bool](w, nft, "supportsInterface", id), want)
	}
}

// A mint calls its caller back: that may mint again, and each gets its own id.
func mintReenters(t *testing.T, w *world) {
	nft := w.deploy(contracts.SkillNFT)
	a := w.deploy(attacker)
	mint := w.pack(contracts.SkillNFT, "mintSkill", noID)
	w.call(mallory, a, "plan", nft, mint, noID, big.NewInt(2), record).ok()
	r := w.call(mallory, a, "run", nft, mint, noID).ok()
	minted := r.events(nft, "SkillMinted")
	same(t, "the number of mints", len(minted), 3)
	for i, ev := range minted {
		same(t, "an id", ev[0].(*big.Int).Int64(), int64(i+1))
		same(t, "its owner", view[common.Address](w, nft, "ownerOf", ev[0]), a)
	}
	equal(t, "the balance", amount(w, nft, "balanceOf", a), n(3))
	// The outer call's answer is the outer token's id.
	out, err := w.abi(attacker).Unpack("run", r.ret)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the outer id", new(uint256.Int).SetBytes(out[0].([]byte)), n(1))

	// What passes the token on, or sets its royalty, while it is minted, changes
	// nothing for anybody else.
	w.call(mallory, a, "plan", nft, w.pack(contracts.SkillNFT, "transferFrom", a, bob, big.NewInt(4)), noID, bigOne, record).ok()
	w.call(mallory, a, "run", nft, mint, noID).ok()
	same(t, "the owner of 4", view[common.Address](w, nft, "ownerOf", big.NewInt(4)), bob)

	// Who can't hold a token gets none.
	w.call(mallory, a, "refuse", true).ok()
	w.call(mallory, a, "run", nft, mint, noID).fell()
	w.call(mallory, a, "run", nft, w.pack(contracts.SkillNFT, "mintSkillWithRoyalty", noID, carol, bigOne), noID).fell()
	equal(t, "the next id", amount(w, nft, "nextSkillId"), n(5))
}

func registry(t *testing.T, w *world) {
	nft := w.deploy(contracts.SkillNFT)
	reg := w.deploy(contracts.SkillRegistry, nft)
	w.tryDeploy(contracts.SkillRegistry, nil, alice).fails(contracts.SkillRegistry, "InvalidSkillNft", alice)
	same(t, "the tokens", view[common.Address](w, reg, "skillNft"), nft)
	same(t, "the last tier", view[uint8](w, reg, "MAX_RISK_TIER"), 3)
	equal(t, "the longest URI", amount(w, reg, "MAX_URI_LENGTH"), n(2048))
	w.call(alice, nft, "mintSkill", noID).ok()

	publish := func(who common.Address, version common.Hash, uri string, tier uint8) result {
		return w.call(who, reg, "publishVersion", bigOne, version, hashC, uri, tier)
	}
	r := publish(alice, hashA, "https://example.org/a", 1).ok()
	ev := r.event(reg, "SkillVersionPublished")
	if ev[3] != alice || ev[4] != "https://example.org/a" || ev[5] != uint8(1) {
		t.Errorf("SkillVersionPublished%v", ev)
	}
	publish(alice, hashA, "", 2).fails(contracts.SkillRegistry, "VersionAlreadyPublished", bigOne, hashA)
	publish(alice, none, "", 1).fails(contracts.SkillRegistry, "ZeroVersionHash")
	for _, tier := range []uint8{0, 4, 255} {
		publish(alice, hashB, "", tier).fails(contracts.SkillRegistry, "InvalidRiskTier", tier)
	}
	publish(alice, hashB, strings.Repeat("u", 2049), 3).fails(contracts.SkillRegistry, "UriTooLong", big.NewInt(2049))
	publish(alice, hashB, strings.Repeat("u", 2048), 3).ok()
	publish(mallory, hashC, "", 1).fails(contracts.SkillRegistry, "NotSkillOwnerOrApproved", bigOne, mallory)
	w.call(alice, reg, "publishVersion", absent, hashA, hashC, "", uint8(1)).fails(contracts.SkillNFT, "ERC721NonexistentToken", absent)

	w.call(alice, nft, "approve", bob, bigOne).ok()
	publish(bob, hashC, "", 2).ok()
	w.call(alice, nft, "setApprovalForAll", carol, true).ok()
	publish(carol, common.HexToHash("0xdd"), "", 2).ok()
	// Who is owner no more, or approved no more, may no more.
	w.call(alice, nft, "transferFrom", alice, bob, bigOne).ok()
	for _, who := range []common.Address{alice, carol} {
		publish(who, common.HexToHash("0xee"), "", 2).fails(contracts.SkillRegistry, "NotSkillOwnerOrApproved", bigOne, who)
	}
	publish(bob, common.HexToHash("0xee"), "", 2).ok()

	equal(t, "the versions", amount(w, reg, "versionCount", bigOne), n(5))
	equal(t, "the versions of none", amount(w, reg, "versionCount", absent), n(0))
	out := views(w, reg, "getVersion", bigOne, noID)
	if out[0] != [32]byte(hashA) || out[1] != [32]byte(hashC) || out[2] != "https://example.org/a" || out[3] != uint8(1) || out[4] != uint64(blockTime) || out[5] != alice {
		t.Errorf("getVersion is %v", out)
	}
	for i, length := range []int{21, 2048, 0} {
		same(t, "the length of a URI", len(views(w, reg, "getVersion", bigOne, big.NewInt(int64(i)))[2].(string)), length)
	}
	w.call(carol, reg, "getVersion", bigOne, big.NewInt(5)).fails(contracts.SkillRegistry, "VersionNotFound", bigOne, big.NewInt(5))
	same(t, "isPublished", view[bool](w, reg, "isPublished", bigOne, hashA), true)
	same(t, "isPublished of another", view[bool](w, reg, "isPublished", absent, hashA), false)
}

// A registry over tokens that are not ours: whatever they answer, nothing is
// published for somebody they did not name.
func registryOverHostileTokens(t *testing.T, w *world) {
	tokens := w.deploy(attacker)
	reg := w.deploy(contracts.SkillRegistry, tokens)
	erc721 := contracts.ABI(contracts.SkillNFT)
	ownerOf, approved, all := [4]byte(erc721.Methods["ownerOf"].ID), [4]byte(erc721.Methods["getApproved"].ID), [4]byte(erc721.Methods["isApprovedForAll"].ID)
	w.call(mallory, tokens, "plan", zero, []byte{}, noID, noID, silent).ok()
	publish := func(version common.Hash) result {
		return w.call(alice, reg, "publishVersion", bigOne, version, hashC, "", uint8(1))
	}
	word := func(b []byte) []byte { return common.LeftPadBytes(b, 32) }

	publish(hashA).fell() // no owner at all: no answer
	w.call(mallory, tokens, "answerTo", ownerOf, word(bob.Bytes())).ok()
	publish(hashA).fell()
	w.call(mallory, tokens, "refuseTo", approved, true).ok()
	publish(hashA).reverts(sentence("refused"))
	w.call(mallory, tokens, "refuseTo", approved, false).ok()
	w.call(mallory, tokens, "answerTo", approved, word(carol.Bytes())).ok()
	w.call(mallory, tokens, "refuseTo", all, true).ok()
	publish(hashA).reverts(sentence("refused"))
	w.call(mallory, tokens, "refuseTo", all, false).ok()
	w.call(mallory, tokens, "answerTo", all, word([]byte{2})).ok() // no boolean
	publish(hashA).fell()
	w.call(mallory, tokens, "answerTo", all, word([]byte{0})).ok()
	publish(hashA).fails(contracts.SkillRegistry, "NotSkillOwnerOrApproved", bigOne, alice)
	w.call(mallory, tokens, "answerTo", approved, append(make([]byte, 11), append([]byte{1}, alice.Bytes()...)...)).ok() // more than an address
	publish(hashA).fell()

	// Tokens that call back can't: the registry looks at them, nothing more.
	w.call(mallory, tokens, "answerTo", approved, word(alice.Bytes())).ok()
	w.call(mallory, tokens, "plan", reg, w.pack(contracts.SkillRegistry, "publishVersion", bigOne, hashB, hashB, "", uint8(3)), noID, bigOne, silent).ok()
	publish(hashA).fell()
	w.call(mallory, tokens, "plan", reg, w.pack(contracts.SkillRegistry, "versionCount", bigOne), noID, bigOne, silent).ok()
	publish(hashA).ok()
	equal(t, "the versions", amount(w, reg, "versionCount", bigOne), n(1))
}

func intents(t *testing.T, w *world) {
	reg := w.deploy(contracts.IntentRegistry)
	w.call(alice, reg, "createIntent", none, uint64(0)).fails(contracts.IntentRegistry, "ZeroIntentHash")
	for _, at := range []uint64{1, blockTime - 1, blockTime} {
		w.call(alice, reg, "createIntent", hashA, at).fails(contracts.IntentRegistry, "ExpiryInPast", at, big64(blockTime))
	}
	equal(t, "the next id", amount(w, reg, "nextIntentId"), n(1))
	ev := w.call(alice, reg, "createIntent", hashA, uint64(0)).ok().event(reg, "IntentCreated")
	if ev[0].(*big.Int).Int64() != 1 || ev[1] != alice || ev[2] != [32]byte(hashA) || ev[3] != uint64(0) {
		t.Errorf("IntentCreated%v", ev)
	}
	w.call(alice, reg, "createIntent", hashA, uint64(blockTime+1)).ok()
	w.call(bob, reg, "createIntent", hashB, ^uint64(0)).ok()

	active := func(want ...bool) {
		t.Helper()
		for i, is := range want {
			same(t, "isActive", view[bool](w, reg, "isActive", big.NewInt(int64(i))), is)
		}
	}
	active(false, true, true, true, false)
	w.time++
	active(false, true, false, true, false)

	w.call(alice, reg, "cancelIntent", absent).fails(contracts.IntentRegistry, "IntentNotFound", absent)
	w.call(alice, reg, "cancelIntent", noID).fails(contracts.IntentRegistry, "IntentNotFound", noID)
	w.call(mallory, reg, "cancelIntent", bigOne).fails(contracts.IntentRegistry, "NotIntentCreator", bigOne, mallory)
	w.call(alice, reg, "cancelIntent", bigOne).ok().event(reg, "IntentCancelled")
	w.call(alice, reg, "cancelIntent", bigOne).fails(contracts.IntentRegistry, "IntentAlreadyCancelled", bigOne)
	w.call(alice, reg, "cancelIntent", big.NewInt(2)).ok()
	active(false, false, false, true, false)
	out := views(w, reg, "intents", bigOne)
	if out[0] != [32]byte(hashA) || out[1] != alice || out[2] != uint64(0) || out[3] != true {
		t.Errorf("intents(1) is %v", out)
	}
}

func receipts(t *testing.T, w *world) {
	reg := w.deploy(contracts.ReceiptRegistry)
	w.call(alice, reg, "recordReceipt", none, hashA, hashB, "").fails(contracts.ReceiptRegistry, "ZeroTraceIdHash")
	w.call(alice, reg, "recordReceipt", hashA, hashB, hashC, strings.Repeat("u", 2049)).fails(contracts.ReceiptRegistry, "UriTooLong", big.NewInt(2049))
	w.call(carol, reg, "getReceipt", hashA).fails(contracts.ReceiptRegistry, "ReceiptNotFound", hashA)
	same(t, "isRecorded", view[bool](w, reg, "isRecorded", hashA), false)
	uri := strings.Repeat("u", 2048)
	ev := w.call(alice, reg, "recordReceipt", hashA, hashB, hashC, uri).ok().event(reg, "ReceiptRecorded")
	if ev[0] != [32]byte(hashA) || ev[1] != [32]byte(hashB) || ev[2] != [32]byte(hashC) || ev[3] != alice || ev[4] != uri {
		t.Errorf("ReceiptRecorded%v", ev)
	}
	same(t, "isRecorded", view[bool](w, reg, "isRecorded", hashA), true)
	for _, who := range []common.Address{alice, mallory} {
		w.call(who, reg, "recordReceipt", hashA, hashC, hashC, "other").fails(contracts.ReceiptRegistry, "ReceiptAlreadyRecorded", hashA, alice)
	}
	// A receipt of nothing, about nobody, is one.
	w.call(bob, reg, "recordReceipt", hashB, none, none, "").ok()
	w.call(bob, reg, "recordReceipt", hashC, none, none, "short").ok()
	for trace, uri := range map[common.Hash]string{hashB: "", hashC: "short"} {
		same(t, "a URI", views(w, reg, "getReceipt", trace)[3].(string), uri)
	}
	out := views(w, reg, "getReceipt", hashA)
	if out[0] != [32]byte(hashA) || out[1] != [32]byte(hashB) || out[2] != [32]byte(hashC) || out[3] != uri || out[4] != uint64(blockTime) || out[5] != alice {
		t.Errorf("getReceipt is %v", out)
	}
	same(t, "the recorder", views(w, reg, "getReceipt", hashB)[5].(common.Address), bob)
}
