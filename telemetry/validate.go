package telemetry

import (
	"bytes"
	"fmt"
	"strings"
)

// envelope is the form of a line. Its order is the published one, which Validate
// does not insist on: readers take the fields in any order.
const envelope = "v! =1, ts! time, eventType! id, agentId! id, sessionId! id, traceId! id, command! text, dryRun! bool, chainId! int, " +
	"payload! object, result! object, ok! bool, error! text?, source text, eventId id"

// EnvelopeSchema returns the JSON Schema of a line's envelope. A payload or
// result that was too long has its small members and
// {"truncated":true,"bytes":N} instead of its type's fields.
func EnvelopeSchema() []byte { return newShape(envelope).jsonSchema() }

// Validate reports how a line differs from the envelope and from its type's
// declaration, or nil.
func Validate(line []byte) error {
	if bytes.IndexByte(line, '\n') >= 0 {
		return fmt.Errorf("event: a newline in the line")
	}
	if !validObject(line) {
		return fmt.Errorf("event: not a JSON object")
	}
	if wrong := newShape(envelope).check(line); wrong != "" {
		return fmt.Errorf("event: %s", wrong)
	}
	list, _ := members(line)
	value := make(map[string][]byte, len(list))
	for _, m := range list {
		value[m.key] = m.value
	}
	name := stringOf(value["eventType"])
	k, ok := findOwn(name, stringOf(value["command"]))
	if !ok {
		return fmt.Errorf("event %s: the type is not declared", name)
	}
	failed := string(value["ok"]) == "false"
	switch {
	case failed == (string(value["error"]) == "null"):
		return fmt.Errorf("event %s: error must be null exactly when ok is true", name)
	case failed && stringOf(value["error"]) == "":
		return fmt.Errorf("event %s: error is empty", name)
	case k.decl.failure && !failed:
		return fmt.Errorf("event %s: it tells of a failure and has ok:true", name)
	}
	shapes := k.shapes()
	for i, part := range []string{"payload", "result"} {
		if isTruncated(value[part]) {
			continue
		}
		if wrong := shapes[i].check(value[part]); wrong != "" {
			return fmt.Errorf("event %s: %s: %s", name, part, wrong)
		}
	}
	return nil
}

// isTruncated recognises the marker that cut leaves at an object's end.
func isTruncated(obj []byte) bool {
	list, _ := members(obj)
	if len(list) < 2 {
		return false
	}
	a, b := list[len(list)-2], list[len(list)-1]
	return a.key == "truncated" && string(a.value) == "true" && b.key == "bytes" && len(b.value) > 0 &&
		strings.Trim(string(b.value), "0123456789") == ""
}
