// Package adversary holds a mutation harness and no program: a marketplace and a
// node that lie, in front of the sandbox's honest ones.
//
// A mutant is one lie, or a few at once: a field of a listing, of a fulfilment or
// of an RPC answer deleted, retyped, respelt, enlarged, doubled, swapped; an
// argument of the call; an order that its seller, or a thief, really signed and
// that is not the one which was shown; another transfer of the answer over HTTP.
// Each runs the real operation, quote, simulate, buy --execute, through nft.Service
// with the real sender, policy, ledger, journal and log on the real Seaport, with a
// token of its own. Afterwards an honest node, the signer and money.db are asked,
// by code that shares no judgement with the product, and only these pass:
//
//   - bought: the quoted token, from the quoted order, at no more than the quoted
//     price, paid to whom the order says, with the buyer's balance right to the wei,
//     no log beside the sale's, one nonce, one signature, which was the one that
//     left, and ledger and journal that say the same;
//   - refused: nothing signed, nothing sent, nothing moved, reserved or open;
//   - hidden: a lying node hid the outcome. The answer says that something may have
//     left; what was signed is the right purchase; once it is mined, resuming at an
//     honest node settles it right.
//
// Everything else got through, and its number has to be zero. That the harness can
// see one is shown by removing checks from the product's source, one at a time, in
// an overlay of the build (TestRemovedChecks).
//
// Without -full a sample runs. A mutant has a number and a name that do not depend on
// the machine; -seed changes what is drawn by lot, -only runs one:
//
//	go test ./tests/adversary -v -args -full
//	go test ./tests/adversary -run TestMutants -v -args -only 1234
//
// What is not claimed: a node that answers every question with one consistent lie can
// say that a purchase happened which did not, until an honest one is asked; and what
// gas cost is its word, within the limit that was reserved.
package adversary
