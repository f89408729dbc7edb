package v2

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/api"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// Reads is what the page and programs read over HTTP. No event tells of it: who
// looks, looks often.
func (s *Service) Reads() api.Reads {
	d := s.d
	d.Recorder = silence{}
	return reads{&Service{d: d}}
}

// silence is a recorder that keeps nothing.
type silence struct{}

func (silence) Record(context.Context, telemetry.Draft) error { return nil }

type reads struct{ s *Service }

// Config looks at every contract. It fails where the chain, or the deployment
// record, can't be read at all.
func (r reads) Config(ctx context.Context) (api.Config, error) {
	all := contracts.Names()
	out := api.Config{OK: true, Contracts: make([]api.Contract, len(all))}
	if r.nowhere() {
		fence, err := r.s.d.Fence(ctx)
		if err != nil {
			return api.Config{}, err
		}
		if fence.Policy != nil {
			out.ChainID, out.Network = fence.Policy.ChainID, networkName(fence.Policy.ChainID)
		}
		for i, n := range all {
			out.Contracts[i] = api.Contract{Name: string(n), State: api.Missing}
		}
		return out, nil
	}
	c, at, err := r.s.where(ctx)
	if err != nil {
		return api.Config{}, err
	}
	out.ChainID, out.Network = at.ID, at.Name
	err = each(ctx, len(all), func(ctx context.Context, i int) (err error) {
		out.Contracts[i], err = r.contract(ctx, c, at, all[i])
		return err
	})
	if err != nil {
		return api.Config{}, err
	}
	out.Configured = slices.ContainsFunc(out.Contracts, func(c api.Contract) bool { return c.State == api.Ours || c.State == api.Listed })
	return out, nil
}

// nowhere reports whether no setting and no deployment record gives any address. Then
// there is nothing to ask a node about.
func (r reads) nowhere() bool {
	for _, a := range r.s.d.Named {
		if a.Address != "" {
			return false
		}
	}
	files, err := os.ReadDir(r.s.d.Records)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !slices.ContainsFunc(files, func(f fs.DirEntry) bool { return filepath.Ext(f.Name()) == ".json" })
}

// there refuses where nothing is.
func (r reads) there() error {
	if r.nowhere() {
		return fault.New(fault.ContractMissing, "no address of any of the contracts is known").Hintf("%s v2 deploy", r.s.d.CLI).WithSent(fault.SentNo)
	}
	return nil
}

// contract is how one of them stands.
func (r reads) contract(ctx context.Context, c Chain, at place, n Name) (api.Contract, error) {
	l, listed, err := r.s.findAt(ctx, c, at, n)
	out := api.Contract{Name: string(n), Address: l.Address, From: l.From}
	switch fault.CodeOf(err) {
	case "":
		out.State = api.Foreign
		if listed {
			out.State = api.Listed
		}
		if l.Known {
			out.State = api.Ours
		}
	case fault.ContractMissing, fault.Usage:
		out.State = api.Missing
	case fault.ContractMismatch:
		out.State = api.Foreign
	default:
		return out, err
	}
	return out, nil
}

// Receipt holds a trace's receipt against the chain, and the local log against it.
func (r reads) Receipt(ctx context.Context, traceID string) (api.Receipt, error) {
	if err := r.there(); err != nil {
		return api.Receipt{}, err
	}
	got, err := r.s.ReceiptGet(ctx, ReceiptGetIn{Trace: traceID})
	if err != nil {
		return api.Receipt{}, err
	}
	out := api.Receipt{OK: true, TraceID: traceID, TraceIDHash: got.TraceIDHash, IsRecorded: got.IsRecorded, ChainID: got.ChainID, Contract: got.Contract,
		Agrees: got.Agrees, Why: got.Why}
	if c := got.Receipt; c != nil {
		out.Receipt = &api.OnChain{TraceIDHash: c.TraceIDHash, ContentHash: c.ContentHash, Subject: c.Subject, URI: c.URI, RecordedAt: c.RecordedAt, Recorder: c.Recorder}
	}
	return out, nil
}

// Vault is who shares what, in APE.
func (r reads) Vault(ctx context.Context) (api.Vault, error) {
	if err := r.there(); err != nil {
		return api.Vault{}, err
	}
	got, err := r.s.VaultStatus(ctx, VaultStatusIn{})
	if err != nil {
		return api.Vault{}, err
	}
	out := api.Vault{OK: true, ChainID: got.ChainID, Vault: got.Vault, BalanceWei: got.Balance.String(), TotalShares: got.TotalShares, Members: []api.Member{}}
	for _, m := range got.Members {
		out.Members = append(out.Members, api.Member{Address: m.Address, Shares: m.Shares, PendingWei: m.Pending.String(), ReleasedWei: m.Released.String()})
	}
	return out, nil
}

// skillsShown is how many skills one answer has.
const skillsShown = 20

// Skills are the newest skills.
func (r reads) Skills(ctx context.Context) (api.Skills, error) {
	if err := r.there(); err != nil {
		return api.Skills{}, err
	}
	got, err := r.s.SkillList(ctx, SkillListIn{Limit: skillsShown})
	if err != nil {
		return api.Skills{}, err
	}
	out := api.Skills{OK: true, ChainID: got.ChainID, Count: strconv.FormatUint(got.Total, 10), Skills: []api.Skill{}}
	for _, k := range got.Skills {
		one := api.Skill{SkillID: string(k.SkillID), ParentID: string(k.ParentID), Owner: k.Owner, Versions: strconv.FormatUint(k.Versions, 10)}
		if v := k.Newest; v != nil {
			one.VersionHash, one.ContentHash, one.URI, one.RiskTier, one.PublishedAt, one.Publisher = v.VersionHash, v.ContentHash, v.URI, int(v.RiskTier), v.PublishedAt, v.Publisher
		}
		out.Skills = append(out.Skills, one)
	}
	return out, nil
}
