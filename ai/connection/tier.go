package connection

import (
	"slices"

	"github.com/ape-claw/ape-claw/ai"
)

// Tier is a size of model: a connection may have a model for each.
type Tier string

// The tiers.
const (
	Fast     Tier = "fast"
	Standard Tier = "standard"
	Powerful Tier = "powerful"
)

// Tiers are all of them, the smallest first.
func Tiers() []Tier { return []Tier{Fast, Standard, Powerful} }

// tierRules choose a tier; the first that fits does.
var tierRules = []struct {
	hooks  []string
	grades []ai.Grade
	tier   Tier
}{
	{hooks: []string{"init", "shutdown"}, tier: Fast},
	{grades: []ai.Grade{ai.GradeHigh}, tier: Powerful},
	{grades: []ai.Grade{ai.GradeWrite}, tier: Standard},
}

// TierFor is the tier of an invocation by its hook ("" for a conversation) and the
// grades of what it may do.
func TierFor(hook string, grades []ai.Grade) Tier {
	for _, r := range tierRules {
		if slices.Contains(r.hooks, hook) || slices.ContainsFunc(r.grades, func(g ai.Grade) bool { return slices.Contains(grades, g) }) {
			return r.tier
		}
	}
	return Fast
}
