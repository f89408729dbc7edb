package connection

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

var (
	nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	// envForm is upper case: most keys are not, so that one that was given in place
	// of its variable's name is refused.
	envForm = regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,63}$`)
	// ownEnv are names of variables that hold what opens a wallet or an account of
	// this program's, whoever reads them.
	ownEnv = regexp.MustCompile(`^APE_CLAW_|PRIVATE_?KEY|MNEMONIC|SEED_?PHRASE|RECOVERY_?PHRASE|PASSPHRASE|PASSWORD|KEYSTORE`)
)

// The errors here show nothing of what was given: it may be a key in the wrong place.

// checkName returns a name as it is stored. "conn:" and the name is an agent's id.
func checkName(name string) (string, error) {
	name = fold(name)
	if !nameForm.MatchString(name) || strings.HasPrefix(name, "sk-") || strings.HasPrefix(name, "claw_") {
		return "", fault.New(fault.Usage, "the name of a connection is 1 to 32 letters, digits, _ and -, a letter or digit first").
			Hintf("ape-claw ai connections add --preset ollama --name main")
	}
	if name == ScriptName {
		return "", fault.New(fault.Usage, "%s is what a model that answers from a file is called: choose another name", name)
	}
	return name, nil
}

// ScriptName is the name of a model that answers from a file, in conversations and in
// the origin of its actions: no connection can take its place.
const ScriptName = "scripted"

// CheckURL returns a base URL as it is stored. A key goes there with every request:
// it must be https, or this machine.
func CheckURL(raw string) (string, error) {
	bad := func(why string) (string, error) {
		return "", fault.New(fault.Usage, "the base URL %s", why).Hintf("one such as https://api.example.com/v1, or http://127.0.0.1:11434/v1")
	}
	if len(raw) > 500 || strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }) {
		return bad("is too long, or holds a character that needs escaping")
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return bad("can't be understood")
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("is neither http nor https")
	case u.Hostname() == "" || u.Opaque != "":
		return bad("names no host")
	case u.User != nil:
		return bad("holds credentials; give the key apart, with --ask-key, --key-stdin or --key-env")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(raw, "#"):
		return bad("has a query or a fragment")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return bad("is plain http to another machine: the key could be read on the way; use https")
	}
	u.Host = strings.ToLower(u.Host)
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u.String(), nil
}

func loopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

// reserved reports whether a variable is one of our own secrets.
func (s *Store) reserved(env string) bool {
	return ownEnv.MatchString(strings.ToUpper(env)) || slices.ContainsFunc(s.o.Reserved, func(own string) bool { return strings.EqualFold(own, env) })
}

func (s *Store) checkEnv(env string) error {
	if env == "" {
		return nil
	}
	if !envForm.MatchString(env) {
		return fault.New(fault.Usage, "what holds the key is named as a variable: upper-case letters, digits and _; the key itself is never given so").
			Hintf("--key-env OPENAI_API_KEY, or --ask-key to type the key at the terminal")
	}
	if s.reserved(env) {
		return fault.New(fault.Usage, "%s is, or looks like, a secret of the wallet or of this program: it is not sent to a model's provider", env).
			Hintf("name the variable with the provider's own key, such as OPENAI_API_KEY")
	}
	return nil
}

const maxKey = 4 << 10

// checkKey refuses what can't be a provider's key, before it goes anywhere.
func (s *Store) checkKey(v Secret) error {
	if len(v) > maxKey || strings.ContainsFunc(string(v), func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return fault.New(fault.Usage, "a key is at most %d printable characters without spaces", maxKey).Hintf("give the key alone, on one line")
	}
	if s.o.Own != nil && s.o.Own(string(v)) {
		return fault.New(fault.Usage, "this is a secret of the wallet or of this program: it is not sent to a model's provider").
			Hintf("give the provider's own key")
	}
	return nil
}

func checkModel(m string) error {
	if utf8.RuneCountInString(m) > maxModel || !utf8.ValidString(m) || strings.ContainsFunc(m, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }) {
		return fault.New(fault.Usage, "the name of a model is at most %d printable characters without spaces", maxModel).
			Hintf("ape-claw ai connections verify <name> lists the models")
	}
	return nil
}

const maxModel = 200

func (i Identity) check() error {
	for _, f := range []struct{ name, text string }{{"role", i.Role}, {"traits", i.Traits}, {"instructions", i.Instructions}} {
		if utf8.RuneCountInString(f.text) > MaxIdentity || !multiline(f.text) {
			return fault.New(fault.Usage, "%s is at most %d printable characters", f.name, MaxIdentity).Hintf("make it shorter")
		}
	}
	return nil
}

func checkTools(p ai.Preset) error {
	known := []string{ai.PresetAll, ai.PresetReadWrite, ai.PresetReadOnly, ai.PresetNone, ai.PresetCustom}
	if !slices.Contains(known, p.Name) {
		return fault.New(fault.Usage, "no such preset of tools").Hintf("one of %s", strings.Join(known, ", "))
	}
	if (p.Name == ai.PresetCustom) != (len(p.Enabled) > 0) {
		return fault.New(fault.Usage, "the preset custom names its tools, and no other does").Hintf("ape-claw ai tools lists them")
	}
	for _, t := range p.Enabled {
		if !toolForm.MatchString(t) {
			return fault.New(fault.Usage, "the name of a tool is lower-case letters, digits and _").Hintf("ape-claw ai tools lists them")
		}
	}
	return nil
}

var toolForm = regexp.MustCompile(`^[a-z0-9_]{1,48}$`)

// checkMoney holds caps and prices to what can be counted: a cap of cost needs
// prices, or nothing would ever fill it.
func (d doc) checkMoney() error {
	for _, n := range []int64{d.Caps.TokensPerDay, d.Caps.TurnsPerDay, d.Caps.CostMicrosPerDay} {
		if n < 0 || n > most {
			return fault.New(fault.Usage, "a cap is a number from 0, which is none, to %d", most)
		}
	}
	for model, p := range d.Prices {
		if model == "" || checkModel(model) != nil || p.InputMicros < 0 || p.OutputMicros < 0 || p.InputMicros > most || p.OutputMicros > most {
			return fault.New(fault.Usage, "a price is of a model or of *, and two amounts of 0 or more").Hintf("--price 'gpt-x=2.50/10'")
		}
	}
	if d.Caps.CostMicrosPerDay > 0 && len(d.Prices) == 0 {
		return fault.New(fault.Usage, "a cap of cost needs prices: without, nothing would count towards it").
			Hintf("--price '*=2.50/10', US dollars for a million tokens in and out; or cap the tokens")
	}
	return nil
}
