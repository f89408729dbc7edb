package telemetry

// skillTypes are the library of skill cards, and skills that agents read.
func skillTypes() []declaration {
	return []declaration{
		{
			name:     "skill.install.ran",
			meaning:  "a skill was installed, or not found or refused",
			commands: []string{"skill install"},
			result:   "slug! text, installed! bool, scope text, skillPath text",
		},
		{
			name:     "skill.cards.read",
			meaning:  "the library was searched, or the installed skills listed",
			commands: []string{"skill search", "skill list"},
			result:   "count! count, total count, installed bool",
		},
		{
			name:     "skill.card.read",
			meaning:  "a card of the library was shown",
			commands: []string{"skill show"},
			result:   "slug! text, version! text, contentHash! hash",
		},
		{
			name:     "skill.card.checked",
			meaning:  "a card's form was checked, or its hash computed",
			commands: []string{"skill validate", "skill hash"},
			result:   "slug! text, version! text, contentHash! hash, findings texts",
		},
		{
			name:     "skill.card.added",
			meaning:  "cards came into the library; slug and the rest are there for a single one",
			commands: []string{"skill add"},
			result:   "count! count, slug text, version text, contentHash hash, replaced bool",
		},
		{
			name:     "skill.card.removed",
			meaning:  "a card left the library",
			commands: []string{"skill remove"},
			result:   "slug! text, version! text",
		},
		{
			name:     "skill.card.vetted",
			meaning:  "a person vetted a card's content, or took that back",
			commands: []string{"skill vet"},
			result:   "slug! text, version! text, contentHash! hash, vetted! bool",
		},
		{
			name:     "skill.card.onchain",
			meaning:  "the chain was seen to have a card of the library",
			commands: []string{"skill mint"},
			result:   "slug! text, version! text, skillId! id, contentHash! hash",
		},
	}
}
