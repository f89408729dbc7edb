package telemetry

// mayHold is a cheap scan of a line for anything that the whole redaction may take
// out of it: it may be wrong in saying yes, never in saying no.
func (r *Redactor) mayHold(line []byte) bool {
	return hasSensitiveName(line) || mayMatch(line) || r.hasExact(line)
}

// mayMatch looks for what findPatterns and findPhrases begin with, but for sensitive
// names: a parameter of a URL, a URL, a JWT, as many words in a row as a phrase has,
// and an escape, behind which each of these may stand.
func mayMatch(line []byte) bool {
	words, end := 0, 0
	for i := 0; i < len(line); {
		if c := line[i]; !isLetter(c) {
			i++
			if c == '=' || c == '\\' || c == ':' && i < len(line) && line[i] == '/' {
				return true
			}
			continue
		}
		from := i
		if line[i] == 'e' && i+2 < len(line) && line[i+1] == 'y' && line[i+2] == 'J' {
			return true
		}
		for i < len(line) && isLetter(line[i]) {
			i++
		}
		switch n := i - from; {
		case n < minWord || n > maxWord:
			words = 0
			continue
		case words > 0 && from-end > maxBetween:
			words = 0
		}
		if words++; words == minPhrase {
			return true
		}
		end = i
	}
	return false
}
