package commands

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/skill"
)

// Bounds of a card that is fetched. An answer of the API holds more than the card.
const (
	fetchTime   = 20 * time.Second
	fetchAnswer = skill.MaxBytes + 64<<10
)

// skillAPI is the serve to ask for a slug; "" for none. An address that is not the one
// of the environment needs its flag: a text may have suggested it.
func (d *Deps) skillAPI(in SkillInstallIn) (string, error) {
	known := d.host.getenv("APE_CLAW_API_BASE")
	if in.API != "" && in.API != known && !in.AllowCustomAPI {
		return "", fault.New(fault.PermissionDenied, "--api is not the server of APE_CLAW_API_BASE").
			Hintf("if you chose it yourself: --allow-custom-api").WithSent(fault.SentNo)
	}
	return d.server(ClawbotServer{API: in.API})
}

// fetchSkill asks a serve for the card of a slug.
func (d *Deps) fetchSkill(ctx context.Context, api, slug, version string, insecure bool) (skill.Card, []byte, error) {
	q := url.Values{"slug": {slug}}
	if version != "" {
		q.Set("version", version)
	}
	answer, err := d.fetch(ctx, strings.TrimSuffix(api, "/")+"/api/skills/get?"+q.Encode(), insecure)
	if err != nil {
		return skill.Card{}, nil, err
	}
	var doc struct{ Card json.RawMessage }
	if json.Unmarshal(answer, &doc) != nil || len(doc.Card) == 0 {
		return skill.Card{}, nil, fault.New(fault.Upstream, "the server's answer holds no card").Hintf("is it an ape-claw serve?").WithSent(fault.SentNo)
	}
	c, err := v2.ParseCard(doc.Card, "the card that the server sent")
	if err == nil && (c.Slug != slug || version != "" && c.Version != version) {
		err = fault.New(fault.Upstream, "the server sent the card of %s %s, and %s was asked for", c.Slug, c.Version, slug).WithSent(fault.SentNo)
	}
	return c, doc.Card, err
}

// fetchCard fetches a card by its address.
func (d *Deps) fetchCard(ctx context.Context, address string, insecure bool) (skill.Card, []byte, error) {
	raw, err := d.fetch(ctx, address, insecure)
	if err != nil {
		return skill.Card{}, nil, err
	}
	c, err := v2.ParseCard(raw, "the card that was fetched")
	return c, raw, err
}

// fetch gets a document from another machine, and follows no redirect: what is at the
// address that was read is what is installed.
func (d *Deps) fetch(ctx context.Context, address string, insecure bool) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Fragment != "" {
		return nil, fault.New(fault.Usage, "the address is no http or https URL without user and fragment").Hintf("as in https://example.org/my-skill.v1.0.0.json").WithSent(fault.SentNo)
	}
	if u.Scheme == "http" && !insecure && !loopback(u.Hostname()) {
		return nil, fault.New(fault.PermissionDenied, "over http from %s, others could change what is installed", fault.Excerpt(u.Hostname(), 80)).
			Hintf("use https, or --allow-insecure-api on a network that you trust").WithSent(fault.SentNo)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fault.Wrap(err, fault.Usage, "the address can't be used").WithSent(fault.SentNo)
	}
	req.Header.Set("Accept", "application/json")
	client := &http.Client{Transport: d.transport(), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fault.Wrap(errors.Unwrap(err), fault.Upstream, "%s does not answer", fault.Excerpt(u.Host, 80)).Hintf("check the address").WithSent(fault.SentNo)
	}
	defer resp.Body.Close() //nolint:errcheck // read, or given up
	body, err := io.ReadAll(io.LimitReader(resp.Body, fetchAnswer+1))
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return nil, fault.New(fault.NotFound, "%s has no such skill", fault.Excerpt(u.Host, 80)).Hintf("check the address or slug").WithSent(fault.SentNo)
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return nil, fault.New(fault.Upstream, "%s redirects to another address, which is not followed", fault.Excerpt(u.Host, 80)).Hintf("give the address that it leads to").WithSent(fault.SentNo)
	case resp.StatusCode != http.StatusOK:
		return nil, fault.New(fault.Upstream, "%s answers with status %d", fault.Excerpt(u.Host, 80), resp.StatusCode).WithSent(fault.SentNo)
	case err != nil:
		return nil, fault.Wrap(err, fault.Upstream, "the answer of %s broke off", fault.Excerpt(u.Host, 80)).WithSent(fault.SentNo)
	case len(body) > fetchAnswer:
		return nil, fault.New(fault.Upstream, "the answer of %s is longer than a card may be", fault.Excerpt(u.Host, 80)).WithSent(fault.SentNo)
	}
	return body, nil
}
