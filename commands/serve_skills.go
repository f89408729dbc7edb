package commands

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/skill"
)

// mostCardBody is a card with what may stand around it in a request.
const mostCardBody = skill.MaxBytes + 4<<10

// skillMounts are the routes of the library: its cards for whoever may read events,
// and changes of an agent's own cards for that agent.
func (d *Deps) skillMounts() map[string]http.Handler {
	turns := make(chan struct{}, viewsAtOnce)
	out := map[string]http.Handler{}
	for path, v := range map[string]view{
		"/api/skills/search":   {"the skills", []string{"q", "source", "vetted", "page", "limit"}, viewSkills},
		"/api/skillcards/user": {"the cards", []string{"page", "limit"}, viewUserCards},
	} {
		out["GET "+path] = withoutEmpty(d.view(v, turns))
	}
	out["GET /api/skills/get"] = withoutEmpty(d.whole("show a skill", []string{"slug", "version"}, viewSkill))
	out["GET /api/skills/stats"] = d.whole("count the skills", nil, viewSkillStats)
	out["GET /skillcards/user/{file}"] = http.HandlerFunc(d.serveCard)
	out["GET /api/skillcards/user/auth-check"] = serve.Private(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve.WriteJSON(w, map[string]any{"ok": true, "agentId": serve.AgentID(r)})
	}))
	for path, c := range map[string]struct {
		spec func() Command
		run  func(ctx context.Context, d *Deps, by string, body []byte) (any, error)
	}{
		"add":          {newSkillAdd, addCard},
		"delete":       {newSkillRemove, deleteCard},
		"mark-onchain": {newSkillMint, markCard},
	} {
		out["POST /api/skillcards/user/"+path] = serve.Private(d.cardHandler(c.spec().Spec, c.run))
	}
	return out
}

// withoutEmpty leaves out parameters that are empty: a form sends all that it has.
func withoutEmpty(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if q, err := url.ParseQuery(r.URL.RawQuery); err == nil {
			for name, values := range q {
				if len(values) == 1 && values[0] == "" {
					q.Del(name)
				}
			}
			r.URL.RawQuery = q.Encode()
		}
		next.ServeHTTP(w, r)
	})
}

func viewSkills(ctx context.Context, d *Deps, r *http.Request) (any, error) {
	q := r.URL.Query()
	page, limit, err := pageOf(q)
	if err != nil {
		return nil, err
	}
	l, err := d.library()
	if err != nil {
		return nil, err
	}
	out, err := l.Search(ctx, skill.Query{Q: q.Get("q"), Source: q.Get("source"), Vetted: q.Get("vetted"), Page: page, Limit: limit})
	return SkillSearchOut{OK: true, Page: out}, err
}

// pageOf reads page and limit.
func pageOf(q url.Values) (page, limit int, err error) {
	page, limit = 1, 50
	for name, into := range map[string]*int{"page": &page, "limit": &limit} {
		if text := q.Get(name); text != "" {
			n, err := strconv.ParseUint(text, 10, 31)
			if err != nil {
				return 0, 0, fault.New(fault.Usage, "%s is no whole number", name)
			}
			*into = int(n)
		}
	}
	return page, limit, nil
}

func viewSkill(ctx context.Context, d *Deps, r *http.Request) (any, error) {
	slug := r.URL.Query().Get("slug")
	if slug == "" {
		return nil, fault.New(fault.Usage, "which skill? slug names it").Hintf("as in /api/skills/get?slug=ape-claw")
	}
	l, err := d.library()
	if err != nil {
		return nil, err
	}
	e, err := l.Get(ctx, slug, r.URL.Query().Get("version"))
	if err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "skill": e.Summary, "card": rawCard(e.Raw), "findings": append([]skill.Finding{}, skill.Review(e.Card, e.Raw)...)}, nil
}

// whole answers with what a view reads, and hides nothing of it. What hides secrets goes
// by names: it would take a number that is called seed for one, and change a card that
// describes an input called token, whose hash is then another's.
func (d *Deps) whole(about string, params []string, read func(ctx context.Context, d *Deps, r *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := takesOnly(r.URL.RawQuery, params); err != nil {
			serve.WriteError(w, err)
			return
		}
		child := d.child(servedSpec(), ai.Scope{Source: "serve"})
		defer child.close()
		ctx, cancel := context.WithTimeout(r.Context(), viewPatience)
		defer cancel()
		out, err := read(ctx, child, r)
		if err != nil {
			d.logger().Warn(about, "cause", fault.From(err).Message)
			serve.WriteError(w, plainView(view{about: "the library"}, err))
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		serve.WriteJSON(w, out)
	})
}

