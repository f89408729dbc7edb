package commands

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
)

// WalletListIn has no flags.
type WalletListIn struct{}

// WalletListOut is what the keystore holds. Nothing was opened.
type WalletListOut struct {
	OK        bool          `json:"ok"`
	Count     int           `json:"count"`
	Directory string        `json:"directory"`
	Accounts  []WalletEntry `json:"accounts"`
	Problems  []string      `json:"problems"`
}

// WalletEntry is a key of the keystore.
type WalletEntry struct {
	Address string `json:"address"`
	File    string `json:"file"`
	Created string `json:"created"`
}

func newWalletList() Command {
	return define(Spec{Name: "wallet list", Short: "List the keys of this home",
		Long:   "List the keys of the home's keystore, oldest first, and the files in it that can't be used.\nNothing is opened and no password is asked for.",
		Events: []string{"wallet.listed"}, Offline: true, Risk: RiskRead, Permission: "wallet:read", AI: Exposure{Class: AIOperator}},
		walletList,
		func(p *Printer, out WalletListOut) {
			p.Head("%d keys in %s", out.Count, out.Directory)
			for _, a := range out.Accounts {
				p.KV("address", a.Address, "file", a.File, "created", a.Created)
			}
			for _, s := range out.Problems {
				p.Line("not usable: %s", clean(s))
			}
			if out.Count == 0 {
				p.Line("ape-claw wallet new makes one.")
			}
		})
}

func walletList(ctx context.Context, d *Deps, _ WalletListIn) (WalletListOut, error) {
	c, err := d.Config()
	if err != nil {
		return WalletListOut{}, err
	}
	ks := d.keystore(c)
	keys, bad, err := ks.List()
	if err != nil {
		return WalletListOut{}, err
	}
	out := WalletListOut{OK: true, Count: len(keys), Directory: store.Display(ks.Dir()), Accounts: []WalletEntry{}, Problems: []string{}}
	for _, k := range keys {
		out.Accounts = append(out.Accounts, WalletEntry{k.Address.Hex(), store.Display(k.Path), k.Created.Format(time.RFC3339)})
	}
	for _, b := range bad {
		out.Problems = append(out.Problems, sentence(b))
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "wallet.listed", Result: map[string]any{"count": out.Count}})
}

// WalletAddressIn has no flags.
type WalletAddressIn struct{}

// WalletAddressOut is who would sign.
type WalletAddressOut struct {
	OK       bool     `json:"ok"`
	Address  string   `json:"address"`
	Source   string   `json:"source"`
	Warnings []string `json:"warnings"`
}

func newWalletAddress() Command {
	return define(Spec{Name: "wallet address", Short: "Show which account would sign, and where its key is",
		Long: `Show the account that commands act with, and where its key comes from: a private key (flag,
environment, auth profile), a signer in another process (APE_CLAW_SIGNER_URL), or the keystore,
in this order. Nothing is opened and no password is asked for.`,
		Events: []string{"wallet.address.read"}, Offline: true, Risk: RiskRead, Permission: "wallet:read", AI: Exposure{Class: AIOperator}},
		func(ctx context.Context, d *Deps, _ WalletAddressIn) (WalletAddressOut, error) {
			s, err := d.chosenSigner(ctx)
			if err != nil {
				return WalletAddressOut{}, err
			}
			out := WalletAddressOut{OK: true, Address: s.Address().Hex(), Source: s.source, Warnings: append([]string{}, s.warnings...)}
			return out, d.Record(ctx, telemetry.Draft{Type: "wallet.address.read", Result: map[string]any{"address": out.Address, "source": out.Source}})
		},
		func(p *Printer, out WalletAddressOut) {
			p.Head("%s", out.Address)
			p.KV("key from", out.Source)
			for _, w := range out.Warnings {
				p.Line("warning: %s", clean(w))
			}
		})
}
