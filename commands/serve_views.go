package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

const (
	// viewPatience is what one view takes at the most, waiting for its turn included.
	viewPatience = 5 * time.Second
	// viewsAtOnce is how many views are made at the same time: each reads files and
	// databases anew.
	viewsAtOnce = 4
	// viewRows bounds each list in a view that has no limit of its own.
	viewRows = 1000
)

// view is a route that shows what the commands of this machine are held to.
type view struct {
	about  string   // what it shows, for a sentence
	params []string // that it takes
	read   func(ctx context.Context, d *Deps, r *http.Request) (any, error)
}

// viewMounts are the routes that show policy, allowlist, spend and quotes. They tell
// what this machine may spend and did: whoever asks has to say who it is.
func (d *Deps) viewMounts() map[string]http.Handler {
	turns := make(chan struct{}, viewsAtOnce)
	out := map[string]http.Handler{}
	for path, v := range map[string]view{
		"/api/policy":               {"the policy", nil, viewPolicy},
		"/api/allowlist":            {"the allowlist", nil, viewAllowlist},
		"/api/spend":                {"the spend ledger", nil, viewSpend},
		"/api/quotes":               {"the quotes", []string{"limit"}, viewQuotes},
		"/api/quotes/{id}":          {"the quote", nil, viewQuote},
		"/api/quotes/spend-today":   {"the spend ledger", nil, viewSpentToday},
		"/api/bridge-requests":      {"the transfers", []string{"limit"}, viewRequests},
		"/api/bridge-requests/{id}": {"the transfer", nil, viewRequest},
		"/api/forwarding/dead":      {"the dead letters", nil, viewDead},
	} {
		out["GET "+path] = serve.Private(d.view(v, turns))
	}
	return out
}

func (d *Deps) view(v view, turns chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := takesOnly(r.URL.RawQuery, v.params); err != nil {
			serve.WriteError(w, err)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), viewPatience)
		defer cancel()
		select {
		case turns <- struct{}{}:
			defer func() { <-turns }()
		case <-ctx.Done():
			w.Header().Set("Retry-After", "1")
			serve.WriteError(w, fault.New(fault.RateLimited, "too much is being looked at at once").Hintf("try again in a second"))
			return
		}
		body, err := d.viewBody(ctx, v, r)
		if err != nil {
			d.logger().Warn("show "+v.about, "cause", fault.From(err).Message)
			serve.WriteError(w, plainView(v, err))
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		_, _ = w.Write(body) // an error here is the client's going away
	})
}

// viewBody reads with dependencies of this request's own: files are read anew, so that
// a view shows what the next command is held to. It leaves no event.
func (d *Deps) viewBody(ctx context.Context, v view, r *http.Request) ([]byte, error) {
	child := d.child(Spec{Name: "serve", Risk: RiskRead, Permission: "serve:read", Quiet: true}, ai.Scope{Source: "serve"})
	defer child.close()
	out, err := v.read(ctx, child, r)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, err
	}
	return d.redactor().Bytes(body.Bytes()), nil
}

// takesOnly refuses a query that is misspelt: what it wanted would be left out.
func takesOnly(raw string, known []string) error {
	q, err := url.ParseQuery(raw)
	if err != nil {
		return fault.New(fault.Usage, "the query of the URL can't be read")
	}
	for name, values := range q {
		switch {
		case name == "_": // some libraries add it so that the URL is new
		case !slices.Contains(known, name):
			return fault.New(fault.Usage, "no such parameter is known here").Hintf("known: %s", listed(known))
		case len(values) != 1 || values[0] == "":
			return fault.New(fault.Usage, "%s is empty, or there is more than one", name)
		}
	}
	return nil
}

// plainView is an error as it is answered: what is wrong with a file of this machine,
// and where it is, is for its operator.
func plainView(v view, err error) error {
	switch code := fault.CodeOf(err); code {
	case fault.Usage, fault.NotFound:
		return err
	case fault.PolicyInvalid:
		return fault.New(fault.StateUnusable, "%s can't be shown: the policy files of this machine are not valid, and nothing is spent", v.about).
			Hintf("on the machine: ape-claw policy show")
	case fault.StateUnusable, fault.Canceled:
		return fault.New(fault.StateUnusable, "%s can't be read now", v.about).Hintf("on the machine: ape-claw doctor")
	}
	return fault.New(fault.Internal, "internal error")
}

// viewPolicy is the policy in force, in the shape of its file, without the node's URL.
func viewPolicy(_ context.Context, d *Deps, _ *http.Request) (any, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	src, err := d.sources()
	if err != nil {
		return nil, err
	}
	rep := policy.LoadReport(src)
	if rep.Err != nil {
		return nil, rep.Err
	}
	if !src.Sandbox && len(rep.Files) == 1 && rep.Files[0].Role == policy.RoleBuiltIn {
		return nil, fault.New(fault.NotFound, "this machine has no policy: nothing may be spent").Hintf("on the machine: ape-claw policy init")
	}
	doc, err := json.Marshal(rep.Policy)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber() // amounts stay as they are written
	if err := dec.Decode(&out); err != nil {
		return nil, err
	}
	delete(out, "apechainRpcUrl")
	out["ok"], out["policyHash"], out["halted"] = true, rep.Policy.Hash(), len(policy.Halted(cfg.Home)) > 0
	return out, nil
}

// AllowlistView is the collections that may be bought, of GET /api/allowlist.
type AllowlistView struct {
	OK        bool           `json:"ok"`
	Count     int            `json:"count"` // of all
	Entries   []policy.Entry `json:"entries"`
	Truncated bool           `json:"truncated,omitempty"`
}

func viewAllowlist(_ context.Context, d *Deps, _ *http.Request) (any, error) {
	list, err := d.Allowlist()
	if err != nil {
		return nil, err
	}
	all := list.Entries()
	shown := append([]policy.Entry{}, all[:min(len(all), viewRows)]...)
	return AllowlistView{OK: true, Count: len(all), Entries: shown, Truncated: len(all) > len(shown)}, nil
}
