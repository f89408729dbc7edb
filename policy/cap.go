package policy

import (
	"encoding/json"

	"github.com/ape-claw/ape-claw/chain/units"
)

// Cap is an upper bound on an amount. The zero value allows nothing, not even
// an amount of zero; only the word "unlimited" in a policy file lifts a cap.
type Cap struct {
	Unlimited bool
	Max       units.Wei // not read when Unlimited
}

// Allows reports whether amount is within the cap.
func (c Cap) Allows(amount units.Wei) bool {
	return c.Unlimited || (!c.Max.IsZero() && amount.Cmp(c.Max) <= 0)
}

// Min returns the stricter of two caps.
func (c Cap) Min(o Cap) Cap {
	switch {
	case c.Unlimited:
		return o
	case o.Unlimited, c.Max.Cmp(o.Max) <= 0:
		return c
	}
	return o
}

// Decimal is the cap for people: "unlimited" or a decimal of whole tokens.
func (c Cap) Decimal(decimals int) string {
	if c.Unlimited {
		return unlimited
	}
	return c.Max.Decimal(decimals)
}

// json is the cap as a policy file writes it, exact to the last digit.
func (c Cap) json(decimals int) any {
	if c.Unlimited {
		return unlimited
	}
	return json.RawMessage(c.Max.JSON(decimals))
}

// unlimited is the only spelling that lifts a cap.
const unlimited = "unlimited"
