package commands

func newNFTResume() Command {
	return resumer(Spec{Name: "nft resume", Short: "Find out what became of transactions whose outcome is unknown",
		Long: `Ask the node for the receipts of this account's transactions that were sent, or may have
been, and settle what it tells: journal, spend ledger and events. Outcomes of the last
hour are held against the chain again, since a reorganisation may have taken them back.

What no node knows is handed to the node again, the same signed bytes, while its quote
is alive, policy allows it and nothing is halted. Otherwise nothing is sent, and its
nonce stays taken: then a person may free it, at a terminal. --cancel sends nothing to
the own address with the same nonce; --reprice sends the same transaction with a higher
fee. The chain takes one of them, and each is looked for. Where its nonce is ahead of
what the account has sent, nothing can take its place: --cancel then sets it aside, as
spent, so that the account goes on. Exit status 7 means that
something is still open: run it again later.`,
		Example: "  ape-claw nft resume\n  ape-claw nft resume --cancel --tx 0x…",
		Events:  []string{"nft.resume.ran"}, Permission: "nft:resume"})
}
