package telemetry

// Origin is what tells where a line of the log came from.
type Origin struct {
	AgentID string
	// Ingested: the line has an eventId, so it came from another machine, or out of a
	// file, and is not forwarded.
	Ingested bool
}

// OriginOf reads the origin of a line. It is false for what is no object of JSON.
func OriginOf(line []byte) (o Origin, ok bool) {
	i := skipSpace(line, 0)
	if i == len(line) || line[i] != '{' {
		return o, false
	}
	end, ok := skipMembers(line, i, 1, func(key, keyEnd, val, valEnd int) {
		switch string(unquote(line[key:keyEnd])) {
		case "agentId":
			o.AgentID = stringOf(line[val:valEnd])
		case "eventId":
			o.Ingested = true
		}
	})
	return o, ok && skipSpace(line, end) == len(line)
}

// Ours reports whether this machine wrote a line of its log. What came from elsewhere is
// another's word: it may be shown, and is evidence of nothing that is decided here.
func Ours(line []byte) bool {
	o, ok := OriginOf(line)
	return ok && !o.Ingested
}

// WithEventID returns a copy of the line, which has none yet, with an eventId that
// needs no escapes.
func WithEventID(line []byte, id string) []byte {
	end := len(line)
	for end > 0 && line[end-1] != '}' {
		end--
	}
	if end == 0 {
		return line
	}
	out := append(make([]byte, 0, end+len(id)+14), line[:end-1]...)
	if i := skipSpace(out, 0); skipSpace(out, i+1) < len(out) {
		out = append(out, ',')
	}
	return append(append(append(out, `"eventId":"`...), id...), `"}`...)
}
