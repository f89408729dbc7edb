package telemetry

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// What a token must at least have behind its mark to be taken for a secret.
const (
	minBearer  = 6
	minPrefix  = 8  // sk-…, claw_…
	minJWTPart = 8  // characters in each of the first two parts of a JWT
	minInvite  = 16 // inv_…: a shorter one is a name
	minPathKey = 20 // an RPC provider's key in a URL's path
)

// findPatterns adds to spans what looks like a secret by itself in text. What is
// in a span already is not looked at again, which keeps the search linear.
func findPatterns(text []byte, spans []span) []span {
	done := 0
	add := func(from, to int) {
		if to > from && !bytes.HasPrefix(text[from:to], []byte(Redacted)) {
			spans = append(spans, span{from, to})
			done = max(done, to)
		}
	}
	for i := 0; i < len(text); i++ {
		i = max(i, done)
		if i == len(text) {
			break
		}
		switch text[i] {
		case ':':
			if i+2 < len(text) && text[i+1] == '/' && text[i+2] == '/' {
				urlSecrets(text, i+3, add)
			} else {
				keyedValue(text, i, add)
			}
		case '=':
			keyedValue(text, i, add)
		case '-':
			if i+2 < len(text) && text[i+1] == '-' && startsWord(text, i) {
				flagValue(text, i+2, add)
			}
		case 'b', 'B', 's', 'c', 'e', 'i':
			if startsWord(text, i) {
				tokenAt(text, i, add)
			}
		}
	}
	return spans
}

// tokenAt recognises tokens by how they begin.
func tokenAt(text []byte, i int, add func(from, to int)) {
	rest := text[i:]
	switch {
	case foldPrefix(rest, "bearer"):
		from := skipBlank(text, i+len("bearer"))
		if to := runOf(text, from, isToken68); from > i+len("bearer") && to-from >= minBearer {
			add(from, to)
		}
	case foldPrefix(rest, "basic "):
		from := skipBlank(text, i+len("basic"))
		to := runOf(text, from, isToken68)
		if isUserPass(text[from:to]) {
			add(from, to)
		}
	case bytes.HasPrefix(rest, []byte("sk-")):
		if to := runOf(text, i+3, isWordDash); to-i-3 >= minPrefix {
			add(i, to)
		}
	case bytes.HasPrefix(rest, []byte("claw_")):
		if to := runOf(text, i+5, isWordDash); to-i-5 >= minPrefix {
			add(i, to)
		}
	case bytes.HasPrefix(rest, []byte("inv_")):
		if to := runOf(text, i+4, isWordDash); to-i-4 >= minInvite {
			add(i, to)
		}
	case bytes.HasPrefix(rest, []byte("eyJ")):
		head := runOf(text, i, isWordDash)
		if head-i < minJWTPart || head >= len(text) || text[head] != '.' {
			return
		}
		body := runOf(text, head+1, isWordDash)
		if body-head-1 < minJWTPart || body >= len(text) || text[body] != '.' {
			return
		}
		add(i, runOf(text, body+1, isWordDash))
	}
}

// isUserPass tells the credentials of HTTP Basic from the word after "basic":
// base64 of something with a colon.
func isUserPass(token []byte) bool {
	raw, err := base64.StdEncoding.DecodeString(string(token))
	if err != nil {
		raw, err = base64.RawStdEncoding.DecodeString(string(token))
	}
	return err == nil && bytes.IndexByte(raw, ':') >= 0
}

// keyedValue takes the value after text[sep] (":" or "=") when the name before
// it is sensitive: password=x, "apiKey": "x", Authorization: Bearer x, ?token=x.
func keyedValue(text []byte, sep int, add func(from, to int)) {
	end := sep
	for end > 0 && (text[end-1] == ' ' || text[end-1] == '"' || text[end-1] == '\'' || text[end-1] == '\\') {
		end--
	}
	from := end
	for from > 0 && isNameByte(text[from-1]) {
		from--
	}
	if from == end {
		return
	}
	name := text[from:end]
	if bytes.HasPrefix(name, []byte("--")) && skipBlank(text, sep+1) > sep+1 {
		return // --password= has an empty value; what follows is another word
	}
	inQuery := text[sep] == '=' && from > 0 && (text[from-1] == '?' || text[from-1] == '&')
	if sensitiveName(name) || inQuery && sensitiveParam(name) {
		add(valueAfter(text, sep+1, name))
	}
}

// flagValue takes the value of a sensitive flag whose name starts at i: --agent-token x.
func flagValue(text []byte, i int, add func(from, to int)) {
	end := runOf(text, i, isWordDash)
	if end < len(text) && text[end] == ' ' && sensitiveName(text[i:end]) {
		add(valueAfter(text, end, text[i:end]))
	}
}

