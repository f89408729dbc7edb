package telemetry

// LineCode is why one event that others wrote is refused: a line of a file that is
// imported, or of a request that sends events.
type LineCode struct {
	Code  string
	Means string // one line for docs/errors.md
}

// LineCodes lists every such code once.
func LineCodes() []LineCode {
	return []LineCode{
		{notJSONLineCode, "it is not one JSON object"},
		{twiceCode, "a name stands twice in an object, which readers understand differently"},
		{tooDeepCode, "too many objects and lists are inside one another"},
		{bomCode, "it begins with a byte order mark"},
		{nulCode, "it holds NUL bytes"},
		{utf8Code, "it is not UTF-8"},
		{noTypeCode, "it has no `eventType`"},
		{badTimeCode, "`ts` is neither a time with its zone nor unix seconds"},
		{badFieldCode, "the field that `field` names is of the wrong kind, or contradicts another"},
		{badIDCode, "the id that `field` names is none, is another's, or looks like a secret"},
		{newerCode, "`v` is not 1"},
		{tooLongCode, "it is longer than 1 MiB"},
		{tornCode, "it ends in the middle: its writer was ended (only in a file)"},
	}
}
