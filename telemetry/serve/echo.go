package serve

import (
	"net/url"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// echo is what answers show of a caller's own text: whatever of it a caller
// decides goes through here. It is short, and holds no secret that somebody put
// into the wrong place, since answers end up in logs and on screens too.
func (s *Server) echo(text string) string { return clip(redacted(s.opt.Redactor, text)) }

// redacted looks at the beginning of text only: more is never shown, and a header
// may be long.
func redacted(red *telemetry.Redactor, text string) string {
	const most = 1 << 10
	return red.String(text[:min(len(text), most)])
}

// clip keeps text short.
func clip(s string) string {
	const most = 64
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// once refuses a query that says the same thing twice, where only one can count.
// A type may be repeated: any of them passes.
func (s *Server) once(q url.Values) error {
	for name, values := range q {
		if name != "type" && len(values) > 1 {
			return fault.New(fault.Usage, "%s is given %d times", s.echo(name), len(values)).Hintf("give it once; only type may be repeated")
		}
	}
	return nil
}
