package skill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// decode reads JSON whose objects have no key twice. The text was found to be JSON,
// bounded in depth, before.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return value(d, "")
}

func value(d *json.Decoder, at string) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, fault.Wrap(err, fault.Usage, "the card is not JSON")
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := value(d, fmt.Sprintf("%s/%d", at, len(list)))
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		members := map[string]any{}
		for d.More() {
			k, err := d.Token()
			if err != nil {
				return nil, fault.Wrap(err, fault.Usage, "the card is not JSON")
			}
			key, _ := k.(string)
			if _, twice := members[key]; twice {
				return nil, fault.New(fault.Usage, "the card has %s twice", pointer(at, key))
			}
			if members[key], err = value(d, pointer(at, key)); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return members, err
	}
	return t, nil
}

// pointer is the JSON pointer of a member, of bounded length and fit for a screen.
func pointer(at, key string) string {
	key = strings.NewReplacer("~", "~0", "/", "~1").Replace(fault.Excerpt(key, 40))
	return at + "/" + key
}

// place is a value with its JSON pointer.
type place struct {
	at    string
	value any
	there bool
}

// object is an object of the card, and the keys of it that were read.
type object struct {
	r       *reader
	at      string
	members map[string]any
	read    map[string]bool
}

// reader keeps the first thing that is wrong.
type reader struct{ err error }

func (r *reader) fail(at, want string) {
	if r.err != nil {
		return
	}
	if at == "" {
		at = "the card"
	}
	r.err = fault.New(fault.Usage, "the skill card: %s should be %s", at, want)
}

func (r *reader) object(v any, at string) object {
	members, ok := v.(map[string]any)
	if !ok {
		r.fail(at, "an object")
	}
	return object{r: r, at: at, members: members, read: map[string]bool{}}
}

// may is a member that may be missing.
func (o object) may(key string) place {
	o.read[key] = true
	v, ok := o.members[key]
	return place{o.at + "/" + key, v, ok}
}

// must is a member that has to be there.
func (o object) must(key string) place {
	p := o.may(key)
	if !p.there && o.r.err == nil {
		o.r.err = fault.New(fault.Usage, "the skill card: %s is missing", p.at)
	}
	return p
}

// nothingElse refuses keys that were not read.
func (r *reader) nothingElse(o object) {
	var others []string
	for key := range o.members {
		if !o.read[key] {
			others = append(others, key)
		}
	}
	if len(others) > 0 && r.err == nil {
		r.err = fault.New(fault.Usage, "the skill card: %s is no key of a card", pointer(o.at, slices.Min(others)))
	}
}

// text is a text of at most so many characters, each of which shows; line breaks
// and tabs are let through in long ones.
func (r *reader) text(p place, most int) string {
	if !p.there {
		return ""
	}
	s, ok := p.value.(string)
	if !ok {
		r.fail(p.at, "a text")
		return ""
	}
	if utf8.RuneCountInString(s) > most {
		r.fail(p.at, fmt.Sprintf("at most %d characters", most))
	}
	if strings.ContainsFunc(s, func(c rune) bool {
		return !unicode.IsPrint(c) && !(most == maxText && (c == '\n' || c == '\t' || c == '\r'))
	}) {
		r.fail(p.at, "text without control characters")
	}
	return s
}

// list is the items of a list with their places.
func (r *reader) list(p place) []place {
	if !p.there {
		return nil
	}
	items, ok := p.value.([]any)
	if !ok {
		r.fail(p.at, "a list")
	}
	if len(items) > maxItems {
		r.fail(p.at, fmt.Sprintf("at most %d items", maxItems))
		return nil
	}
	all := make([]place, len(items))
	for i, v := range items {
		all[i] = place{fmt.Sprintf("%s/%d", p.at, i), v, true}
	}
	return all
}

func (r *reader) texts(p place) (all []string) {
	for _, item := range r.list(p) {
		all = append(all, r.text(item, maxLine))
	}
	return all
}

// schema is an object of which nothing more is asked.
func (r *reader) schema(p place) map[string]any {
	if !p.there {
		return nil
	}
	return r.object(p.value, p.at).members
}

func (r *reader) yes(p place) bool {
	if !p.there {
		return false
	}
	b, ok := p.value.(bool)
	if !ok {
		r.fail(p.at, "true or false")
	}
	return b
}