// valueAfter returns the bounds of the value at or after text[i], quoted or
// not; from == to when there is none, or it is one that holds no secret.
func valueAfter(text []byte, i int, name []byte) (from, to int) {
	from = skipBlank(text, i)
	escapes := runOf(text, from, isBackslash) - from
	from += escapes
	if from == len(text) {
		return from, from
	}
	if bytes.HasPrefix(text[from:], []byte(Redacted)) {
		return from, from
	}
	switch c := text[from]; c {
	case '"', '\'':
		from++
		to = closingQuote(text, from, c, escapes)
	case '{', '[':
		to = closing(text, from)
	default:
		to = runOf(text, from, isValueByte)
		switch {
		case isScheme(text[from:to]) && to < len(text) && text[to] == ' ':
			next := skipBlank(text, to)
			if bytes.HasPrefix(text[next:], []byte(Redacted)) {
				return from, from
			}
			to = runOf(text, next, isValueByte)
		case phraseName(name):
			for to+1 < len(text) && (text[to] == ' ' || text[to] == ',') && isLetter(text[to+1]) {
				to = runOf(text, to+1, isValueByte)
			}
		}
	}
	if isPlaceholder(string(text[from:to])) {
		return from, from
	}
	return from, to
}

// isPlaceholder tells what stands for a value in a sentence, or is masked already.
func isPlaceholder(value string) bool {
	switch value {
	case "true", "false", "null", "{}", "[]", "-", "…", "...":
		return true
	}
	return strings.Trim(value, "*") == ""
}

// closingQuote returns where the value that starts at text[i] ends: before the
// quote q at the level of escaping of its opening one, which had that many
// backslashes. At that level a quote inside has more, in steps of a backslash's
// own escaping.
func closingQuote(text []byte, i int, q byte, escapes int) int {
	slashes := 0
	for ; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			slashes++
		case text[i] == q && slashes%(2*(escapes+1)) == escapes:
			return i - escapes
		default:
			slashes = 0
		}
	}
	return i
}

func isBackslash(c byte) bool { return c == '\\' }

// closing returns the index after the bracket that closes the one at text[i],
// or the end.
func closing(text []byte, i int) int {
	open, end := text[i], byte('}')
	if open == '[' {
		end = ']'
	}
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// urlSecrets takes user:password and a provider's key in the path of the URL
// whose authority starts at i. Its query is keyedValue's.
func urlSecrets(text []byte, i int, add func(from, to int)) {
	end := runOf(text, i, isAuthorityByte)
	if at := bytes.LastIndexByte(text[i:end], '@'); at >= 0 {
		add(i, i+at)
	}
	for seg := end; seg < len(text) && text[seg] == '/'; {
		next := runOf(text, seg+1, isWordDash)
		if isVersion(text[seg+1:next]) && next < len(text) && text[next] == '/' {
			from := next + 1
			to := runOf(text, from, isWordDash)
			if to-from >= minPathKey && !foldPrefix(text[from:to], "0x") {
				add(from, to)
			}
		}
		seg = next
	}
}

// isVersion reports whether a path segment is v and a digit or two: /v2/<key>.
func isVersion(seg []byte) bool {
	return len(seg) >= 2 && len(seg) <= 3 && seg[0] == 'v' && skipDigits(seg, 1) == len(seg)
}

func isScheme(word []byte) bool {
	for _, s := range []string{"bearer", "basic", "token", "digest", "apikey"} {
		if len(word) == len(s) && foldPrefix(word, s) {
			return true
		}
	}
	return false
}

func startsWord(text []byte, i int) bool { return i == 0 || !isWordDash(text[i-1]) }

func skipBlank(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i
}

func runOf(text []byte, i int, in func(byte) bool) int {
	for i < len(text) && in(text[i]) {
		i++
	}
	return i
}

func isWordDash(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '_' || c == '-'
}

func isNameByte(c byte) bool { return isWordDash(c) || c == '.' }

func isToken68(c byte) bool {
	return isWordDash(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '='
}

// isValueByte is what an unquoted value is made of: anything but space and the
// marks that end one in a URL, a list or a sentence in brackets.
func isValueByte(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', '"', '\'', '`', ',', ';', '&', '#', '<', '>', ')', '}', ']', '|', '\\':
		return false
	}
	return true
}

func isAuthorityByte(c byte) bool {
	return isValueByte(c) && c != '/' && c != '?' || c == ',' || c == ';' || c == '&' || c == '\''
}
