package commands

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// maxID bounds what may stand in an envelope as an id.
const maxID = 128

// validAgent reports whether s can be an agent's id, the rule of every part of the
// program: 2 to 64 lower-case letters, digits, _ and -, a letter or digit first.
// What looks like a key is none.
func validAgent(s string) bool {
	for i, c := range []byte(s) {
		alnum := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !alnum && (i == 0 || c != '_' && c != '-') {
			return false
		}
	}
	return len(s) >= 2 && len(s) <= 64 && shownArg(s) != hidden
}

const agentForm = "2 to 64 lower-case letters, digits, _ and - are expected, a letter or digit first"

func badAgent(s string) error {
	return fault.New(fault.Usage, "--agent-id %q: "+agentForm, shownArg(s)).Hintf("--agent-id my-agent-1")
}

// validID reports whether s can be an id of an agent, a session or a trace: short,
// printable, no spaces, starting with a letter or digit.
func validID(s string) bool {
	for i, c := range []byte(s) {
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && (i == 0 || !strings.ContainsRune("._:@-", rune(c))) {
			return false
		}
	}
	return s != "" && len(s) <= maxID
}

func isHTTP(value string) bool {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return false
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Port() == "" || err == nil && port > 0
}

// isServer reports whether value is the base URL of a serve: what goes with it, or
// behind it, is the program's to add, and a token stands in no URL.
func isServer(value string) bool {
	u, err := url.Parse(value)
	return isHTTP(value) && err == nil && u.User == nil && !strings.ContainsAny(value, "?#")
}
