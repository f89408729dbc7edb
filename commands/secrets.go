package commands

import (
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// sensitiveFlags are flags whose values are secrets, of this and of later commands
// and of the original: an error in front of one must not show what stands behind it.
var sensitiveFlags = map[string]bool{
	"private-key": true, "agent-token": true, "opensea-api-key": true, "relay-api-key": true, "api-key": true, "key": true,
	"registration-key": true, "invite": true, "password": true, "passphrase": true, "secret": true, "mnemonic": true, "token": true,
}

func secretFlag(name string) bool { return sensitiveFlags[Kebab(name)] }

// secretArgs returns the values of sensitive flags as they stand in the arguments,
// before anything is parsed.
func secretArgs(args []string) []string {
	var out []string
	for i, a := range args {
		name, value, has := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if !strings.HasPrefix(a, "-") || !secretFlag(name) {
			continue
		}
		if !has && i+1 < len(args) && (!strings.HasPrefix(args[i+1], "-") || len(args[i+1]) > 1) {
			value = args[i+1]
		}
		if value != "" && value != "-" && !(name == "token" && currencyName(value)) { // "-" asks at the terminal
			out = append(out, value)
		}
	}
	return out
}

// currencyName reports whether a word is a currency's symbol or the address of its
// contract, which bridge quote has behind --token, and no secret is.
func currencyName(word string) bool {
	const longest = 11
	letters := strings.Trim(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz") == ""
	return letters && len(word) <= longest || common.IsHexAddress(word)
}

// shownArg is a word of the command line as an error may show it: it hides what may be a key that was typed where none belongs: a word of
// sixteen hex digits or more, or of a token's form. Other words are shown, cut to
// what a person needs to recognise a typo.
func shownArg(word string) string {
	bare := strings.TrimPrefix(strings.ToLower(word), "0x")
	hex := strings.Trim(bare, "0123456789abcdef") == ""
	if (hex && len(bare) >= 16) || strings.HasPrefix(bare, "claw_") || strings.HasPrefix(bare, "inv_") || strings.HasPrefix(bare, "sk-") || likeKey(bare) {
		return hidden
	}
	if r := []rune(word); len(r) > shownWord {
		return string(r[:shownWord]) + "…"
	}
	return word
}

// likeKey reports whether a word, in lower case, looks like the key of a provider:
// long, of letters and digits, both of them. No command or flag is such a word.
func likeKey(word string) bool {
	const letters, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	return len(word) >= keyLength && strings.Trim(word, letters+digits+"_-") == "" && strings.ContainsAny(word, letters) && strings.ContainsAny(word, digits)
}

const (
	hidden    = "***"
	shownWord = 40
	keyLength = 20
)

// earlySecrets are secret settings as flags and environment hold them, valid or not.
func (d *Deps) earlySecrets() []string {
	out := secretArgs(d.args)
	for _, o := range options() {
		if !o.secret {
			continue
		}
		for _, env := range []string{o.env, o.alias} {
			if v := d.host.getenv(env); env != "" && v != "" {
				out = append(out, v)
			}
		}
	}
	return out
}
