package market

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// knownFor is how long a marketplace's word on which collection is which is kept.
// Every listing is held against the contract in any case.
const knownFor = time.Hour

// target is where listings are asked for, and the contract they must be of.
type target struct {
	slug     string // the marketplace's
	contract string
}

// Collection returns the collection of a slug and its contract on our chain.
func (c *Client) Collection(ctx context.Context, slug string) (Collection, error) {
	if err := checkSlug(slug); err != nil {
		return Collection{}, err
	}
	col, err := c.collection(ctx, c.theirs(slug))
	col.Slug = slug
	return col, err
}

// theirs is the marketplace's slug of a collection that the allowlist calls slug.
func (c *Client) theirs(slug string) string {
	if s := c.slugs[slug]; ValidSlug(s) {
		return s
	}
	return slug
}

func (c *Client) collection(ctx context.Context, slug string) (Collection, error) {
	b, err := c.get(ctx, doingCollection, c.collectionAt(slug))
	if isStatus(err, http.StatusNotFound) {
		return Collection{}, c.noCollection(err, slug)
	}
	if err != nil {
		return Collection{}, err
	}
	col, err := c.rules.collection(b, slug)
	if err != nil {
		return Collection{}, unusable(err, doingCollection, c.Name())
	}
	return col, nil
}

func (c *Client) noCollection(err error, slug string) error {
	return fault.Wrap(err, fault.NotFound, "%s knows no collection %s", c.Name(), slug).
		Hintf("ape-claw market collections lists the known ones")
}

// target checks the query and finds what its listings must be: those of the
// contract that the caller named, of a collection that the marketplace too says
// has this contract on our chain. A slug is only a name at the marketplace, which
// may give it to another collection; the contract is the identity.
func (c *Client) target(ctx context.Context, q *ListQuery) (target, error) {
	if err := checkQuery(*q); err != nil {
		return target{}, err
	}
	at := target{slug: c.theirs(q.Slug)}
	if q.Contract == "" {
		col, err := c.collection(ctx, at.slug)
		at.contract = col.ContractAddress
		return at, err
	}
	var err error
	if at.contract, err = checkAddress("contract", q.Contract); err != nil {
		return target{}, err
	}
	known := fmt.Sprintf("%s %s %s %s", c.base.Host, c.rules.Chain, at.slug, at.contract)
	if slug, ok := c.pacer.recall(known); ok && ValidSlug(slug) {
		at.slug = slug
		return at, nil
	}
	slug, err := c.identify(ctx, at)
	if err != nil {
		return target{}, err
	}
	c.pacer.remember(known, slug, knownFor)
	at.slug = slug
	return at, nil
}

// identify returns the marketplace's slug of a contract: the expected one when
// that has the contract, else the one that the marketplace names for the contract
// and that has it. Everything else is refused.
func (c *Client) identify(ctx context.Context, at target) (string, error) {
	col, err := c.collection(ctx, at.slug)
	if err == nil && col.ContractAddress == at.contract {
		return at.slug, nil
	}
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		return "", err
	}
	renamed, lookupErr := c.slugOf(ctx, at.contract)
	switch {
	case lookupErr != nil && fault.CodeOf(lookupErr) != fault.NotFound:
		return "", lookupErr
	case lookupErr == nil && renamed != at.slug:
		other, err := c.collection(ctx, renamed)
		if err != nil && fault.CodeOf(err) != fault.NotFound {
			return "", err
		}
		if err == nil && other.ContractAddress == at.contract {
			return renamed, nil
		}
	}
	if err != nil { // there is no such collection, by either name
		return "", err
	}
	return "", otherContract(c.Name(), at.slug, c.rules.Chain, at.contract, col.ContractAddress)
}

// otherContract refuses everything of a collection that is not the one it was
// taken for.
func otherContract(where, slug, chain, want, got string) error {
	return fault.New(fault.CollectionNotAllowed, "%s says that %s is the contract %s on %s, and %s was asked for: nothing of it is read or bought",
		where, slug, got, chain, want).
		Hintf("compare both addresses with the collection's own site, and correct its entry in allowlist.json if that is wrong").
		WithSent(fault.SentNo).With("expected", want).With("got", got)
}

// slugOf asks which collection a contract belongs to.
func (c *Client) slugOf(ctx context.Context, contract string) (string, error) {
	if c.agent != "" {
		return "", fault.New(fault.NotFound, "%s does not tell which collection the contract %s has", c.Name(), contract)
	}
	b, err := c.get(ctx, doingCollection, resource{path: []string{"api/v2/chain", c.rules.Chain, "contract", contract}})
	if isStatus(err, http.StatusNotFound) {
		return "", fault.Wrap(err, fault.NotFound, "%s knows no collection of contract %s", c.Name(), contract)
	}
	if err != nil {
		return "", err
	}
	var w struct {
		Address    string `json:"address"`
		Chain      string `json:"chain"`
		Collection string `json:"collection"`
	}
	if err := decode(b, &w); err != nil {
		return "", unusable(err, doingCollection, c.Name())
	}
	if got, ok := address(w.Address); !ok || got != contract || w.Chain != c.rules.Chain || !ValidSlug(w.Collection) {
		return "", fault.New(fault.NotFound, "%s names no usable collection of contract %s", c.Name(), contract)
	}
	return w.Collection, nil
}
