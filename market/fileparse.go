package market

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// place is where something stands in a data file, both from 1.
type place struct{ line, column int }

func (p place) String() string { return fmt.Sprintf("line %d, column %d", p.line, p.column) }

// of puts the place before an error.
func (p place) of(err error) error { return fmt.Errorf("%s: %w", p, err) }

func placeIn(b []byte, offset int64) place {
	before := b[:min(max(offset, 0), int64(len(b)))]
	return place{1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')}
}

// parse reads the file's parts and remembers where each stands.
func (f *File) parse(b []byte) error {
	b = bytes.TrimPrefix(b, []byte("\ufeff")) // what some editors put before it
	// The whole first: a place can be told of any mistake in its spelling.
	var whole json.RawMessage
	if err := decode(b, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(json.Unmarshal(b, &whole), &syntax) && len(bytes.TrimSpace(b)) > 0 {
			return placeIn(b, syntax.Offset).of(err)
		}
		return err
	}
	r := fileReader{text: b, dec: json.NewDecoder(bytes.NewReader(b))}
	return r.object("the file", func(key string, at place) error {
		switch key {
		case "collections":
			return r.list(key, func(p part) error {
				var c collectionJSON
				if err := decode(p.raw, &c); err != nil {
					return p.at.of(fmt.Errorf("a collection: %w", err))
				}
				if _, twice := f.collections[c.Slug]; twice {
					return p.at.of(fmt.Errorf("collection %s comes twice", quoted(c.Slug)))
				}
				f.collections[c.Slug] = p
				return nil
			})
		case "listings":
			return r.object(key, func(slug string, at place) error {
				if !ValidSlug(slug) {
					return at.of(fmt.Errorf("listings has the key %s, which is no collection slug", quoted(slug)))
				}
				f.listings[slug] = []part{}
				return r.list("listings of "+slug, func(p part) error {
					f.listings[slug] = append(f.listings[slug], p)
					return nil
				})
			})
		case "fulfillments":
			return r.object(key, func(order string, at place) error {
				h, ok := hash(order)
				if !ok {
					return at.of(fmt.Errorf("fulfillments has the key %s, which is no order hash", quoted(order)))
				}
				p, err := r.value()
				if _, twice := f.fulfillments[h]; twice && err == nil {
					err = at.of(fmt.Errorf("order %s comes twice", h))
				}
				f.fulfillments[h] = p
				return err
			})
		}
		return at.of(fmt.Errorf("it has the unknown key %s", quoted(key)))
	})
}

// fileReader walks through JSON that is known to be well spelt.
type fileReader struct {
	text []byte
	dec  *json.Decoder
}

// here is the place of the next token.
func (r *fileReader) here() place {
	rest := r.text[r.dec.InputOffset():]
	skip := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
	return placeIn(r.text, r.dec.InputOffset()+int64(skip))
}

// object calls f with each key of an object; f reads the value.
func (r *fileReader) object(what string, f func(key string, at place) error) error {
	seen := map[string]bool{}
	return r.each(what, '{', "an object", func() error {
		at := r.here()
		t, err := r.dec.Token()
		if err != nil {
			return err
		}
		key, ok := t.(string)
		if !ok {
			return errors.ErrUnsupported // the decoder lets no other key through
		}
		if seen[key] {
			return at.of(fmt.Errorf("key %s comes twice", quoted(key)))
		}
		seen[key] = true
		return f(key, at)
	})
}

// list calls f with each element of a list.
func (r *fileReader) list(what string, f func(part) error) error {
	return r.each(what, '[', "a list", func() error {
		p, err := r.value()
		if err != nil {
			return err
		}
		return f(p)
	})
}

// each steps through an object or a list.
func (r *fileReader) each(what string, open json.Delim, kind string, f func() error) error {
	at := r.here()
	if t, err := r.dec.Token(); err != nil || t != open {
		return at.of(fmt.Errorf("%s has the wrong type; expected %s", what, kind))
	}
	for r.dec.More() {
		if err := f(); err != nil {
			return err
		}
	}
	_, err := r.dec.Token()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (r *fileReader) value() (part, error) {
	p := part{at: r.here()}
	err := r.dec.Decode(&p.raw)
	return p, err
}
