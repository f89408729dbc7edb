package canon_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/v2/canon"
)

// documents makes random JSON text, some of it broken.
type documents struct{ *rand.Rand }

func (d documents) pick(all ...string) string { return all[d.IntN(len(all))] }

func (d documents) space() string { return d.pick("", "", "", " ", "\n", "\t ", "\r\n") }

func (d documents) number() string {
	digits := func(most int) string {
		var b strings.Builder
		for range 1 + d.IntN(most) {
			b.WriteByte(byte('0' + d.IntN(10)))
		}
		return b.String()
	}
	switch d.IntN(6) {
	case 0: // any double, in full
		return fmt.Sprint(d.Uint64()) + "e" + fmt.Sprint(d.IntN(700)-380)
	case 1:
		return d.pick("0", "-0", "1e21", "1e-7", "999999999999999999999", "1e21", "123456789012345678", "5e-324", "1e309", "0.1")
	case 2:
		return strconv.Itoa(d.IntN(1000))
	case 3: // near a power of two, where the neighbours are not evenly far
		return strconv.FormatUint(1<<uint(d.IntN(63))+uint64(d.IntN(3))-1, 10) + d.pick("", ".5", "e3", "e-20")
	}
	whole := strings.TrimLeft(digits(25), "0")
	if whole == "" {
		whole = "0"
	}
	return d.pick("", "-") + whole + d.pick("", "."+digits(30)) + d.pick("", d.pick("e", "E")+d.pick("", "+", "-")+digits(2))
}

func (d documents) text() string {
	var b strings.Builder
	b.WriteByte('"')
	for range d.IntN(5) {
		switch d.IntN(7) {
		case 0:
			fmt.Fprintf(&b, `\u%04x`, d.IntN(1<<16))
		case 1:
			fmt.Fprintf(&b, `\u%04X`, 0xd7fe+d.IntN(0x0804)) // surrogates, and what is beside them
		case 2:
			b.WriteString(d.pick(`\n`, `\t`, `\\`, `\"`, `\/`, `\b`, `\f`, `\r`))
		case 3:
			b.WriteRune(rune(0xe000 + d.IntN(0x2000)))
		case 4:
			b.WriteRune(rune(0x10000 + d.IntN(0x10000)))
		default:
			b.WriteString(d.pick("a", "b", "A", "1", "10", "é", "\u2028", "__proto__", "\u007f", "<"))
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (d documents) value(depth int) string {
	kind := d.IntN(8)
	if depth == 0 {
		kind = 2 + d.IntN(6)
	}
	switch kind {
	case 0:
		var items []string
		for range d.IntN(5) {
			items = append(items, d.space()+d.value(depth-1)+d.space())
		}
		return "[" + strings.Join(items, ",") + "]"
	case 1:
		var members []string
		for range d.IntN(6) {
			members = append(members, d.space()+d.text()+d.space()+":"+d.space()+d.value(depth-1))
		}
		return "{" + strings.Join(members, ",") + "}"
	case 2, 3:
		return d.text()
	case 4:
		return d.pick("true", "false", "null")
	}
	return d.number()
}

func (d documents) document() string {
	text := d.space() + d.pick("{", "[") + d.space()
	if text[len(text)-1] == '{' || strings.Contains(text, "{") {
		text += `"k":` + d.value(4) + `,"j":` + d.value(4) + "}"
	} else {
		text += d.value(4) + "," + d.value(4) + "]"
	}
	if d.IntN(10) == 0 { // broken, mostly
		at := d.IntN(len(text))
		for at > 0 && text[at]&0xc0 == 0x80 {
			at--
		}
		text = text[:at] + d.pick(",", "}", "]", `"`, "0", "-", `\`, "e", "") + text[at:]
	}
	return text
}

// Thousands of random documents by ECMAScript's own JSON, where a Node is there to
// ask.
func TestNodeAgrees(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node here")
	}
	script, err := filepath.Abs("../../tests/hashes/canonical.mjs")
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(20260101)
	d := documents{rand.New(rand.NewPCG(seed, 1))}
	var in bytes.Buffer
	texts := make([]string, 6000)
	for i := range texts {
		texts[i] = d.document()
		line, err := json.Marshal(texts[i])
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.CommandContext(t.Context(), node, script, "--lines")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(bytes.NewReader(out))
	answers.Buffer(nil, 1<<20)
	refused, n := 0, 0
	for ; answers.Scan(); n++ {
		var want *string
		if err := json.Unmarshal(answers.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		got, err := canon.JSON([]byte(texts[n]))
		switch {
		case want == nil:
			refused++
			if err == nil {
				t.Errorf("%q: node refuses it, and it became %s", texts[n], got)
			}
		case err != nil:
			t.Errorf("%q: %v; node has %s", texts[n], err, *want)
		case string(got) != *want:
			t.Errorf("%q:\n got %s\nnode %s", texts[n], got, *want)
		}
	}
	if n != len(texts) || refused == 0 || refused > n/4 {
		t.Fatalf("%d of %d documents answered, %d refused", n, len(texts), refused)
	}
}