func viewSkillStats(ctx context.Context, d *Deps, _ *http.Request) (any, error) {
	l, err := d.library()
	if err != nil {
		return nil, err
	}
	s, err := l.Stats(ctx)
	return struct {
		OK bool `json:"ok"`
		skill.Stats
	}{true, s}, err
}

func viewUserCards(ctx context.Context, d *Deps, r *http.Request) (any, error) {
	page, limit, err := pageOf(r.URL.Query())
	if err != nil {
		return nil, err
	}
	l, err := d.library()
	if err != nil {
		return nil, err
	}
	out, err := l.Search(ctx, skill.Query{Source: skill.SourceUser, Page: page, Limit: limit})
	return map[string]any{"ok": true, "total": out.Total, "page": out.Page, "pages": out.Pages, "count": len(out.Results), "cards": out.Results}, err
}

// serveCard is a card byte for byte, as its hash was made of it.
func (d *Deps) serveCard(w http.ResponseWriter, r *http.Request) {
	child := d.child(servedSpec(), ai.Scope{Source: "serve"})
	defer child.close()
	l, err := child.library()
	var e skill.Entry
	if err == nil {
		e, err = l.File(r.Context(), r.PathValue("file"), "")
	}
	if err != nil {
		if !isCode(err, fault.NotFound) {
			d.logger().Warn("show a card", "cause", fault.From(err).Message)
			err = plainView(view{about: "the card"}, err)
		}
		serve.WriteError(w, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(e.Raw) // an error here is the client's going away
}

// cardHandler answers a change that an agent asks for.
func (d *Deps) cardHandler(spec Spec, run func(ctx context.Context, d *Deps, by string, body []byte) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostCardBody))
		if err != nil {
			serve.WriteError(w, fault.New(fault.Usage, "the body is longer than %d bytes, or broke off", mostCardBody))
			return
		}
		by := serve.AgentID(r)
		child := d.child(spec, ai.Scope{AgentID: by, Source: "serve"})
		defer child.close()
		ctx, cancel := context.WithTimeout(r.Context(), viewPatience)
		defer cancel()
		out, err := run(ctx, child, by, body)
		if err != nil {
			d.logger().Warn("change a card", "cause", fault.From(err).Message)
			if code := fault.CodeOf(err); code == fault.StateUnusable || code == fault.Internal {
				err = plainView(view{about: "the library"}, err)
			}
			serve.WriteError(w, err)
			return
		}
		serve.WriteJSON(w, out)
	})
}

// addCard takes a card, or one as the original's form sends it: its slug may be
// missing, and its risk tier stand beside the rest.
func addCard(ctx context.Context, d *Deps, by string, body []byte) (any, error) {
	raw, err := cardOf(body)
	if err != nil {
		return nil, err
	}
	c, err := v2.ParseCard(raw, "the card")
	if err != nil {
		return nil, err
	}
	l, err := d.library()
	if err != nil {
		return nil, err
	}
	added, err := l.Add(ctx, skill.NewCard{Card: c, Raw: raw, Source: skill.SourceUser, By: by})
	if err != nil {
		return nil, err
	}
	a := added[0]
	out := map[string]any{"ok": true, "fileName": a.FileName, "slug": a.Slug, "version": a.Version, "contentHash": a.ContentHash, "replaced": a.Replaced, "skill": a.Summary}
	return out, d.recordAdded(ctx, added)
}

