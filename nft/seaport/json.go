package seaport

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/market"
)

// fields reads the members of one JSON object of the marketplace. Members it
// is not asked for are ignored; one that is missing or malformed is an error,
// kept once for the whole tree, so that a reader can ask for everything and
// look at the error at the end.
type fields struct {
	path string
	m    map[string]json.RawMessage
	err  *error
}

// newFields reads raw as an object.
func newFields(path string, raw json.RawMessage) (fields, *error) {
	var err error
	f := fields{path: path, err: &err}
	f.read(raw)
	return f, &err
}

func (f *fields) read(raw json.RawMessage) {
	if e := json.Unmarshal(raw, &f.m); e != nil || f.m == nil {
		f.fail("%s is %s, expected an object", f.path, excerpt(raw))
	}
}

func (f fields) fail(format string, args ...any) {
	if *f.err == nil {
		*f.err = fmt.Errorf(format, args...)
	}
}

// value returns the member's text; null counts as missing. What is missing is
// no JSON, so that whoever reads it fails too, which changes nothing: the first
// failure is the one that is told.
func (f fields) value(key string) json.RawMessage {
	raw := bytes.TrimSpace(f.m[key])
	if len(raw) == 0 || string(raw) == "null" {
		f.fail("%s.%s is missing", f.path, key)
		return nil
	}
	return raw
}

func (f fields) has(key string) bool {
	_, ok := f.m[key]
	return ok
}

func (f fields) object(key string) fields {
	child := fields{path: f.path + "." + key, err: f.err}
	child.read(f.value(key))
	return child
}

func (f fields) list(key string) []fields {
	raw := f.value(key)
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		f.fail("%s.%s is %s, expected a list", f.path, key, excerpt(raw))
		return nil
	}
	out := make([]fields, len(items))
	for i, item := range items {
		out[i] = fields{path: f.path + "." + key + "[" + strconv.Itoa(i) + "]", err: f.err}
		out[i].read(item)
	}
	return out
}

func (f fields) text(key string) string {
	raw := f.value(key)
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		f.fail("%s.%s is %s, expected a string", f.path, key, excerpt(raw))
	}
	return s
}

// number reads an unsigned 256-bit integer in any of the spellings seen in the
// wild: a JSON number, a decimal string, a 0x string.
func (f fields) number(key string) *big.Int {
	raw := f.value(key)
	var n market.Integer
	if err := json.Unmarshal(raw, &n); err != nil {
		f.fail("%s.%s is %s, expected a whole number of at most 256 bits", f.path, key, excerpt(raw))
		return new(big.Int)
	}
	return n.Big()
}

func (f fields) small(key string) uint8 {
	n := f.number(key)
	if !n.IsUint64() || n.Uint64() > 255 {
		f.fail("%s.%s is %s, expected at most 255", f.path, key, n)
		return 0
	}
	return uint8(n.Uint64())
}

func (f fields) address(key string) (a common.Address) {
	f.fixed(key, a[:])
	return a
}

func (f fields) bytes32(key string) (b [32]byte) {
	f.fixed(key, b[:])
	return b
}

func (f fields) fixed(key string, into []byte) {
	b := f.bytes(key)
	if len(b) != len(into) {
		f.fail("%s.%s has %d bytes, expected %d", f.path, key, len(b), len(into))
		return
	}
	copy(into, b)
}

func (f fields) bytes(key string) []byte {
	s := f.text(key)
	b, err := parseHex(s)
	if err != nil {
		f.fail("%s.%s is %s, expected 0x and hexadecimal digits", f.path, key, excerpt([]byte(strconv.Quote(s))))
	}
	return b
}

func parseHex(s string) ([]byte, error) {
	digits, ok := strings.CutPrefix(s, "0x")
	if !ok {
		return nil, errors.New("no 0x")
	}
	return hex.DecodeString(digits)
}

// excerpt shows a piece of untrusted JSON in a message: short, on one line.
func excerpt(raw []byte) string {
	const most = 60
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r > 0x7e {
			return '?'
		}
		return r
	}, string(raw))
	if len(clean) > most {
		return clean[:most] + "…"
	}
	return clean
}
