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
			name:    "clawbot.registered",
			meaning: "an agent got an identity and a token",
			result:  "agentId! id, name! text, remote! bool",
		},
		{
			name:    "clawbot.list.read",
			meaning: "the registered agents were listed",
			result:  "count! count",
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
