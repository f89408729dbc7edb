package provider

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// said is what a service says about its error. Text decides only what can be left
// out of a request or how a person is told: this file is the only one that reads it.
type said struct {
	text, code, kind, param string
	status                  int // an error object's own, 0 for none
}

// readSaid reads the shapes in use: {"error":{…}}, {"error":"…"}, the same in a
// list (Gemini), {"message":…} (Mistral, vLLM), {"detail":…} (FastAPI).
func readSaid(b []byte) said {
	var list []json.RawMessage
	if json.Unmarshal(b, &list) == nil && len(list) > 0 {
		b = list[0]
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal(b, &outer) != nil {
		text := string(b)
		if strings.HasPrefix(strings.TrimSpace(text), "<") {
			text = "" // a web page
		}
		return said{text: text}
	}
	inner := outer
	if e := outer["error"]; len(e) > 0 && string(e) != "null" {
		if json.Unmarshal(e, &inner) != nil {
			return said{text: firstText(e), status: number(outer["status_code"])}
		}
	}
	s := said{
		text: firstText(inner["message"], inner["detail"], inner["error"], inner["msg"]), kind: firstText(inner["type"]),
		code: firstText(inner["code"], inner["status"]), param: firstText(inner["param"]),
		status: number(inner["code"]),
	}
	if s.status == 0 {
		s.status = number(inner["status_code"])
	}
	var meta struct {
		Raw json.RawMessage `json:"raw"`
	}
	if json.Unmarshal(inner["metadata"], &meta) == nil && len(meta.Raw) > 0 {
		s.text += ": " + firstText(meta.Raw) // OpenRouter: what the service behind it said
	}
	if d := inner["details"]; len(d) > 0 {
		s.kind += " " + string(d) // Gemini: the reason is in there
	}
	return s
}

// firstText returns the first value as text: a string as it is, anything else as JSON.
func firstText(values ...json.RawMessage) string {
	for _, v := range values {
		if len(v) == 0 || string(v) == "null" {
			continue
		}
		var s string
		if json.Unmarshal(v, &s) == nil {
			return s
		}
		return string(v)
	}
	return ""
}

func number(v json.RawMessage) int {
	n, err := strconv.Atoi(strings.Trim(string(v), `"`))
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

func (s said) is(codes ...string) bool {
	return slices.Contains(codes, s.code) || slices.Contains(codes, s.kind)
}

// about reports whether one of the words is in what was said.
func (s said) about(words ...string) bool {
	all := strings.ToLower(s.text + " " + s.code + " " + s.param)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(all, w) })
}

func (s said) noCredit() bool {
	return s.is("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_credits", "credits_exhausted")
}

// badKey is Gemini's 400 for what is 401 elsewhere.
func (s said) badKey() bool {
	return strings.Contains(s.kind, "API_KEY_INVALID") || s.about("api key not valid")
}

// overloaded reports whether an error object without a status is about the
// service's own trouble.
func (s said) overloaded() bool {
	return s.is("server_error", "overloaded_error", "internal_server_error", "service_unavailable", "api_error", "timeout")
}

// maxSaid is how much of a service's words is shown.
const maxSaid = 200

// quote is what was said as a clause of a message, the key taken out.
func (c *client) quote(text string) string {
	text = fault.Excerpt(c.hide(fault.Excerpt(text, 8*maxSaid)), maxSaid)
	if text == "" {
		return ""
	}
	return " and said " + strconv.Quote(text)
}

// masked is a key with its middle crossed out, as services repeat it; keyish is
// what looks like one.
var (
	masked = regexp.MustCompile(`[^\s"']*\*{3,}[^\s"']*`)
	keyish = regexp.MustCompile(`\b(sk|gsk|pk|rk|xai|AIza|Bearer)[-_ ]?[A-Za-z0-9._-]{12,}`)
)

const hidden = "[key]"

// hide takes the key out of a text, whole, crossed out, or any eight characters
// of it.
func (c *client) hide(text string) string {
	text = keyish.ReplaceAllString(masked.ReplaceAllString(text, hidden), hidden)
	const part = 8
	key := c.o.Key
	if key == "" {
		return text
	}
	if len(key) < part {
		return strings.ReplaceAll(text, key, hidden)
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		n := 0
		for end := i + part; end <= len(text) && strings.Contains(key, text[i:end]); end++ {
			n = end - i
		}
		if n > 0 {
			b.WriteString(hidden)
			i += n
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}
