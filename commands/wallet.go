package commands

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func walletCommands() []Command {
	return []Command{newWalletNew(), newWalletImport(), newWalletList(), newWalletAddress(), newWalletExport()}
}

// WalletNewIn has no flags of its own: the password's are global.
type WalletNewIn struct{}

// WalletKeyOut is a key that was saved.
type WalletKeyOut struct {
	OK      bool   `json:"ok"`
	Address string `json:"address"`
	File    string `json:"file"`
	Created string `json:"created"`
}

const walletPassword = `The password is typed twice at the terminal, or comes from a file (--password-file) or a
descriptor (--password-fd), never from the command line or the environment.`

func newWalletNew() Command {
	return define(Spec{Name: "wallet new", Short: "Make a key and keep it encrypted in this home",
		Long: `Make a new key and keep it in the home's keystore, encrypted with a password, as geth does.
` + walletPassword + `
Without its password a key can't be had back: back up both.`,
		Example: "  ape-claw wallet new\n  ape-claw wallet new --password-file ./password",
		Events:  []string{"wallet.key.saved"}, Offline: true, Risk: RiskHuman, Permission: "wallet:write", AI: Exposure{Class: AINever}, Human: HumanAlways},
		func(ctx context.Context, d *Deps, _ WalletNewIn) (WalletKeyOut, error) {
			s, err := chain.GenerateKey()
			if err != nil {
				return WalletKeyOut{}, fault.Wrap(err, fault.Internal, "no key could be made")
			}
			defer s.Wipe()
			password, err := d.newPassword(ctx, "keep a new key, of "+s.Address().Hex()+",")
			if err != nil {
				return WalletKeyOut{}, err
			}
			return d.keep(ctx, s, password, "new")
		}, printWalletKey)
}

func printWalletKey(p *Printer, out WalletKeyOut) {
	p.Head("The key of %s is in the keystore", out.Address)
	p.KV("file", out.File, "created", out.Created)
	p.Line("Back up the file and the password: without either the key is lost.")
}

// newPassword returns the password for a key that is about to be saved. A person
// agrees by typing it twice, or by a yes where it comes from elsewhere.
func (d *Deps) newPassword(ctx context.Context, act string) ([]byte, error) {
	c, err := d.Config()
	if err != nil {
		return nil, err
	}
	password, err := d.givenPassword()
	switch {
	case err != nil:
		return nil, err
	case len(password) > 0 && len(password) < leastPassword:
		return nil, shortPassword()
	case password != nil:
		return password, d.needTerminal(ctx, act+" in "+store.Display(d.keystore(c).Dir()))
	}
	first, err := d.askSecret(ctx, "new password")
	if err != nil {
		return nil, err
	}
	d.redactor().Add(first)
	if len(first) < leastPassword {
		return nil, shortPassword()
	}
	again, err := d.askSecret(ctx, "new password again")
	if err != nil {
		return nil, err
	}
	if first != again {
		return nil, fault.New(fault.Usage, "the two passwords differ: nothing was saved").Hintf("run it again").WithSent(fault.SentNo)
	}
	return []byte(first), nil
}

func shortPassword() error {
	return fault.New(fault.Usage, "the password has fewer than %d characters", leastPassword).
		Hintf("take four words that nobody would put together").WithSent(fault.SentNo)
}

// keep saves a key and clears the password.
func (d *Deps) keep(ctx context.Context, s *chain.KeySigner, password []byte, how string) (WalletKeyOut, error) {
	defer clear(password)
	c, err := d.Config()
	if err != nil {
		return WalletKeyOut{}, err
	}
	at, err := d.keystore(c).Save(s, password)
	if err != nil {
		return WalletKeyOut{}, err
	}
	out := WalletKeyOut{OK: true, Address: at.Address.Hex(), File: store.Display(at.Path), Created: at.Created.Format(time.RFC3339)}
	return out, d.Record(ctx, telemetry.Draft{Type: "wallet.key.saved", Result: map[string]any{"address": out.Address, "how": how}})
}