// cardOf is the card of a request.
func cardOf(body []byte) ([]byte, error) {
	var in map[string]json.RawMessage
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fault.New(fault.Usage, "the body is no JSON object").Hintf(`{"name":"My skill","version":"1.0.0","description":"…"}`)
	}
	if card, ok := in["card"]; ok {
		if len(in) > 1 {
			return nil, fault.New(fault.Usage, "beside card there is more in the body").Hintf("send the card alone, or its keys without card")
		}
		return card, nil
	}
	_, hasSlug := in["slug"]
	_, hasTier := in["riskTier"]
	_, hasLimits := in["constraints"]
	if hasSlug && !hasTier && hasLimits {
		return body, nil // a card as it is
	}
	if !hasSlug {
		var name string
		if json.Unmarshal(in["name"], &name) != nil || kebab(name) == "" {
			return nil, fault.New(fault.Usage, "the card has no name that a slug can be made of").Hintf("send a name, or a slug of lower-case letters, digits and hyphens")
		}
		in["slug"] = json.RawMessage(strconv.Quote(kebab(name)))
	}
	if !hasLimits {
		tier := 2.0
		if text, ok := in["riskTier"]; ok && json.Unmarshal(text, &tier) != nil {
			return nil, fault.New(fault.Usage, "riskTier is no number").Hintf("1, 2 or 3")
		}
		delete(in, "riskTier")
		in["constraints"] = json.RawMessage(`{"riskTier":` + strconv.Itoa(int(min(max(tier, 1), 3))) + `}`)
	}
	return json.Marshal(in)
}

// kebab is a slug made of a name.
func kebab(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	slug := strings.Join(words, "-")
	if !skill.IsSlug(slug) {
		return ""
	}
	return slug
}

// fileOf reads a request about a card that is there.
func fileOf(body []byte, in any, file *string) error {
	if err := json.Unmarshal(body, in); err != nil {
		return fault.New(fault.Usage, "the body is not JSON of the expected shape").Hintf(`{"fileName":"my-skill.v1.0.0.json"}`)
	}
	if *file == "" || strings.ContainsAny(*file, `/\`) || strings.Contains(*file, "..") || strings.ContainsRune(*file, 0) {
		return fault.New(fault.Usage, "fileName is no name of a card").Hintf("it is {slug}.v{version}.json, as the list shows it")
	}
	return nil
}

func deleteCard(ctx context.Context, d *Deps, by string, body []byte) (any, error) {
	var in struct{ FileName string }
	if err := fileOf(body, &in, &in.FileName); err != nil {
		return nil, err
	}
	l, err := d.library()
	if err != nil {
		return nil, err
	}
	s, err := l.Remove(ctx, in.FileName, by)
	if err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "deleted": s.FileName}, d.Record(ctx, telemetry.Draft{Type: "skill.card.removed", Result: map[string]any{"slug": s.Slug, "version": s.Version}})
}

// markCard notes that a card is on chain, once the chain says so: a hash that somebody
// sends proves nothing.
func markCard(ctx context.Context, d *Deps, by string, body []byte) (any, error) {
	var in struct {
		FileName string
		SkillID  json.RawMessage
		TxHash   string
	}
	if err := fileOf(body, &in, &in.FileName); err != nil {
		return nil, err
	}
	id := strings.Trim(string(in.SkillID), `"`)
	if n, err := strconv.ParseUint(id, 10, 64); err != nil || n == 0 || strconv.FormatUint(n, 10) != id {
		return nil, fault.New(fault.Usage, "skillId is no whole number above 0")
	}
	if in.TxHash != "" && (len(in.TxHash) != 66 || common.HexToHash(in.TxHash).Hex() != strings.ToLower(in.TxHash)) {
		return nil, fault.New(fault.Usage, "txHash is no transaction hash").Hintf("0x and 64 hexadecimal digits, or leave it out")
	}
	l, err := d.library()
	if err != nil {
		return nil, err
	}
	e, err := l.File(ctx, in.FileName, by)
	if err != nil {
		return nil, err
	}
	chainID, err := d.publishedCard(ctx, id, 0, e.Card)
	if err != nil {
		return nil, err
	}
	at := skill.OnChain{ChainID: chainID, SkillID: id, TxHash: strings.ToLower(in.TxHash)}
	s, err := l.MarkOnChain(ctx, in.FileName, by, e.ContentHash, at)
	if err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "fileName": s.FileName, "onChain": at}, d.Record(ctx, telemetry.Draft{Type: "skill.card.onchain", ChainID: chainID,
		Result: map[string]any{"slug": s.Slug, "version": s.Version, "skillId": id, "contentHash": e.ContentHash}})
}
