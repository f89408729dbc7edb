package connection

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// AddIn is a new connection. Service is a preset of addresses (Services); BaseURL
// overrides its address, and "other" needs one. A connection that names a variable
// takes its key from there first.
type AddIn struct {
	Name     string
	Service  string
	BaseURL  string
	Model    string
	KeyEnv   string
	Key      Secret
	KeyFree  bool // it answers without a key
	Tiers    map[Tier]string
	Identity Identity
	Tools    ai.Preset // its zero is all
	Caps     Caps
	Prices   Prices
	Default  bool
}

// Change is what Set changes; nil leaves as it is. Tiers and Prices are merged: an
// empty model and a nil price remove an entry.
type Change struct {
	Name     *string
	BaseURL  *string
	Model    *string
	KeyEnv   *string
	Tiers    map[Tier]string
	Role     *string
	Traits   *string
	Instruct *string
	Tools    *ai.Preset
	Caps     *Caps
	Prices   map[string]*Price
	Disabled *bool
	Default  *bool // true alone: another becomes the default by being named
	// Version, when it is not 0, is the one that was looked at: another's change
	// since is a fault.Conflict.
	Version int64
}

// NeedsProof reports whether the change sends a key elsewhere or uses another one:
// then the operator's passphrase is asked for first, by whoever calls Set.
func (c Change) NeedsProof() bool { return c.BaseURL != nil || c.KeyEnv != nil }

func (s *Store) record(ctx context.Context, d telemetry.Draft) error {
	if s.o.Record == nil {
		return nil
	}
	return s.o.Record(ctx, d)
}

func (s *Store) changed(ctx context.Context, r row, change string) error {
	return s.record(ctx, telemetry.Draft{Type: "ai.connection.changed",
		Payload: map[string]any{"id": r.id, "name": r.name, "provider": r.doc.Provider, "change": change},
		Result:  map[string]any{"status": string(r.status)}})
}

// Add makes a connection. A name that is in use is a fault.NameTaken. The first one
// is the default.
func (s *Store) Add(ctx context.Context, in AddIn) (Connection, error) {
	r, err := s.fresh(in)
	if err != nil {
		return Connection{}, err
	}
	var sealed []byte
	if in.Key != "" {
		key, err := s.makeKey(ctx)
		if err != nil {
			return Connection{}, err
		}
		if sealed, err = seal(key, in.Key, r.id, r.doc.BaseURL); err != nil {
			return Connection{}, err
		}
		r.doc.Hint = hint(in.Key)
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		all, err := rows(ctx, tx)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(o row) bool { return o.name == r.name }) {
			return taken(r.name)
		}
		r.doc.Default = r.doc.Default || len(all) == 0
		text, err := json.Marshal(r.doc)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO connections (`+columns+`) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			r.id, r.name, string(text), r.status, r.version, r.created.UnixMilli(), r.updated.UnixMilli()); err != nil {
			return store.DBFault(err, store.AIFile)
		}
		if err := s.putSecret(ctx, tx, r.id, sealed); err != nil || !r.doc.Default {
			return err
		}
		return s.onlyDefault(ctx, tx, r.id)
	})
	if err != nil {
		return Connection{}, err
	}
	return s.told(ctx, r, "added")
}

