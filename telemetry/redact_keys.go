package telemetry

// Names whose values are secrets. A name is compared by its end, in lower case
// and without separators: agent-token, agentToken, AGENT_TOKEN and
// x-agent-token are one. So privateKeySource, tokenId, token and payloadHash
// are not sensitive.
//
// The lists are by last letter, which keeps the check of a common name cheap.
func sensitiveEnds(last byte) []string {
	switch last {
	case 'y':
		return []string{"privatekey", "privkey", "apikey", "secretkey", "registrationkey", "accesskey", "signingkey", "encryptionkey", "masterkey", "sessionkey", "walletkey"}
	case 'n':
		return []string{"agenttoken", "accesstoken", "authtoken", "apitoken", "refreshtoken", "bearertoken", "sessiontoken", "operatortoken", "csrftoken", "authorization"}
	case 'd':
		return []string{"password", "passwd", "walletseed"}
	case 't':
		return []string{"secret"}
	case 'e':
		return []string{"passphrase", "seedphrase", "recoveryphrase", "cookie"}
	case 'c':
		return []string{"mnemonic"}
	}
	return nil
}

// sensitiveName reports whether values under name are secrets.
func sensitiveName(name []byte) bool {
	var buf [maxName]byte
	norm := normalize(&buf, name)
	if len(norm) == 0 {
		return false
	}
	if norm[len(norm)-1] == 's' { // apiKeys, secrets
		norm = norm[:len(norm)-1]
		if len(norm) == 0 {
			return false
		}
	}
	for _, end := range sensitiveEnds(norm[len(norm)-1]) {
		if len(norm) >= len(end) && string(norm[len(norm)-len(end):]) == end {
			return true
		}
	}
	return string(norm) == "seed" || string(norm) == "bearer" || string(norm) == "pwd"
}

// sensitiveParam is sensitiveName with the short names that are secrets in the
// query of a URL.
func sensitiveParam(name []byte) bool {
	if sensitiveName(name) {
		return true
	}
	var buf [maxName]byte
	switch string(normalize(&buf, name)) {
	case "key", "token", "auth", "sig", "signature", "jwt", "access", "pass":
		return true
	}
	return false
}

// phraseName reports whether values under name are several words.
func phraseName(name []byte) bool {
	var buf [maxName]byte
	norm := string(normalize(&buf, name))
	for _, end := range []string{"mnemonic", "phrase", "seed"} {
		if len(norm) >= len(end) && norm[len(norm)-len(end):] == end {
			return true
		}
	}
	return false
}

// maxName bounds how much of a name is looked at: its end.
const maxName = 64

// normalize lower-cases the last letters and digits of name into buf.
func normalize(buf *[maxName]byte, name []byte) []byte {
	n := maxName
	for i := len(name) - 1; i >= 0 && n > 0; i-- {
		c := name[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case c == '-', c == '_', c == ' ', c == '.', c == ':', c == '/', c == '[', c == ']':
			continue
		}
		n--
		buf[n] = c
	}
	return buf[n:]
}

// hasSensitiveName is the cheap scan of a line for anything that may be a
// sensitive name: it may be wrong in saying yes, never in saying no.
func hasSensitiveName(line []byte) bool {
	for i := 0; i+2 < len(line); i++ {
		if nameFirst[line[i]]&nameSecond[line[i+1]] == 0 { // most of all places: a third of the time
			continue
		}
		// Every name has one of these words in it, whatever its separators.
		switch line[i] | 0x20 {
		case 'k':
			if foldPrefix(line[i:], "key") {
				return true
			}
		case 't':
			if foldPrefix(line[i:], "token") && !isTokenID(line[i+len("token"):]) {
				return true
			}
		case 'p':
			if foldPrefix(line[i:], "pass") || foldPrefix(line[i:], "phrase") || foldPrefix(line[i:], "pwd") {
				return true
			}
		case 's':
			if foldPrefix(line[i:], "secret") || foldPrefix(line[i:], "seed") || foldPrefix(line[i:], "sk-") {
				return true
			}
		case 'm':
			if foldPrefix(line[i:], "mnemonic") {
				return true
			}
		case 'a':
			if foldPrefix(line[i:], "auth") || foldPrefix(line[i:], "access") {
				return true
			}
		case 'c':
			if foldPrefix(line[i:], "cookie") || foldPrefix(line[i:], "claw_") {
				return true
			}
		case 'b':
			if foldPrefix(line[i:], "bearer") || foldPrefix(line[i:], "basic ") {
				return true
			}
		case '\\' | 0x20: // an escape may hide any letter of a name, or be half a character (Foreign)
			if line[i] == '\\' && line[i+1] == 'u' {
				return true
			}
		}
	}
	return false
}

// nameFirst and nameSecond have a bit in common where hasSensitiveName must look:
// one for each letter that a word begins with.
var (
	nameFirst = [256]uint16{'k': 1, 'K': 1, 't': 2, 'T': 2, 'p': 4, 'P': 4, 's': 8, 'S': 8, 'm': 16, 'M': 16,
		'a': 32, 'A': 32, 'c': 64, 'C': 64, 'b': 128, 'B': 128, '\\': 256}
	nameSecond = [256]uint16{'e': 1 | 8 | 128, 'E': 1 | 8 | 128, 'o': 2 | 64, 'O': 2 | 64, 'a': 4 | 128, 'A': 4 | 128,
		'h': 4, 'H': 4, 'w': 4, 'W': 4, 'k': 8, 'K': 8, 'n': 16, 'N': 16, 'u': 32 | 256, 'U': 32, 'c': 32, 'C': 32, 'l': 64, 'L': 64}
)

// isTokenID keeps the commonest harmless name of our own events, tokenId, from
// sending every line through the whole redaction.
func isTokenID(rest []byte) bool { return len(rest) >= 3 && string(rest[:3]) == `Id"` }

// foldPrefix reports whether b starts with the lower-case prefix, whatever the
// case of b.
func foldPrefix(b []byte, prefix string) bool {
	if len(b) < len(prefix) {
		return false
	}
	for i := 0; i < len(prefix); i++ {
		c := b[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}
