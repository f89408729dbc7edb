package telemetry_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

const (
	keySecret    = "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
	tokenSecret  = "claw-Canary/Tok+en=7 with \"quotes\" & <tags> é"
	phraseSecret = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	txHash       = "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b"
	wallet       = "0x2c7536e3605d9c16a7a3d7b1898e529396a65c23"
)

// encodings are the ways a secret may turn up in a text.
func encodings(secret string) map[string]string {
	out := map[string]string{
		"raw":           secret,
		"query":         url.QueryEscape(secret),
		"path":          url.PathEscape(secret),
		"percent":       percentAll(secret),
		"percent twice": url.QueryEscape(percentAll(secret)),
		"hex":           hex.EncodeToString([]byte(secret)),
		"HEX":           strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"json":          quoteJSON(secret),
		"json twice":    quoteJSON(quoteJSON(secret)),
		"go":            fmt.Sprintf("%q", secret),
	}
	for name, enc := range map[string]*base64.Encoding{
		"std": base64.StdEncoding, "url": base64.URLEncoding, "raw std": base64.RawStdEncoding, "raw url": base64.RawURLEncoding,
	} {
		for _, around := range []string{"", "a", "ab", "user:", "\x00\xff"} {
			for _, after := range []string{"", "z", "zz"} {
				out[fmt.Sprintf("base64 %s %q %q", name, around, after)] = enc.EncodeToString([]byte(around + secret + after))
			}
		}
	}
	if bare, ok := strings.CutPrefix(secret, "0x"); ok {
		raw, _ := hex.DecodeString(bare)
		out["bare"], out["upper"], out["Upper"] = bare, "0X"+strings.ToUpper(bare), "0x"+strings.ToUpper(bare)
		out["mixed"] = strings.ToUpper(bare[:20]) + bare[20:]
		for i := range 3 {
			out[fmt.Sprint("base64 of the bytes after ", i)] = base64.StdEncoding.EncodeToString(append(make([]byte, i), raw...))
		}
	}
	return out
}

