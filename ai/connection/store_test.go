package connection_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/connection"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestCheckURL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://api.openai.com/v1":     "https://api.openai.com/v1",
		"https://API.Example:8443/v1//": "https://api.example:8443/v1",
		"http://127.0.0.1:11434/v1/":    "http://127.0.0.1:11434/v1",
		"http://[::1]:1/":               "http://[::1]:1",
		"http://localhost:8080":         "http://localhost:8080",
		"http://127.9.9.9":              "http://127.9.9.9",
		"http://[::ffff:127.0.0.1]/v1":  "http://[::ffff:127.0.0.1]/v1",

		"http://api.example/v1": "", "http://10.0.0.1/v1": "", "http://localhost.example/v1": "", "http://127.0.0.1.example/": "",
		"http://0.0.0.0/v1": "", "http://169.254.169.254/": "", "http://2130706433/": "", "http://127.1/": "",
		"https://user:canary@api.example/v1": "", "https://canary@api.example": "", "https://api.example/v1?key=canary": "", "https://api.example/v1#canary": "",
		"https://api.example/v1?": "", "https://api.example/v1#": "", "ftp://api.example": "", "api.example/v1": "", "https:///v1": "", "https:api.example": "",
		"https://api.example\\@canary/": "", "https://api.example/a b": "", "https://\x1b[2Acanary": "", "https://ex\u0430mple.com": "", "": "", "://": "", "https://[::1": "",
		"javascript:alert(1)": "", "file:///etc/passwd": "", "https://" + strings.Repeat("a", 600): "",
	} {
		got, err := connection.CheckURL(raw)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v, want %q", raw, got, err, want)
		}
		if err != nil && (strings.Contains(err.Error()+fault.From(err).Hint, "canary") || fault.CodeOf(err) != fault.Usage) {
			t.Errorf("%q: the error shows what was given: %v", raw, err)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("main")
	long := strings.Repeat("é", connection.MaxIdentity)
	for name, tt := range map[string]struct {
		in   connection.AddIn
		want fault.Code
	}{
		"taken":             {connection.AddIn{Name: "MAIN", Service: "openai"}, fault.NameTaken},
		"no name":           {connection.AddIn{Service: "openai"}, fault.Usage},
		"a name with a :":   {connection.AddIn{Name: "scripted:x", Service: "openai"}, fault.Usage},
		"a bidi name":       {connection.AddIn{Name: "a\u202eb", Service: "openai"}, fault.Usage},
		"a script's name":   {connection.AddIn{Name: "Scripted", Service: "ollama"}, fault.Usage},
		"a key for a name":  {connection.AddIn{Name: "sk-abcdef", Service: "openai"}, fault.Usage},
		"no such preset":    {connection.AddIn{Name: "x", Service: "nope"}, fault.Usage},
		"other, nowhere":    {connection.AddIn{Name: "x", Service: "other"}, fault.Usage},
		"plain http":        {connection.AddIn{Name: "x", Service: "other", BaseURL: "http://models.example"}, fault.Usage},
		"long role":         {connection.AddIn{Name: "x", Service: "openai", Identity: connection.Identity{Role: long + "x"}}, fault.Usage},
		"escape in traits":  {connection.AddIn{Name: "x", Service: "openai", Identity: connection.Identity{Traits: "\x1b[2J"}}, fault.Usage},
		"bidi instructions": {connection.AddIn{Name: "x", Service: "openai", Identity: connection.Identity{Instructions: "a\u202eb"}}, fault.Usage},
		"unknown tools":     {connection.AddIn{Name: "x", Service: "openai", Tools: ai.Preset{Name: "everything"}}, fault.Usage},
		"custom, empty":     {connection.AddIn{Name: "x", Service: "openai", Tools: ai.Preset{Name: ai.PresetCustom}}, fault.Usage},
		"all, with a list":  {connection.AddIn{Name: "x", Service: "openai", Tools: ai.Preset{Name: ai.PresetAll, Enabled: []string{"nft_buy"}}}, fault.Usage},
		"a strange tier":    {connection.AddIn{Name: "x", Service: "openai", Tiers: map[connection.Tier]string{"huge": "m"}}, fault.Usage},
		"a model in lines":  {connection.AddIn{Name: "x", Service: "openai", Model: "a\nb"}, fault.Usage},
		"a cap below 0":     {connection.AddIn{Name: "x", Service: "openai", Caps: connection.Caps{TokensPerDay: -1}}, fault.Usage},
		"cost, no prices":   {connection.AddIn{Name: "x", Service: "openai", Caps: connection.Caps{CostMicrosPerDay: 1}}, fault.Usage},
		"a price below 0":   {connection.AddIn{Name: "x", Service: "openai", Prices: connection.Prices{"*": {InputMicros: -1}}}, fault.Usage},
	} {
		_, err := w.s.Add(t.Context(), tt.in)
		if fault.CodeOf(err) != tt.want || err == nil {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
		if check := w.s.CheckAdd(t.Context(), tt.in); fault.CodeOf(check) != tt.want {
			t.Errorf("%s: CheckAdd says %v", name, check)
		}
	}
	if _, err := w.s.Add(t.Context(), connection.AddIn{Name: "x", Service: "openai", Identity: connection.Identity{Role: long, Instructions: "two\nlines"}}); err != nil {
		t.Error(err)
	}
	if list, err := w.s.List(t.Context()); err != nil || len(list) != 2 {
		t.Errorf("%d connections, %v", len(list), err)
	}
}

func TestLookingMakesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if list, err := w.s.List(t.Context()); err != nil || list == nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
	_, err := w.s.Show(t.Context(), "main")
	code(t, err, fault.NotFound)
	_, _, err = w.s.Open(t.Context(), "")
	code(t, err, fault.NoConnection)
	_, err = w.s.Verify(t.Context(), "main")
	code(t, err, fault.NotFound)
	code(t, w.s.Allowed(t.Context(), "main"), fault.NotFound)
	if w.db != nil {
		t.Error("a database was made")
	}
}

