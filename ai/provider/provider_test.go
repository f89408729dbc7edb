package provider_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/sandbox/model"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestServices(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range provider.Presets() {
		names = append(names, s.Name)
		got, ok := provider.Lookup(s.Name)
		if !ok || got != s || s.Setup == "" {
			t.Errorf("%s: found %+v", s.Name, got)
		}
		if s.BaseURL == "" {
			continue
		}
		if _, err := provider.New(provider.Options{BaseURL: s.BaseURL, Transport: transport(t), Now: newClock().Now}); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		if !s.KeyOptional && (s.KeyEnv == "" || !strings.HasPrefix(s.BaseURL, "https://")) {
			t.Errorf("%s: needs a key, and says not where from, or sends it in the clear", s.Name)
		}
	}
	if want := []string{"openai", "openrouter", "groq", "gemini", "ollama", "other"}; !slices.Equal(names, want) {
		t.Errorf("services %q, want %q", names, want)
	}
	if _, ok := provider.Lookup("nowhere"); ok {
		t.Error("found a service that is not there")
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for base, why := range map[string]string{
		"":                                   "needs a base URL",
		"api.openai.com/v1":                  "is no URL with a host",
		"http://api.openai.com/v1":           "plain http",
		"http://127.0.0.1.example/v1":        "plain http",
		"http://192.168.1.2:11434/v1":        "plain http",
		"ftp://example.com":                  "neither https nor http",
		"https://user:" + key + "@x.test/v1": "has credentials in it",
		"https://x.test/v1?key=" + key:       "has a query",
		"https://x.test/v1#a":                "has a query or a fragment",
		"https:///v1":                        "is no URL with a host",
		"\x1b]0;x\x07https://x":              "is no URL with a host",
		"http://127.0.0.1:1/v1":              "",
		"http://localhost:1":                 "",
		"http://[::1]:1/v1/":                 "",
		"https://x.test/v1/":                 "",
	} {
		_, err := provider.New(provider.Options{BaseURL: base, Key: key, Transport: transport(t), Now: newClock().Now})
		if why == "" && err != nil || why != "" && (fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), why)) {
			t.Errorf("%q: %v, want %q", base, err, why)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\x1b\x07") {
			t.Errorf("%q is shown raw", base)
		}
		if err != nil && why != "has a query" {
			noKey(t, err)
		}
	}
	for _, k := range []string{"a b", "a\nb", "a\r\nX-Evil: 1", "é", "a\x00", strings.Repeat("k", 5000)} {
		_, err := provider.New(provider.Options{BaseURL: "https://x.test", Key: k, Transport: transport(t), Now: newClock().Now})
		if fault.CodeOf(err) != fault.Usage || strings.Contains(err.Error(), k) {
			t.Errorf("key %q: %v", k, err)
		}
	}
	if _, err := provider.New(provider.Options{BaseURL: "https://x.test"}); err == nil {
		t.Error("made without a transport")
	}
}

func TestPrintingShowsNoKey(t *testing.T) {
	t.Parallel()
	o := provider.Options{BaseURL: "https://x.test/v1", Key: key, Transport: transport(t), Now: newClock().Now}
	m, err := provider.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{o, &o, m} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if s := fmt.Sprintf(verb, v); strings.Contains(s, key) {
				t.Errorf("%s of %T shows the key: %s", verb, v, s)
			}
		}
	}
}

// serve answers everything with one document.
func serve(t *testing.T, status int, kind, body string) (string, *atomic.Int64) {
	t.Helper()
	var n atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n.Add(1)
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1", &n
}

