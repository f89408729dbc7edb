package adversary_test

import (
	"bytes"
	"encoding/json"
	"strings"
)

// node is a JSON value that keeps what encoding/json would lose: the order and the
// doubling of members, and the spelling of each scalar.
type node struct {
	kind byte // '{', '[' or 's'
	raw  string
	keys []string // as raw JSON strings
	kids []*node
}

// parseTree reads one document; nil when it is none.
func parseTree(doc []byte) *node {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	n, err := readTree(d)
	if err != nil {
		return nil
	}
	return n
}

func readTree(d *json.Decoder) (*node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return scalar(t), nil
	}
	n := &node{kind: byte(delim)}
	for d.More() {
		if n.kind == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, quote(key.(string)))
		}
		kid, err := readTree(d)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, kid)
	}
	_, err = d.Token() // the end
	return n, err
}

// scalar is a leaf of a Go value.
func scalar(v any) *node {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return &node{kind: 's', raw: string(b)}
}

func rawNode(s string) *node { return &node{kind: 's', raw: s} }

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// text is the string or number that a leaf holds, without its quotes.
func (n *node) text() string {
	var s string
	if json.Unmarshal([]byte(n.raw), &s) == nil {
		return s
	}
	return n.raw
}

func (n *node) isString() bool { return n.kind == 's' && strings.HasPrefix(n.raw, `"`) }

func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	switch n.kind {
	case '{':
		b.WriteByte('{')
		for i, kid := range n.kids {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(n.keys[i])
			b.WriteByte(':')
			kid.write(b)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for i, kid := range n.kids {
			if i > 0 {
				b.WriteByte(',')
			}
			kid.write(b)
		}
		b.WriteByte(']')
	default:
		b.WriteString(n.raw)
	}
}

func (n *node) clone() *node {
	out := &node{kind: n.kind, raw: n.raw, keys: append([]string(nil), n.keys...)}
	for _, kid := range n.kids {
		out.kids = append(out.kids, kid.clone())
	}
	return out
}

// child returns a member; nil when there is none.
func (n *node) child(key string) *node {
	for i, k := range n.keys {
		if k == quote(key) {
			return n.kids[i]
		}
	}
	return nil
}

// at follows member names and indexes.
func (n *node) at(path ...string) *node {
	for _, p := range path {
		if n == nil {
			return nil
		}
		n = n.child(p)
	}
	return n
}

// set replaces a member, or adds it.
func (n *node) set(key string, v *node) {
	for i, k := range n.keys {
		if k == quote(key) {
			n.kids[i] = v
			return
		}
	}
	n.keys, n.kids = append(n.keys, quote(key)), append(n.kids, v)
}

// place is where a node hangs: the i-th kid of parent.
type place struct {
	path   []int
	name   string
	parent *node
	i      int
}

func (p place) node() *node { return p.parent.kids[p.i] }

// places lists every node but the root, parents first.
func (n *node) places() []place {
	var out []place
	var walk func(at *node, path []int, name string)
	walk = func(at *node, path []int, name string) {
		for i, kid := range at.kids {
			step := "[" + string(rune('0'+i%10)) + "]"
			if at.kind == '{' {
				step = "." + strings.Trim(at.keys[i], `"`)
			}
			p := append(append([]int(nil), path...), i)
			out = append(out, place{p, name + step, at, i})
			walk(kid, p, name+step)
		}
	}
	walk(n, nil, "")
	return out
}

// find returns the place of a path in another tree of the same shape.
func (n *node) find(path []int) (place, bool) {
	for depth, i := range path {
		if i >= len(n.kids) {
			return place{}, false
		}
		if depth == len(path)-1 {
			return place{path: path, parent: n, i: i}, true
		}
		n = n.kids[i]
	}
	return place{}, false
}
