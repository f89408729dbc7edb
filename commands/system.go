package commands

// systemCommands are the commands about the program and its set-up.
func systemCommands() []Command {
	return []Command{newDoctor(), newQuickstart(), newDemo(), newServe(), newDashboard(), newChainInfo(), newVersion(), newCompletion()}
}
