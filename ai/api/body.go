package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// maxDepth is how deep a body may nest.
const maxDepth = 8

// decode reads a body into v: one JSON object with known fields, each once, and
// nothing behind it. What is in it twice, or not known, would mean something to
// whoever wrote it.
func (q *request) decode(v any) error {
	if kind, _, err := mime.ParseMediaType(q.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return fault.New(fault.Usage, "the body is sent as application/json")
	}
	body, err := io.ReadAll(q.Body)
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return err // the server's own answer to it
		}
		return fault.Wrap(err, fault.Usage, "the body can't be read")
	}
	if !utf8.Valid(body) {
		return fault.New(fault.Usage, "the body is not UTF-8")
	}
	if err := once(body); err != nil {
		return fault.Wrap(err, fault.Usage, "the body is not one JSON object with each field once")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fault.Wrap(err, fault.Usage, "the body has a field that is unknown here or of another type")
	}
	return nil
}

// nothing wants no body, or an empty object.
func (q *request) nothing() error {
	b, err := io.ReadAll(io.LimitReader(q.Body, 64))
	if err != nil {
		return fault.Wrap(err, fault.Usage, "the body can't be read")
	}
	if b = bytes.TrimSpace(b); len(b) == 0 || string(b) == "{}" {
		return nil
	}
	return fault.New(fault.Usage, "this call takes no body")
}

// once reports whether body is one object in which no object has a name twice.
// Names are compared as encoding/json would match them to fields, without regard
// to case.
func once(body []byte) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	first, err := dec.Token()
	if err != nil || first != json.Delim('{') {
		return errors.New("no object")
	}
	if err := objectOnce(dec, 1); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	return nil
}

func objectOnce(dec *json.Decoder, depth int) error {
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		key := string(bytes.ToLower([]byte(name)))
		if seen[key] {
			return fmt.Errorf("a field is there twice")
		}
		seen[key] = true
		if err := valueOnce(dec, depth); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

func valueOnce(dec *json.Decoder, depth int) error {
	t, err := dec.Token()
	if err != nil {
		return err
	}
	d, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	if depth >= maxDepth {
		return errors.New("too deep")
	}
	if d == '{' {
		return objectOnce(dec, depth+1)
	}
	for dec.More() {
		if err := valueOnce(dec, depth+1); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}
