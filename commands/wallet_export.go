package commands

import (
	"context"
	"io"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// WalletExportIn names the account by the global --account.
type WalletExportIn struct{}

// WalletExportOut says that a key was shown; it is not in it.
type WalletExportOut struct {
	OK      bool   `json:"ok"`
	Address string `json:"address"`
	File    string `json:"file"`
	Shown   bool   `json:"shown"`
}

func newWalletExport() Command {
	return define(Spec{Name: "wallet export", Short: "Show a key of the keystore to a person at the terminal",
		Long: `Show a private key of the keystore, in hex, on the terminal itself and nowhere else: not on
stdout, in no file and no event. Whoever sees it owns the account. A backup needs no export: copy
the keystore file, which other wallets take as it is.`,
		Example: "  ape-claw wallet export --account 0x…",
		Events:  []string{"wallet.key.shown"}, Offline: true, Risk: RiskHuman, Permission: "wallet:export", AI: Exposure{Class: AINever}, Human: HumanAlways},
		walletExport,
		func(p *Printer, out WalletExportOut) {
			p.Line("The key of %s was shown at the terminal.", out.Address)
		})
}

func walletExport(ctx context.Context, d *Deps, _ WalletExportIn) (WalletExportOut, error) {
	c, err := d.Config()
	if err != nil {
		return WalletExportOut{}, err
	}
	ks := d.keystore(c)
	keys, _, err := ks.List()
	if err != nil {
		return WalletExportOut{}, err
	}
	var want *common.Address
	if c.Account.Value != "" {
		a := common.HexToAddress(c.Account.Value)
		want = &a
	}
	at, err := d.chooseStored(c, want, keys)
	if err != nil {
		return WalletExportOut{}, err
	}
	file := store.Display(at.Path)
	// Also under the sandbox profile a key is shown to a person alone.
	typed, err := d.ask(ctx, "see a private key", []string{"This shows the private key of " + at.Address.Hex() + " (" + file + ").",
		"Whoever sees it, on this screen or in what it keeps, owns the account."}, "ape-claw: show it? Type yes: ")
	if err != nil {
		return WalletExportOut{}, err
	}
	if typed != "yes" {
		return WalletExportOut{}, fault.New(fault.ApprovalRequired, "not agreed: nothing was shown").WithSent(fault.SentNo)
	}
	password, _, err := d.password(ctx, "see a private key", "password of "+at.Address.Hex())
	if err != nil {
		return WalletExportOut{}, err
	}
	defer clear(password)
	s, err := ks.Unlock(at, password)
	if err != nil {
		return WalletExportOut{}, err
	}
	defer s.Wipe()
	out := WalletExportOut{OK: true, Address: at.Address.Hex(), File: file, Shown: true}
	// What can't be recorded is not shown.
	if err := d.Record(ctx, telemetry.Draft{Type: "wallet.key.shown", Result: map[string]any{"address": out.Address}}); err != nil {
		return WalletExportOut{}, err
	}
	t, err := d.terminal("see a private key")
	if err != nil {
		return WalletExportOut{}, err
	}
	defer t.Close() //nolint:errcheck // what was written is on the screen
	if _, err := io.WriteString(t, s.ExportHex()+"\n"); err != nil {
		return WalletExportOut{}, fault.Wrap(err, fault.ApprovalRequired, "the terminal can't be written to").WithSent(fault.SentNo)
	}
	return out, nil
}