func percentAll(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestRedactExactInAnyEncoding(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{keySecret, tokenSecret, phraseSecret, "hunter2hunter2", strings.TrimPrefix(keySecret, "0x")} {
		r := telemetry.NewRedactor(secret)
		for name, enc := range encodings(secret) {
			for _, around := range [][2]string{{"", ""}, {"before ", " after"}, {"x=", "&y=1"}, {"[", "]"}} {
				text := around[0] + enc + around[1]
				if got := r.String(text); strings.Contains(got, enc) || !strings.Contains(got, telemetry.Redacted) {
					t.Errorf("%s as text: %q became %q", name, text, got)
				}
				for place, doc := range map[string]any{
					"value":  map[string]any{"note": text},
					"key":    map[string]any{text: 1},
					"list":   []any{1, text},
					"nested": map[string]any{"body": quoteJSON(text)},
					"json":   map[string]any{"body": `{"inner":` + quoteJSON(text) + `}`},
				} {
					in, err := json.Marshal(doc)
					if err != nil {
						t.Fatal(err)
					}
					got := r.Bytes(in)
					if !json.Valid(got) {
						t.Fatalf("%s as %s: %s became %s", name, place, in, got)
					}
					var flat bytes.Buffer
					flatten(&flat, got)
					if strings.Contains(flat.String(), enc) || !strings.Contains(flat.String(), telemetry.Redacted) {
						t.Errorf("%s as %s: %s became %s", name, place, in, got)
					}
				}
			}
		}
	}
}

// flatten writes all texts of a JSON document, and of JSON in them.
func flatten(out *bytes.Buffer, doc []byte) {
	var v any
	if json.Unmarshal(doc, &v) != nil {
		return
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out.WriteString(v + "\n")
			flatten(out, []byte(v))
		case map[string]any:
			for k, e := range v {
				out.WriteString(k + "\n")
				walk(e)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
}

func TestRedactByName(t *testing.T) {
	t.Parallel()
	var r *telemetry.Redactor
	for _, name := range []string{
		"agent-token", "agentToken", "AGENT_TOKEN", "agent_token", "x-agent-token", "private-key", "privateKey", "APE_CLAW_PRIVATE_KEY", "PrivateKey",
		"opensea-api-key", "openseaApiKey", "OPENSEA_API_KEY", "x-api-key", "apiKeys", "registration-key", "password", "Password", "db.password", "secret", "clientSecret",
		"client_secrets", "mnemonic", "seed", "seedPhrase", "passphrase", "authorization", "Authorization", "proxy-authorization", "cookie", "Set-Cookie", "refresh token", "session-key",
	} {
		for _, value := range []string{`"x"`, `"with \"quotes\""`, `7`, `-1.5e3`, `["a","b"]`, `{"a":{"b":"c"}}`, `[[],[{"x":1}]]`} {
			for _, form := range []string{`{%s:%s}`, `{"a":1,%s : %s , "z":2}`, `[{"deep":{%s:%s}}]`, `{"s":"{\"x\":1}",%s:%s}`} {
				in := fmt.Sprintf(form, quoteJSON(name), value)
				want := fmt.Sprintf(form, quoteJSON(name), `"[redacted]"`)
				if got := string(r.Bytes([]byte(in))); got != want {
					t.Errorf("%s became %s", in, got)
				}
				if got := string(r.Foreign([]byte(in))); got != want {
					t.Errorf("foreign %s became %s", in, got)
				}
			}
		}
		for _, value := range []string{"true", "false", "null", `""`, `"[redacted]"`} {
			in := fmt.Sprintf(`{%s:%s}`, quoteJSON(name), value)
			if got := string(r.Bytes([]byte(in))); got != in {
				t.Errorf("%s became %s", in, got)
			}
		}
		escaped := fmt.Sprintf(`{"\u%04x%s":"x"}`, name[0], name[1:])
		if got := string(r.Foreign([]byte(escaped))); strings.Contains(got, `"x"`) {
			t.Errorf("%s became %s", escaped, got)
		}
		inside := fmt.Sprintf(`{"body":%s}`, quoteJSON(fmt.Sprintf(`{%s:"x-secret-x"}`, quoteJSON(name))))
		if got := string(r.Bytes([]byte(inside))); strings.Contains(got, "x-secret-x") {
			t.Errorf("%s became %s", inside, got)
		}
	}
}

func TestRedactLeavesAlone(t *testing.T) {
	t.Parallel()
	r := telemetry.NewRedactor(keySecret, tokenSecret, "", "short")
	for _, in := range []string{
		buyLine,
		`{"tokenId":"42","token":"APE","nativeGasToken":"APE","payloadHash":"` + txHash + `","txHash":"` + txHash + `","owner":"` + wallet + `"}`,
		`{"privateKeyProvided":true,"privateKeySource":"local-auth","openseaApiKeyProvided":false,"sharedKeyConfigured":true,"publicKey":"0x04ab"}`,
		`{"url":"https://api.opensea.io/api/v2/listings/collection/boring/all?limit=50&next=abc"}`,
		`{"rpcUrl":"http://127.0.0.1:8545","docs":"https://example.org/v2/` + txHash + `"}`,
		`{"phrase":"BUY cool-cats #42 10.5 APE","note":"basic simulation: bearer of the ring; task-force-management"}`,
		`{"n":[1,2.5,-3e9,true,null,""],"nested":"{\"a\":[1]}"}`,
		"a sentence about a token: it costs 10 APE, key = value, secretly",
		"nft.buy.confirmed " + txHash + " " + wallet,
		"", "   ", "{", `{"a":`,
		strings.Repeat("abandon ", 11) + "zebra", // a wrong checksum
	} {
		if got := r.String(in); got != in {
			t.Errorf("%s became %s", in, got)
		}
		if got := r.Foreign([]byte(in)); string(got) != in {
			t.Errorf("foreign %s became %s", in, got)
		}
	}
	b := []byte(buyLine)
	if got := r.Bytes(b); &got[0] != &b[0] {
		t.Error("a line without secrets was copied")
	}
}

func TestRedactPatterns(t *testing.T) {
	t.Parallel()
	var r *telemetry.Redactor
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r"
	for in, want := range map[string]string{
		"Authorization: Bearer abcdef123456":        "Authorization: [redacted]",
		"sent bearer abcdef123456 there":            "sent bearer [redacted] there",
		"Basic dXNlcjpwYXNzd29yZA== x":              "Basic [redacted] x",
		"key sk-ant-REDACTED used":                  "key [redacted] used",
		"claw_abcdefgh12345678":                     "[redacted]",
		"token claw_abcdefgh12345678.":              "token [redacted].",
		"inv_0123456789abcdefghij, inv_total_items": "[redacted], inv_total_items",
		jwt:                                               "[redacted]",
		"https://user:pa@ss@host.example/x?y=1":           "https://[redacted]@host.example/x?y=1",
		"https://host/x?api_key=abc123&y=1#f":             "https://host/x?api_key=[redacted]&y=1#f",
		"https://host/x?y=1&token=abc&key=def":            "https://host/x?y=1&token=[redacted]&key=[redacted]",
		"https://rpc.example/v2/AbCdEf0123456789_-xyzw":   "https://rpc.example/v2/[redacted]",
		"wss://rpc.example/ws/v3/AbCdEf0123456789abcdxyz": "wss://rpc.example/ws/v3/[redacted]",
		"--private-key 0xabc --json":                      "--private-key [redacted] --json",
		"--agent-token=abc --json":                        "--agent-token=[redacted] --json",
		"APE_CLAW_PRIVATE_KEY=0xabc npm start":            "APE_CLAW_PRIVATE_KEY=[redacted] npm start",
		"password: hunter2, user: joe":                    "password: [redacted], user: joe",
		`{"password":"hun\"ter2"`:                         `{"password":"[redacted]"`,
		`post {\"apiKey\":\"abc\",\"n\":1} failed`:        `post {\"apiKey\":\"[redacted]\",\"n\":1} failed`,
		"mnemonic: one two three, user joe":               "mnemonic: [redacted], user joe",
		phraseSecret:                                      "[redacted]",
		"words: " + strings.ToUpper(phraseSecret) + ".":   "words: [redacted].",
		strings.ReplaceAll(phraseSecret, " ", "\n2. "):    "[redacted]",
		strings.Repeat("abandon ", 23) + "art":            "[redacted]",
		strings.Repeat("abandon ", 14) + "address":        "[redacted]",
		"cool cats " + phraseSecret + " is my phrase":     "cool cats [redacted] is my phrase",
	} {
		if got := r.String(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
		if again := r.String(r.String(in)); again != r.String(in) {
			t.Errorf("%q: once %q, twice %q", in, r.String(in), again)
		}
		doc, err := json.Marshal(map[string]string{"text": in})
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]string
		if err := json.Unmarshal(r.Bytes(doc), &out); err != nil || out["text"] != want && !json.Valid([]byte(in)) {
			t.Errorf("in JSON %s became %q, %v", doc, out["text"], err)
		}
	}
	list, err := json.Marshal(strings.Fields(phraseSecret))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Bytes(list)); !json.Valid([]byte(got)) || strings.Contains(got, "winner") {
		t.Errorf("a phrase as a list became %s", got)
	}
}

func TestRedactorPrintsNothing(t *testing.T) {
	t.Parallel()
	r := telemetry.NewRedactor(keySecret)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if got := fmt.Sprintf(verb, r); strings.Contains(got, keySecret[4:20]) {
			t.Errorf("%s prints %s", verb, got)
		}
	}
	b, err := json.Marshal(map[string]any{"redactor": r})
	if err != nil || strings.Contains(string(b), keySecret[4:20]) {
		t.Errorf("JSON: %s, %v", b, err)
	}
}

// seedsFor are documents for the fuzz targets.
func FuzzRedact(f *testing.F) {
	f.Add([]byte(buyLine), "a", "b")
	f.Add([]byte(`{"private-key":"x","a":[{"password":{"b":1}}],"c":"{\"secret\":\"x\"}"}`), "", "")
	f.Add([]byte(`Authorization: Bearer x y=https://u:p@h/?token=x`), "%", "\\")
	f.Add([]byte("{\"a\":\"\\ud800\\u2028\xff\"}"), "%2", "%")
	f.Add([]byte(phraseSecret), "0x", "=")
	f.Add([]byte(`--password --token "x" 'secret: "`), "\\u00", "\"")
	r := telemetry.NewRedactor(keySecret, tokenSecret)
	bare := strings.TrimPrefix(keySecret, "0x")
	f.Fuzz(func(t *testing.T, doc []byte, before, after string) {
		got := r.Bytes(doc)
		if json.Valid(doc) != json.Valid(got) && json.Valid(doc) {
			t.Fatalf("%q became %q, which is not JSON", doc, got)
		}
		if again := r.Bytes(got); json.Valid(doc) && !bytes.Equal(again, got) {
			t.Fatalf("%q became %q and then %q", doc, got, again)
		}
		if !json.Valid(doc) {
			doc = []byte(quoteJSON(string(doc)))
		}
		for _, canary := range []string{bare, strings.ToUpper(bare), percentAll(bare), base64.StdEncoding.EncodeToString([]byte(bare)), tokenSecret, quoteJSON(tokenSecret)} {
			in := fmt.Sprintf(`{%s:%s,"x":[%s,{"y":%s}]}`, quoteJSON(before+canary+after), quoteJSON(before+canary), doc, quoteJSON(canary+after))
			out := r.Bytes([]byte(in))
			if !json.Valid(out) {
				t.Fatalf("%q became %q, which is not JSON", in, out)
			}
			var flat bytes.Buffer
			flatten(&flat, out)
			flat.Write(out)
			if s := flat.String(); strings.Contains(s, canary) || strings.Contains(strings.ToLower(s), bare) {
				t.Fatalf("%q became %q, which has the canary", in, out)
			}
		}
	})
}

func FuzzJSONScanner(f *testing.F) {
	for _, s := range []string{buyLine, "", "{", "[]", `"\u00e9"`, "-0.5e+10", "01", "1.", "tru", "nullx", `{"a":1,}`, `{"a" 1}`, "[1,]", "\"\x01\"", "\"\xff\"", "\ufeff{}", `"\x"`, "{}{}", strings.Repeat("[", 10001) + strings.Repeat("]", 10001)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := telemetry.ValidJSON(b), json.Valid(b); got != want {
			t.Errorf("%q: %v, encoding/json says %v", b, got, want)
		}
	})
}