func TestModels(t *testing.T) {
	t.Parallel()
	many := `{"data":[` + strings.Repeat(`{"id":"m"},`, 6000) + `{"id":"z"}]}`
	tests := map[string]struct {
		status int
		body   string
		want   []string
		code   fault.Code
	}{
		"OpenAI":                       {200, `{"object":"list","data":[{"id":"b","created":1.5,"owned_by":null},{"id":"a"},{"id":"b"}]}`, []string{"a", "b"}, ""},
		"with names":                   {200, `{"models":[{"name":"models/gemini-x"}]}`, []string{"models/gemini-x"}, ""},
		"a bare list":                  {200, `[{"id":"a"}]`, []string{"a"}, ""},
		"Ollama, empty":                {200, `{"object":"list","data":null}`, nil, ""},
		"hostile names":                {200, `{"data":[{"id":"a\u001b[31m"},{"id":"x\u202ey"},{"id":"two words"},{"id":7},{"id":""},{"id":"ok"},{"id":"` + strings.Repeat("n", 300) + `"}]}`, []string{"ok"}, ""},
		"many":                         {200, many, []string{"m"}, ""},
		"something else":               {200, `{"hello":"world"}`, nil, fault.ProviderError},
		"no JSON":                      {200, `hello`, nil, fault.ProviderError},
		"a page":                       {200, `<!doctype html>`, nil, fault.ProviderError},
		"nothing":                      {200, ``, nil, fault.ProviderError},
		"too much":                     {200, `{"data":[` + strings.Repeat(" ", 9<<20) + `]}`, nil, fault.ProviderError},
		"no such list":                 {404, `{"error":"no models here"}`, nil, fault.NotFound},
		"wrong key":                    {401, `{"error":{"message":"no"}}`, nil, fault.ProviderAuth},
		"wrong key, as Gemini says it": {400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`, nil, fault.ProviderAuth},
		"overloaded":                   {529, `{}`, nil, fault.ProviderError},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, n := serve(t, tt.status, "application/json", tt.body)
			got, err := dial(t, url, newClock()).Models(t.Context())
			if fault.CodeOf(err) != tt.code || !slices.Equal(got, tt.want) {
				t.Errorf("got %q, %v", got, err)
			}
			if n.Load() != 1 {
				t.Errorf("%d requests, want exactly one", n.Load())
			}
		})
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	srv, c := start(t, model.Script{Model: "tiny", Steps: []model.Step{{Fault: model.Spent}, {Fault: model.Empty}, words(model.Silent), model.Say("ok")}}), newClock()
	m := dial(t, srv.URL, c)
	if names, err := m.Models(t.Context()); err != nil || !slices.Equal(names, []string{"tiny"}) {
		t.Errorf("models %q, %v", names, err)
	}
	for _, code := range []fault.Code{"", fault.ProviderError} {
		if err := provider.Check(t.Context(), m, "tiny"); fault.CodeOf(err) != code {
			t.Errorf("got %v, want %q", err, code)
		}
	}
	done := make(chan error)
	go func() { done <- provider.Check(t.Context(), m, "tiny") }()
	soon(t, "the check waits", func() bool { return len(srv.Requests()) == 4 && c.set(time.Minute) })
	if n := c.fire(15 * time.Second); n != 1 {
		t.Errorf("%d timers of 15 s", n)
	}
	if err := <-done; fault.CodeOf(err) != fault.Timeout {
		t.Errorf("got %v", err)
	}
	if err := provider.Check(t.Context(), m, "tiny"); err != nil {
		t.Error(err)
	}
	if b := srv.Requests()[1].Body; !strings.Contains(string(b), `"max_tokens":1`) {
		t.Errorf("sent %s", b)
	}
	wrong := dial(t, srv.URL, newClock(), func(o *provider.Options) { o.Key = "sk-another-0123456789" })
	if _, err := wrong.Models(t.Context()); fault.CodeOf(err) != fault.ProviderAuth {
		t.Errorf("got %v", err)
	}
}

// TestWhatAServiceSays holds how the words of services become a sentence of ours.
func TestWhatAServiceSays(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		body   string
		code   fault.Code
		says   string
	}{
		"a string":              {400, `{"error":"bad \u001b[31m\u202e request"}`, fault.ProviderError, `answered 400 and said "bad [31m request"`},
		"a list of words":       {400, `{"error":{"message":["one","two"]}}`, fault.ProviderError, `and said "[\"one\",\"two\"]"`},
		"Mistral":               {422, `{"object":"error","message":"no such thing","type":"invalid","code":1}`, fault.ProviderError, `answered 422 and said "no such thing"`},
		"FastAPI":               {422, `{"detail":[{"loc":["body"],"msg":"wrong"}]}`, fault.ProviderError, `wrong`},
		"OpenRouter":            {400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"too hot"}}}`, fault.ProviderError, `Provider returned error: too hot`},
		"no JSON":               {500, `it broke`, fault.ProviderError, `answered 500 and said "it broke"`},
		"a page":                {502, `<html>bad gateway</html>`, fault.ProviderError, `answered 502`},
		"nothing":               {503, ``, fault.ProviderError, `answered 503`},
		"long":                  {400, `{"error":"` + strings.Repeat("long ", 200) + `"}`, fault.ProviderError, "…"},
		"the key in parts":      {401, `{"error":"Incorrect key ` + key[:12] + ` and ` + key[10:] + ` and ` + key[:4] + `***` + key[20:] + `"}`, fault.ProviderAuth, "[key]"},
		"the key, interspersed": {401, `{"error":"` + strings.Join(strings.Split(key, ""), `\u200b`) + `"}`, fault.ProviderAuth, "[key]"},
		"another's key":         {401, `{"error":"not sk-proj-abcdefghijklmnop"}`, fault.ProviderAuth, `"not [key]"`},
		"no such model, Ollama": {404, `{"error":{"message":"model \"x\" not found, try pulling it first"}}`, fault.ModelUnavailable, "answered 404"},
		"no such path":          {404, `404 page not found`, fault.NotFound, "answered 404"},
		"too long":              {400, `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`, fault.ProviderError, "too long for the model"},
		"Groq's failed call":    {400, `{"error":{"message":"Failed to call a function.","code":"tool_use_failed","failed_generation":"x"}}`, fault.ProviderError, "Failed to call a function."},
		"empty 200":             {200, ``, fault.ProviderError, "without an answer in it"},
		"200 of null":           {200, `null`, fault.ProviderError, "without an answer in it"},
		"200 of other things":   {200, `{"hello":1}`, fault.ProviderError, "without an answer in it"},
		"200 of a list":         {200, `[]`, fault.ProviderError, "no part of an answer"},
		"200 with a bad key":    {200, `[{"error":{"code":401,"message":"no"}}]`, fault.ProviderAuth, "refuses the key (401)"},
		"204":                   {204, ``, fault.ProviderError, "answered 204"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := serve(t, tt.status, "application/json", tt.body)
			r, err := dial(t, url, newClock()).Step(t.Context(), ask("go"), nil)
			if fault.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) || len(err.Error()) > 400 {
				t.Errorf("got %v", err)
			}
			if strings.ContainsAny(err.Error(), "\x1b\u202e\u200b") || len(r.Calls) > 0 {
				t.Errorf("shown raw: %q", err)
			}
			noKey(t, err)
		})
	}
}

// TestOneProviderForAll holds that a model may be used by many at once.
func TestOneProviderForAll(t *testing.T) {
	t.Parallel()
	srv := start(t, model.Script{Loop: true, Steps: []model.Step{two(model.Signed)}})
	m := dial(t, srv.URL, newClock())
	errs := make(chan error)
	for range 16 {
		go func() {
			r, err := m.Step(t.Context(), ask("go"), func(string) {})
			if err == nil && len(r.Calls) != 2 {
				err = fmt.Errorf("%d calls", len(r.Calls))
			}
			errs <- err
		}()
	}
	for range 16 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	var _ ai.Model = m
}
