package agents

import "regexp"

// What another server gave out is no more than text until it has the form of one of
// these. Of the published server's tokens there are 32 hex digits behind the prefix.
var (
	tokenForm  = regexp.MustCompile(`^` + TokenPrefix + `[A-Za-z0-9_-]{16,128}$`)
	inviteForm = regexp.MustCompile(`^` + InvitePrefix + `[A-Za-z0-9_-]{16,128}$`)
)

// IsToken reports whether s has the form of an agent's token.
func IsToken(s string) bool { return tokenForm.MatchString(s) }

// IsInvite reports whether s has the form of an invite.
func IsInvite(s string) bool { return inviteForm.MatchString(s) }

// IsName reports whether an agent can be called name.
func IsName(name string) bool { return name != "" && checkName(name) == nil }
