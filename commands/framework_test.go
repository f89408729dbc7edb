package commands

import (
	"reflect"
	"testing"
)

func TestKebab(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"maxPrice": "max-price", "tokenId": "token-id", "tokenID": "token-id", "privateKey": "private-key", "max-price": "max-price",
		"openseaApiKey": "opensea-api-key", "rpcURLHere": "rpc-url-here", "json": "json", "royaltyBps2": "royalty-bps2", "": "",
	} {
		if got := Kebab(in); got != want {
			t.Errorf("Kebab(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word, want string
	}{{"quot", "quote"}, {"qoute", "quote"}, {"simulat", "simulate"}, {"byu", "buy"}, {"bye", ""}, {"typo", ""}, {"x", ""}, {"QUOTE", "quote"}, {"sim", "simulate"}} {
		if got := nearest(c.word, []string{"quote", "simulate", "buy", "quotes"}); got != c.want {
			t.Errorf("nearest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}

func TestWantsJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"doctor", "--json"}, true}, {[]string{"--json", "doctor"}, true}, {[]string{"--bad", "--json"}, true},
		{[]string{"--json=false"}, false}, {[]string{"--json", "--json=false"}, false}, {[]string{"--", "--json"}, false}, {nil, false},
		{[]string{"--JSON"}, true}, {[]string{"--jsonx"}, false},
	} {
		if got := wantsJSON(c.args); got != c.want {
			t.Errorf("wantsJSON(%q) = %v", c.args, got)
		}
	}
}

func TestSecretArgs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want []string }{
		{[]string{"auth", "set", "--private-key", "0xcanary"}, []string{"0xcanary"}},
		{[]string{"--privateKey=0xcanary", "x"}, []string{"0xcanary"}},
		{[]string{"--agentToken", "tokentoken", "--opensea-api-key=keykey"}, []string{"tokentoken", "keykey"}},
		{[]string{"--private-key", "-", "--agent-id", "a"}, nil},
		{[]string{"--private-key"}, nil},
		{[]string{"--max-price", "12345"}, nil},
		{[]string{"--private-key", "-0xcanary"}, []string{"-0xcanary"}},
	} {
		if got := secretArgs(c.args); !reflect.DeepEqual(got, c.want) {
			t.Errorf("secretArgs(%q) = %q, want %q", c.args, got, c.want)
		}
	}
}

func TestCleanKeepsTheTerminalSafe(t *testing.T) {
	t.Parallel()
	if got := clean("a\x1b[31mb\nc\u202ed\u2028é🙂\u200bz\u3164\u2800\U000E0041 👩\u200d🚀 a\u200db"); got != "a\ufffd[31mb\ufffdc\ufffdd\ufffdé🙂\ufffdz\ufffd\ufffd\ufffd 👩\u200d🚀 a\ufffdb" {
		t.Errorf("%q", got)
	}
}
