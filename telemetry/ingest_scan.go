package telemetry

import (
	"hash/maphash"
	"slices"
	"strconv"
)

// strictScan reads the JSON of somebody who is not trusted, once. It takes less than
// JSON allows: no names that come twice, which readers understand differently, and
// no depth that makes them run out of stack.
type strictScan struct {
	b    []byte
	seed maphash.Seed
	keys []uint64 // hashes of the names of the objects that are open, inner ones last
	// deep and twice say where it failed, if for one of these: at an object or list
	// inside too many others, in an object that has a name twice.
	deep, twice int
}

func (s *strictScan) reset(b []byte) { s.b, s.keys, s.deep, s.twice = b, s.keys[:0], -1, -1 }

// value returns the index after the value at i, which is inside depth others.
func (s *strictScan) value(i, depth int) (int, bool) {
	if i >= len(s.b) {
		return i, false
	}
	switch c := s.b[i]; c {
	case '{', '[':
		if depth >= MaxIngestDepth {
			s.deep = i
			return i, false
		}
		if c == '{' {
			return s.object(i, depth+1, nil)
		}
		return s.list(i, depth+1)
	case '"':
		return skipString(s.b, i)
	}
	return skipValue(s.b, i, 0)
}

// object reads the object at i, as number depth of those inside one another. It
// calls member, unless nil, with each name and value.
func (s *strictScan) object(i, depth int, member func(key, value []byte)) (int, bool) {
	open, from := i, len(s.keys)
	if i = skipSpace(s.b, i+1); i < len(s.b) && s.b[i] == '}' {
		return i + 1, true
	}
	for {
		if i >= len(s.b) || s.b[i] != '"' {
			return i, false
		}
		keyEnd, ok := skipString(s.b, i)
		if !ok {
			return keyEnd, false
		}
		key := unquote(s.b[i:keyEnd])
		s.keys = append(s.keys, maphash.Bytes(s.seed, key))
		if i = skipSpace(s.b, keyEnd); i >= len(s.b) || s.b[i] != ':' {
			return i, false
		}
		val := skipSpace(s.b, i+1)
		if i, ok = s.value(val, depth); !ok {
			return i, false
		}
		if member != nil {
			member(key, s.b[val:i])
		}
		if i = skipSpace(s.b, i); i >= len(s.b) {
			return i, false
		}
		switch s.b[i] {
		case '}':
			if hasTwice(s.keys[from:]) {
				s.twice = open
				return i, false
			}
			s.keys = s.keys[:from]
			return i + 1, true
		case ',':
			i = skipSpace(s.b, i+1)
		default:
			return i, false
		}
	}
}

func (s *strictScan) list(i, depth int) (int, bool) {
	if i = skipSpace(s.b, i+1); i < len(s.b) && s.b[i] == ']' {
		return i + 1, true
	}
	for {
		end, ok := s.value(i, depth)
		if !ok {
			return end, false
		}
		if i = skipSpace(s.b, end); i >= len(s.b) {
			return i, false
		}
		switch s.b[i] {
		case ']':
			return i + 1, true
		case ',':
			i = skipSpace(s.b, i+1)
		default:
			return i, false
		}
	}
}

// fewKeys is up to how many names each is compared with each.
const fewKeys = 24

// hasTwice reports whether a hash comes twice. That two names have one is less likely
// than an error of the machine's memory: the seed is nobody's to know.
func hasTwice(keys []uint64) bool {
	if len(keys) <= fewKeys {
		for i, k := range keys {
			if slices.Contains(keys[:i], k) {
				return true
			}
		}
		return false
	}
	slices.Sort(keys)
	for i := 1; i < len(keys); i++ {
		if keys[i] == keys[i-1] {
			return true
		}
	}
	return false
}

// problem says why the scan failed at index at.
func (s *strictScan) problem(at int) *lineProblem {
	switch {
	case s.deep >= 0:
		return &lineProblem{code: tooDeepCode, reason: "more than " + strconv.Itoa(MaxIngestDepth) + " objects and lists inside one another, at byte " + strconv.Itoa(s.deep+1)}
	case s.twice >= 0:
		seen := map[string]bool{}
		name := ""
		skipMembers(s.b, s.twice, 1, func(key, keyEnd, _, _ int) {
			k := string(unquote(s.b[key:keyEnd]))
			if seen[k] && name == "" {
				name = k
			}
			seen[k] = true
		})
		return &lineProblem{code: twiceCode, field: clipName(name), reason: strconv.Quote(clipName(name)) + " comes twice in an object"}
	case at >= len(s.b):
		return &lineProblem{code: notJSONLineCode, reason: "it is no JSON object: it ends in the middle"}
	}
	return &lineProblem{code: notJSONLineCode, reason: "it is no JSON object: byte " + strconv.Itoa(at+1) + " is not what JSON has there"}
}

// clipName bounds a name that is shown.
func clipName(s string) string {
	if len(s) > 64 {
		return shorten(s, 64)
	}
	return s
}