// Which connection answers where none is named.
func TestDefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	names := func() (defaults []string) {
		list, err := w.s.List(t.Context())
		must(t, err)
		for _, c := range list {
			if c.Default {
				defaults = append(defaults, c.Name)
			}
		}
		return defaults
	}
	w.add("a")
	w.add("b")
	if got := names(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("default %v", got)
	}
	if _, err := w.s.Set(t.Context(), "b", connection.Change{Default: ptr(true)}); err != nil {
		t.Fatal(err)
	}
	if c, _, err := w.s.Open(t.Context(), ""); err != nil || c.Name != "b" || !slices.Equal(names(), []string{"b"}) {
		t.Errorf("%s %v %v", c.Name, err, names())
	}
	if _, err := w.s.Remove(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if c, _, err := w.s.Open(t.Context(), ""); err != nil || c.Name != "a" {
		t.Errorf("the only one: %s %v", c.Name, err)
	}
	w.add("c")
	_, _, err := w.s.Open(t.Context(), "")
	code(t, err, fault.NoConnection)
	_, _, err = w.s.Open(t.Context(), "gone")
	code(t, err, fault.NoConnection)
}

// Set changes what is named and nothing else.
func TestSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	was := w.add("main")
	w.models = []string{"big", "small"}
	if _, err := w.s.Verify(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	_, err := w.s.Set(t.Context(), "main", connection.Change{Model: ptr("huge")})
	code(t, err, fault.ModelUnavailable)
	_, err = w.s.Set(t.Context(), "main", connection.Change{Tiers: map[connection.Tier]string{connection.Fast: "huge"}})
	code(t, err, fault.ModelUnavailable)
	_, err = w.s.Set(t.Context(), "main", connection.Change{Model: ptr("big"), Version: was.Version})
	code(t, err, fault.Conflict)
	w.add("other")
	_, err = w.s.Set(t.Context(), "main", connection.Change{Name: ptr("Other")})
	code(t, err, fault.NameTaken)
	c, err := w.s.Set(t.Context(), was.ID, connection.Change{Name: ptr("First"), Model: ptr("big"), Role: ptr("buyer"), Tools: &ai.Preset{Name: ai.PresetReadOnly},
		Tiers: map[connection.Tier]string{connection.Fast: "small"}, Prices: map[string]*connection.Price{"*": {InputMicros: 1, OutputMicros: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "first" || c.ID != was.ID || c.Model != "big" || c.Identity.Role != "buyer" || c.Tools.Name != ai.PresetReadOnly || !c.Key.Has || c.Tiers[connection.Fast] != "small" || len(c.Models) != 2 {
		t.Errorf("%+v", c)
	}
	if last := w.events[len(w.events)-1]; last.Payload.(map[string]any)["change"] != "name,model,role,tools,tiers,prices" {
		t.Errorf("%+v", last)
	}
	n := len(w.events)
	same, err := w.s.Set(t.Context(), "first", connection.Change{Model: ptr("big")})
	if err != nil || same.Version != c.Version || len(w.events) != n {
		t.Errorf("nothing changed, and yet: %+v %v", same, err)
	}
	c, err = w.s.Set(t.Context(), "first", connection.Change{Tiers: map[connection.Tier]string{connection.Fast: ""}, Prices: map[string]*connection.Price{"*": nil}})
	if err != nil || len(c.Tiers) != 0 || len(c.Prices) != 0 {
		t.Errorf("%+v %v", c, err)
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("main")
	w.models = []string{"m", "m", "bad\x1b[2J", ""}
	verify := func() error { _, err := w.s.Verify(t.Context(), "main"); return err }
	open := func() error { _, _, err := w.s.Open(t.Context(), "main"); return err }

	w.fail = fault.New(fault.ProviderError, "%s", "down \x1b[2J\u202e\nnow "+strings.Repeat("x", 500))
	code(t, verify(), fault.ProviderError)
	c := w.show("main")
	if c.Status != connection.Failed || !strings.HasPrefix(c.LastError, "down \ufffd[2J\ufffd now xxx") || len([]rune(c.LastError)) > 301 || !c.VerifiedAt.IsZero() {
		t.Errorf("%+v", c)
	}
	code(t, open(), fault.ConnInactive)
	w.fail = fault.New(fault.ProviderAuth, "no")
	code(t, verify(), fault.ProviderAuth)
	if got := w.show("main").Status; got != connection.ReauthRequired {
		t.Error(got)
	}
	// A new key alone is no proof that it works.
	if c, err := w.s.SetSecret(t.Context(), "main", canary+"2"); err != nil || c.Status != connection.ReauthRequired {
		t.Errorf("%s %v", c.Status, err)
	}
	code(t, open(), fault.ConnInactive)
	before := w.asked.Load()
	w.fail = nil
	if err := verify(); err != nil {
		t.Fatal(err)
	}
	if n := w.asked.Load() - before; n != 1 {
		t.Errorf("verify made %d requests", n)
	}
	c = w.show("main")
	if c.Status != connection.Active || c.LastError != "" || !slices.Equal(c.Models, []string{"m"}) || !c.VerifiedAt.Equal(w.clock()) {
		t.Errorf("%+v", c)
	}
	if err := open(); err != nil {
		t.Error(err)
	}
	// Disabled stays disabled, whatever a verification says.
	if _, err := w.s.Set(t.Context(), "main", connection.Change{Disabled: ptr(true)}); err != nil {
		t.Fatal(err)
	}
	code(t, open(), fault.ConnInactive)
	code(t, w.s.Allowed(t.Context(), c.ID), fault.ConnInactive)
	if err := verify(); err != nil || w.show("main").Status != connection.Disabled {
		t.Errorf("%v %s", err, w.show("main").Status)
	}
	if c, err := w.s.Set(t.Context(), "main", connection.Change{Disabled: ptr(false)}); err != nil || c.Status != connection.Active {
		t.Errorf("%v %s", err, c.Status)
	}
}

// A provider that refuses the key in the middle of a conversation is noticed.
func TestRefusedWhileInUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.add("main")
	_, m, err := w.s.Open(t.Context(), "main")
	must(t, err)
	w.fail = fault.New(fault.ProviderError, "down")
	_, err = m.Step(t.Context(), ai.Request{}, nil)
	code(t, err, fault.ProviderError)
	if got := w.show("main").Status; got != connection.Active {
		t.Error(got)
	}
	w.fail = fault.New(fault.ProviderAuth, "no: "+canary)
	_, err = m.Step(t.Context(), ai.Request{}, nil)
	code(t, err, fault.ProviderAuth)
	if got := w.show("main"); got.Status != connection.ReauthRequired || got.LastError != "the provider answered with the key" {
		t.Errorf("%+v", got)
	}
	code(t, w.s.Allowed(t.Context(), c.ID), fault.ConnInactive)
	// What was set since is not called bad for it.
	if _, err := w.s.Set(t.Context(), "main", connection.Change{BaseURL: ptr("https://elsewhere.example")}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.s.SetSecret(t.Context(), "main", canary); err != nil {
		t.Fatal(err)
	}
	_, _ = m.Step(t.Context(), ai.Request{}, nil)
	if got := w.show("main").Status; got != connection.Active {
		t.Error(got)
	}
}

// A provider without a list is asked for one token, once a model is named.
func TestNoList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.s.Add(t.Context(), connection.AddIn{Name: "x", Service: "other", BaseURL: "http://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	w.fail = fault.New(fault.ProviderError, "no such page").With("status", 404)
	_, err := w.s.Verify(t.Context(), "x")
	code(t, err, fault.ProviderError)
	if _, err := w.s.Set(t.Context(), "x", connection.Change{Model: ptr("m")}); err != nil {
		t.Fatal(err)
	}
	w.fail = nil
	w.asked.Store(0)
	c, err := w.s.Verify(t.Context(), "x")
	if err != nil || c.Status != connection.Active || w.asked.Load() != 1 || len(c.Models) != 0 {
		t.Errorf("%+v %v, asked %d times", c, err, w.asked.Load())
	}
}

// A change of the address in the middle of a verification is not overwritten by it.
func TestVerifyOfAnotherAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("main")
	w.models = []string{"of the first address"}
	w.during = func() {
		_, err := w.s.Set(t.Context(), "main", connection.Change{BaseURL: ptr("https://elsewhere.example"), KeyEnv: ptr("K")})
		must(t, err)
	}
	_, err := w.s.Verify(t.Context(), "main")
	code(t, err, fault.Conflict)
	if c := w.show("main"); len(c.Models) != 0 || c.Key.Env != "K" || c.Key.Has || !c.VerifiedAt.IsZero() {
		t.Errorf("%+v", c)
	}
}

func TestUnreadableRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("main")
	mustExec(t, w, `UPDATE connections SET doc = 'canary{'`)
	_, err := w.s.List(t.Context())
	code(t, err, fault.StateUnusable)
	if strings.Contains(err.Error(), "canary") || !strings.Contains(fault.From(err).Hint, "ai connections remove main") {
		t.Errorf("%v %s", err, fault.From(err).Hint)
	}
	if _, err := w.s.Remove(t.Context(), "main"); err != nil {
		t.Errorf("it can't be removed: %v", err)
	}
}
