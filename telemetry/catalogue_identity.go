package telemetry

// identityTypes are who acts: credentials, agents, their skills and workspaces.
func identityTypes() []declaration {
	return []declaration{
		{
			name:     "auth.saved",
			meaning:  "credentials were saved; which, never what",
			commands: []string{"auth set", "clawbot register"},
			result:   "path! id, fields object",
		},
		{
			name:     "auth.shown",
			meaning:  "it was shown which credentials are set",
			commands: []string{"auth show"},
			result:   "path id, fields object",
		},
		{
			name:     "auth.cleared",
			meaning:  "credentials were removed; which, never what",
			commands: []string{"auth clear"},
			result:   "cleared! texts",
		},
		{
			name:     "wallet.key.saved",
			meaning:  "a key was encrypted into the keystore: made new, or taken from hex or another keystore file",
			commands: []string{"wallet new", "wallet import"},
			result:   "address! address, how! text",
		},
		{
			name:     "wallet.key.shown",
			meaning:  "a key of the keystore was shown to a person at the terminal",
			commands: []string{"wallet export"},
			result:   "address! address",
		},
		{
			name:     "wallet.listed",
			meaning:  "the keys of the keystore were listed",
			commands: []string{"wallet list"},
			result:   "count! count",
		},
		{
			name:     "wallet.address.read",
			meaning:  "it was shown which account would sign",
			commands: []string{"wallet address"},
			result:   "address! address, source! text",
		},
		{
			name:     "clawbot.registered",
			meaning:  "an agent got an identity and a token",
			commands: []string{"clawbot register"},
			result:   "agentId! id, name! text, remote! bool",
		},
		{
			name:     "clawbot.invited",
			meaning:  "an invite was made, by which agents can be registered",
			commands: []string{"clawbot invite"},
			result:   "uses! count, expiresAt! text, remote! bool",
		},
		{
			name:     "clawbot.imported",
			meaning:  "agents were taken over, with the tokens they had",
			commands: []string{"clawbot import"},
			payload:  "file! text",
			result:   "imported! count, kept! count, skipped! count",
		},
		{
			name:     "clawbot.list.read",
			meaning:  "the registered agents were listed",
			commands: []string{"clawbot list"},
			result:   "count! count",
		},
		{
			name:     "clawbot.verified",
			meaning:  "an agent's credentials were checked and accepted",
			commands: []string{"clawbot verify"},
			result:   "agentId! id, verified! bool",
		},
		{
			name:     "clawbot.revoked",
			meaning:  "an agent's token and log-ins were ended",
			commands: []string{"clawbot revoke"},
			result:   "agentId! id",
		},
		{
			name:     "clawbot.rotated",
			meaning:  "an agent got a new token, and its old one ended",
			commands: []string{"clawbot rotate"},
			result:   "agentId! id",
		},
	}
}
