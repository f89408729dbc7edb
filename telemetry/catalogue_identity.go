package telemetry

// identityTypes are who acts: credentials, agents, their skills and workspaces.
func identityTypes() []declaration {
	return []declaration{
		{
			name:     "auth.saved",
			meaning:  "credentials were saved; which, never what",
			commands: []string{"auth set"},
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
			name:     "clawbot.registered",
			meaning:  "an agent got an identity and a token",
			commands: []string{"clawbot register"},
			result:   "agentId! id, name! text, remote! bool",
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
		{
			name:    "skill.install.ran",
			meaning: "a skill was installed, or not found",
			result:  "slug! text, installed! bool, scope text, skillPath text",
		},
		{
			name:    "pod.init.completed",
			meaning: "a pod workspace was made",
			result:  "workspacePath! id, initialized! bool",
		},
	}
}
