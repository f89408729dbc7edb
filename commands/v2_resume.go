package commands

func v2ResumeCommands() []Command { return []Command{newV2Resume()} }

func newV2Resume() Command {
	return resumer(Spec{Name: "v2 resume", Short: "Find out what became of v2 transactions whose outcome is unknown",
		Long: `Do what nft resume does, for the account of v2 commands: that of
APE_CLAW_V2_PRIVATE_KEY where it is set, else the same. All open transactions of the
account are settled, whatever they are for, by what the node tells of them: journal,
spend ledger and events.

A v2 transaction that no node knows is handed to the node again, the same signed bytes,
for an hour after it was confirmed, while policy allows it, nothing is halted, and the
call would still succeed. Otherwise nothing is sent, and its nonce stays taken: then a
person may free it, at a terminal, with --cancel, or send it with a higher fee, with
--reprice. Exit status 7 means that something is still open: run it again later.`,
		Example: "  ape-claw v2 resume\n  ape-claw v2 resume --cancel --tx 0x…",
		Events:  []string{"v2.resume.ran"}, Permission: "v2:resume"})
}
