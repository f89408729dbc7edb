package serve

import (
	"net/url"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry"
)

// secretNames are parameters that hold credentials, without case, dashes,
// underscores and the like.
var secretNames = map[string]bool{
	"token": true, "accesstoken": true, "refreshtoken": true, "idtoken": true, "sessiontoken": true, "bearertoken": true, "authtoken": true,
	"agenttoken": true, "xagenttoken": true, "clawbottoken": true, "apikey": true, "xapikey": true, "openseaapikey": true, "relayapikey": true,
	"key": true, "accesskey": true, "registrationkey": true, "xregistrationkey": true, "privatekey": true, "secret": true, "clientsecret": true,
	"secretkey": true, "password": true, "passwd": true, "passphrase": true, "auth": true, "authorization": true, "bearer": true, "jwt": true,
	"credential": true, "credentials": true, "invite": true, "mnemonic": true, "session": true, "apeclawsession": true,
}

// maxEncoded is how often a URL may be percent-encoded and still be looked into.
const maxEncoded = 4

// secretInURL reports whether a URL carries what looks like credentials, by the
// name of a parameter or by its form. Addresses end up in histories, logs and
// Referer headers: one that holds a token is refused, so that nobody gets used to
// it.
func secretInURL(u *url.URL, red *telemetry.Redactor) bool {
	if u.User != nil {
		return true
	}
	for _, text := range []string{u.RawQuery, u.EscapedPath()} {
		for range maxEncoded {
			if namesSecret(text) || red.String(text) != text {
				return true
			}
			next, err := url.QueryUnescape(text)
			if err != nil {
				next = lenientUnescape(text)
			}
			if next == text {
				break
			}
			text = next
		}
	}
	return false
}

func namesSecret(query string) bool {
	for part := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' || r == '?' || r == '#' }) {
		name, _, _ := strings.Cut(part, "=")
		if secretNames[bareName(name)] {
			return true
		}
	}
	return false
}

// bareName is a parameter's name in its plainest spelling: access_token,
// Access-Token and accessToken[] are one.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '%':
			return r
		}
		return -1
	}, name)
}

// lenientUnescape decodes what can be decoded of a query with broken escapes.
func lenientUnescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(c)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
