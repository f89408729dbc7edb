package telemetry

// A scanner for JSON text that allocates nothing: readers check every line of
// the log with it, filters and redaction find members of an object. It accepts
// exactly what encoding/json's Valid accepts (fuzzed against it).

// maxDepth is encoding/json's own limit on nesting.
const maxDepth = 10000

func skipSpace(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ' ', '\t', '\r', '\n':
			i++
		default:
			return i
		}
	}
	return i
}

// validObject reports whether b is one JSON object with nothing but space
// around it.
func validObject(b []byte) bool {
	i := skipSpace(b, 0)
	if i == len(b) || b[i] != '{' {
		return false
	}
	end, ok := skipValue(b, i, 0)
	return ok && skipSpace(b, end) == len(b)
}

// skipValue returns the index after the value that starts at b[i].
func skipValue(b []byte, i, depth int) (int, bool) {
	if i >= len(b) {
		return i, false
	}
	switch b[i] {
	case '{':
		return skipMembers(b, i, depth+1, nil)
	case '[':
		return skipElements(b, i, depth+1)
	case '"':
		return skipString(b, i)
	case 't':
		return skipWord(b, i, "true")
	case 'f':
		return skipWord(b, i, "false")
	case 'n':
		return skipWord(b, i, "null")
	}
	return skipNumber(b, i)
}

// skipMembers walks the object that starts at b[i]. It calls member, unless
// nil, with each key and value: the bounds of the quoted key, and of the value.
func skipMembers(b []byte, i, depth int, member func(key, keyEnd, val, valEnd int)) (int, bool) {
	if depth > maxDepth {
		return i, false
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, true
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return i, false
		}
		keyEnd, ok := skipString(b, i)
		if !ok {
			return keyEnd, false
		}
		val := skipSpace(b, keyEnd)
		if val >= len(b) || b[val] != ':' {
			return val, false
		}
		val = skipSpace(b, val+1)
		valEnd, ok := skipValue(b, val, depth)
		if !ok {
			return valEnd, false
		}
		if member != nil {
			member(i, keyEnd, val, valEnd)
		}
		i = skipSpace(b, valEnd)
		if i >= len(b) {
			return i, false
		}
		switch b[i] {
		case '}':
			return i + 1, true
		case ',':
			i = skipSpace(b, i+1)
		default:
			return i, false
		}
	}
}

func skipElements(b []byte, i, depth int) (int, bool) {
	if depth > maxDepth {
		return i, false
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1, true
	}
	for {
		end, ok := skipValue(b, i, depth)
		if !ok {
			return end, false
		}
		i = skipSpace(b, end)
		if i >= len(b) {
			return i, false
		}
		switch b[i] {
		case ']':
			return i + 1, true
		case ',':
			i = skipSpace(b, i+1)
		default:
			return i, false
		}
	}
}

func skipString(b []byte, i int) (int, bool) {
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1, true
		case c < 0x20:
			return i, false
		case c == '\\':
			i++
			if i >= len(b) {
				return i, false
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if i+4 >= len(b) || !isHex(b[i+1]) || !isHex(b[i+2]) || !isHex(b[i+3]) || !isHex(b[i+4]) {
					return i, false
				}
				i += 4
			default:
				return i, false
			}
		}
	}
	return i, false
}

func skipWord(b []byte, i int, word string) (int, bool) {
	end := i + len(word)
	return end, end <= len(b) && string(b[i:end]) == word
}

func skipNumber(b []byte, i int) (int, bool) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch start := i; {
	case i < len(b) && b[i] == '0':
		i++
	default:
		if i = skipDigits(b, i); i == start {
			return i, false
		}
	}
	if i < len(b) && b[i] == '.' {
		start := i + 1
		if i = skipDigits(b, start); i == start {
			return i, false
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		start := i
		if i = skipDigits(b, start); i == start {
			return i, false
		}
	}
	return i, true
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