// CheckAdd reports what Add would refuse, before anybody is asked for a key.
func (s *Store) CheckAdd(ctx context.Context, in AddIn) error {
	r, err := s.fresh(in)
	if err != nil {
		return err
	}
	if _, err = s.Show(ctx, r.name); err == nil {
		return taken(r.name)
	}
	if fault.CodeOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// fresh is a new connection that passed every check.
func (s *Store) fresh(in AddIn) (row, error) {
	name, err := checkName(in.Name)
	if err != nil {
		return row{}, err
	}
	svc, err := service(in.Service)
	if err != nil {
		return row{}, err
	}
	if in.BaseURL == "" {
		in.BaseURL = svc.BaseURL
	}
	if in.BaseURL == "" {
		return row{}, fault.New(fault.Usage, "the preset %s needs an address", svc.Name).Hintf("--base-url https://…/v1")
	}
	base, err := CheckURL(in.BaseURL)
	if err != nil {
		return row{}, err
	}
	if in.Tools.Name == "" {
		in.Tools.Name = ai.PresetAll
	}
	now := s.o.Now().UTC().Truncate(time.Millisecond)
	r := row{id: store.NewID("conn_"), name: name, status: Active, version: 1, created: now, updated: now,
		doc: doc{Provider: ProviderOpenAI, Service: svc.Name, BaseURL: base, Model: in.Model, Tiers: in.Tiers, Identity: in.Identity, Tools: in.Tools,
			Caps: in.Caps, Prices: in.Prices, Default: in.Default, KeyEnv: in.KeyEnv, KeyFree: in.KeyFree || svc.KeyOptional}}
	if r.holds(in.Key) {
		return row{}, misplaced()
	}
	return r, cmpErr(s.checkKey(in.Key), s.checkDoc(r))
}

// checkDoc holds what a person set to its rules.
func (s *Store) checkDoc(r row) error {
	d := r.doc
	shownAs := Connection{Name: r.name, Models: d.Models}
	for t, m := range d.Tiers {
		if !slices.Contains(Tiers(), t) {
			return fault.New(fault.Usage, "a tier is fast, standard or powerful")
		}
		if err := cmpErr(checkModel(m), shownAs.Offers(m)); err != nil {
			return err
		}
	}
	if d.Model != "" {
		if err := cmpErr(checkModel(d.Model), shownAs.Offers(d.Model)); err != nil {
			return err
		}
	}
	return cmpErr(s.checkEnv(d.KeyEnv), d.Identity.check(), checkTools(d.Tools), d.checkMoney())
}

// cmpErr is the first of errs that is one.
func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func taken(name string) error {
	return fault.New(fault.NameTaken, "there is a connection %s already", name).Hintf("ape-claw ai connections set %s --help changes it", name)
}

func misplaced() error {
	return fault.New(fault.Usage, "the key stands where something else belongs: nothing was changed").Hintf("a key is typed with --ask-key, or piped with --key-stdin")
}

// holds reports whether a key stands in what is stored openly.
func (r row) holds(key Secret) bool {
	text, err := json.Marshal(r.doc)
	return err == nil && key.in(r.name+" "+string(text))
}

// told records a change and returns the connection as it is now.
func (s *Store) told(ctx context.Context, r row, change string) (Connection, error) {
	if err := s.changed(ctx, r, change); err != nil {
		return Connection{}, err
	}
	return s.Show(ctx, r.id)
}

// onlyDefault takes the default from all others.
func (s *Store) onlyDefault(ctx context.Context, tx *sql.Tx, id string) error {
	all, err := rows(ctx, tx)
	if err != nil {
		return err
	}
	for _, o := range all {
		if o.id == id || !o.doc.Default {
			continue
		}
		o.doc.Default = false
		if _, err := s.put(ctx, tx, o); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) putSecret(ctx context.Context, tx *sql.Tx, id string, sealed []byte) error {
	if sealed == nil {
		_, err := tx.ExecContext(ctx, `DELETE FROM secrets WHERE name = ?`, secretName(id))
		return store.DBFault(err, store.AIFile)
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO secrets (name, sealed, updated_at) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at`, secretName(id), sealed, s.o.Now().UnixMilli())
	return store.DBFault(err, store.AIFile)
}

// Set changes a connection. A new base URL drops the key, the name of its variable
// and the list of models: the key would be sent to another host. A variable that is
// named in the same change is kept.
func (s *Store) Set(ctx context.Context, ref string, c Change) (Connection, error) {
	var r row
	var what []string
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		if r, err = find(ctx, tx, ref); err != nil {
			return err
		}
		if c.Version != 0 && c.Version != r.version {
			return fault.New(fault.Conflict, "connection %s was changed meanwhile", r.name).Hintf("ape-claw ai connections show %s, then change it again", r.name)
		}
		old := r
		if what, err = s.apply(ctx, tx, &r, c); err != nil || len(what) == 0 {
			return err
		}
		if old.name != r.name {
			if _, err := find(ctx, tx, r.name); err == nil {
				return taken(r.name)
			}
		}
		if err := s.checkDoc(r); err != nil {
			return err
		}
		// What can't be opened can't be looked for either.
		if key, err := s.secret(ctx, tx, r); err == nil && r.holds(key) {
			return misplaced()
		}
		if r, err = s.put(ctx, tx, r); err != nil || !r.doc.Default || old.doc.Default {
			return err
		}
		return s.onlyDefault(ctx, tx, r.id)
	})
	if err != nil || len(what) == 0 {
		if err == nil {
			return s.Show(ctx, r.id)
		}
		return Connection{}, err
	}
	return s.told(ctx, r, strings.Join(what, ","))
}

// apply puts a change into r and says what it changed.
func (s *Store) apply(ctx context.Context, tx *sql.Tx, r *row, c Change) (what []string, err error) {
	d := &r.doc
	set := func(name string, to *string, field *string) {
		if to != nil && *to != *field {
			*field, what = *to, append(what, name)
		}
	}
	if c.Name != nil {
		name, err := checkName(*c.Name)
		if err != nil {
			return nil, err
		}
		set("name", &name, &r.name)
	}
	if c.BaseURL != nil {
		base, err := CheckURL(*c.BaseURL)
		if err != nil {
			return nil, err
		}
		if base != d.BaseURL {
			d.BaseURL, d.KeyEnv, d.Hint, d.Models, d.NoList, d.VerifiedAt, d.LastError = base, "", "", nil, false, 0, ""
			if r.status != Disabled {
				r.status = Active
			}
			if err := s.putSecret(ctx, tx, r.id, nil); err != nil {
				return nil, err
			}
			what = append(what, "baseUrl")
		}
	}
	set("keyEnv", c.KeyEnv, &d.KeyEnv)
	set("model", c.Model, &d.Model)
	set("role", c.Role, &d.Identity.Role)
	set("traits", c.Traits, &d.Identity.Traits)
	set("instructions", c.Instruct, &d.Identity.Instructions)
	if c.Tools != nil {
		d.Tools, what = *c.Tools, append(what, "tools")
	}
	if c.Caps != nil {
		d.Caps, what = *c.Caps, append(what, "caps")
	}
	if len(c.Tiers) > 0 {
		d.Tiers, what = merged(d.Tiers, c.Tiers), append(what, "tiers")
	}
	if len(c.Prices) > 0 {
		d.Prices, what = d.Prices.merged(c.Prices), append(what, "prices")
	}
	if c.Default != nil && *c.Default != d.Default {
		d.Default, what = *c.Default, append(what, "default")
	}
	if c.Disabled != nil && *c.Disabled != (r.status == Disabled) {
		r.status, what = Active, append(what, "status")
		if *c.Disabled {
			r.status = Disabled
		}
	}
	return what, nil
}

func merged(old, by map[Tier]string) map[Tier]string {
	out := map[Tier]string{}
	maps.Copy(out, old)
	maps.Copy(out, by)
	maps.DeleteFunc(out, func(_ Tier, m string) bool { return m == "" })
	return out
}

func (p Prices) merged(by map[string]*Price) Prices {
	out := Prices{}
	maps.Copy(out, p)
	for model, price := range by {
		if delete(out, model); price != nil {
			out[model] = *price
		}
	}
	return out
}
