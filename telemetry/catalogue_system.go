package telemetry

// systemTypes are the commands about the program itself.
func systemTypes() []declaration {
	return []declaration{
		{
			name: "command.failed", failure: true,
			meaning:  "a command failed and no event of its own tells of it; the code says how",
			commands: []string{"any"},
			result:   "code! id, exit int, hint text, sent no|maybe|yes",
		},
		{
			name:     "doctor.ran",
			meaning:  "the installation was checked",
			commands: []string{"doctor"},
			// checks holds one member a check; which ones depends on what is configured.
			result: "checks! object, ok bool, issues array, warnings array, nextSteps array, chainId int, readOnlyReady bool, executeReady bool",
		},
		{
			name:     "quickstart.ran",
			meaning:  "the first steps were shown",
			commands: []string{"quickstart"},
			result:   "completed! bool, status text, nextSteps array",
		},
		{
			name:     "demo.ran",
			meaning:  "the whole story was played on the sandbox",
			commands: []string{"demo"},
			result:   "completed! bool, quoteId id, txHash hash, blockNumber count, durationMs count",
		},
		{
			name:     "dashboard.opened",
			meaning:  "the dashboard's address was printed or opened",
			commands: []string{"dashboard"},
			result:   "url! id, opened bool",
		},
		{
			name:     "chain.info.read",
			meaning:  "chain id and head were read; blockNumber is null when the RPC does not answer",
			commands: []string{"chain info"},
			result:   "chainId! int, blockNumber! count?, nativeGasToken text, rpcOk bool, rpcChainId int?, reason text",
		},
		{
			name:     "events.import.started",
			meaning:  "a log begins with an import: what follows comes from elsewhere",
			commands: []string{"events import"},
			payload:  "file! id",
			result:   "",
		},
		{
			name:     "events.imported",
			meaning:  "events of another log were appended to this one; known were there already, invalid were left out",
			commands: []string{"events import"},
			payload:  "file! id",
			result:   "imported! count, known! count, invalid! count, lines! count, unknownTypes count, redacted count",
		},
		{
			name:     CustomType,
			meaning:  "an event of a user's own, under a name of its own",
			commands: []string{"events emit"},
			// What it says is the caller's.
			payload: "…", result: "…",
		},
	}
}

// sandboxTypes are the life of the embedded world.
func sandboxTypes() []declaration {
	return []declaration{
		{
			name:     "sandbox.started",
			meaning:  "the local chain and marketplace are up",
			commands: []string{"sandbox up"},
			result:   "started! =true, chainId! int, rpcUrl id, marketUrl id, collections any, listings count, durationMs count",
		},
		{
			name:     "sandbox.stopped",
			meaning:  "the local chain and marketplace were shut down; stopped is false when none was running",
			commands: []string{"sandbox down", "sandbox up"},
			result:   "stopped! bool, chainId int",
		},
		{
			name:     "sandbox.reset",
			meaning:  "the sandbox went back to its first block",
			commands: []string{"sandbox reset"},
			result:   "reset! =true, chainId int",
		},
	}
}
