package commands

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// What a signer comes from, beside the sources of a setting.
const (
	FromExternal = "external" // another process
	FromKeystore = "keystore"
)

// askSigner is how long a signer in another process has for a question.
const askSigner = 5 * time.Second

// chosen is who would sign. Choosing opens no key.
type chosen struct {
	chain.Signer
	source   string
	locked   *chain.LockedSigner // of the keystore
	warnings []string
}

// close wipes the key, if one was opened.
func (c chosen) close() error {
	if c.locked == nil {
		return nil
	}
	return c.locked.Close()
}

// root is the run that this one is within, or this one: what is opened once is there.
func (d *Deps) root() *Deps {
	if d.parent != nil {
		return d.parent.root()
	}
	return d
}

// chosenSigner finds who would sign: a key of its own (flag, environment, auth
// profile), a signer in another process, the keystore, in this order. An account that
// was named is looked for in all of them; without one, several are refused.
func (d *Deps) chosenSigner(ctx context.Context) (chosen, error) {
	c, err := d.Config()
	if err != nil {
		return chosen{}, err
	}
	key := c.PrivateKey
	if c.V2Key.Set() && key.Source != FromFlag && d.isV2() {
		key = c.V2Key
	}
	r := d.root()
	r.choosing.Lock()
	defer r.choosing.Unlock()
	for _, s := range r.signers {
		if s.key == key {
			return s.chosen, nil
		}
	}
	got, err := r.choose(ctx, c, key)
	if err != nil {
		return chosen{}, err
	}
	r.signers = append(r.signers, signerOf{key, got})
	r.onClose(got.close)
	return got, nil
}

// signerOf is a choice and the key that was configured when it was made.
type signerOf struct {
	key    Secret
	chosen chosen
}

func (d *Deps) choose(ctx context.Context, c *Config, key Secret) (chosen, error) {
	var want *common.Address
	if c.Account.Value != "" {
		a := common.HexToAddress(c.Account.Value)
		want = &a
	}
	ks := d.keystore(c)
	switch {
	case c.IsSandbox() && want == nil && !key.Set():
		return chosen{}, d.errNoKey(c)
	case c.SandboxErr != nil:
		return chosen{}, c.SandboxErr
	case c.IsSandbox():
		return d.chooseSandbox(ks, key, want)
	}
	var warnings []string
	if key.Set() {
		s, err := chain.NewKeySigner(key.Reveal(), key.Source)
		switch {
		case err != nil:
			return chosen{}, err
		case want == nil || *want == s.Address():
			return chosen{s, key.Source, nil, d.keyWarnings(c, key, s.Address(), ks)}, nil
		case key.Source == FromFlag:
			return chosen{}, fault.New(fault.Usage, "the private key on the command line is of %s, and the account that was asked for is %s", s.Address().Hex(), want.Hex()).
				Hintf("leave out one of them").WithSent(fault.SentNo)
		}
		warnings = append(warnings, fmt.Sprintf("the private key (from %s) is of %s and is not used: the account that was asked for is %s", key.Source, s.Address().Hex(), want.Hex()))
	}
	stored, bad, err := ks.List()
	if err != nil {
		return chosen{}, err
	}
	for _, b := range bad {
		warnings = append(warnings, sentence(b))
	}
	if c.SignerURL.Value != "" {
		s, err := chooseExternal(ctx, c, want, stored)
		if err != nil || s != nil {
			if len(stored) > 0 && want == nil {
				warnings = append(warnings, fmt.Sprintf("the keystore has %s too: --account chooses", accounts(stored)))
			}
			return chosen{s, FromExternal, nil, warnings}, err
		}
	}
	at, err := d.chooseStored(c, want, stored)
	if err != nil {
		return chosen{}, err
	}
	l := chain.NewLockedSigner(at.Address, d.opener(ks, at))
	return chosen{l, FromKeystore, l, warnings}, nil
}

// chooseSandbox takes the sandbox's own key, or one of its keystore that a flag names.
func (d *Deps) chooseSandbox(ks *chain.Keystore, key Secret, want *common.Address) (chosen, error) {
	s, err := chain.NewSandboxSigner(key.Reveal())
	if want == nil || err == nil && *want == s.Address() {
		return chosen{s, key.Source, nil, nil}, err
	}
	at, err := ks.Find(*want)
	if err != nil {
		return chosen{}, err
	}
	open := d.opener(ks, at)
	l := chain.NewLockedSigner(at.Address, func(ctx context.Context) (*chain.KeySigner, error) {
		k, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return k.SandboxOnly(), nil
	})
	return chosen{l, FromKeystore, l, nil}, nil
}

// keyWarnings are what a person should know about a key that lies in the clear.
func (d *Deps) keyWarnings(c *Config, key Secret, own common.Address, ks *chain.Keystore) []string {
	var out []string
	if key.Source == FromEnv {
		out = append(out, "the private key is in the environment, which every program that is started there reads: ape-claw wallet import keeps it encrypted")
	}
	stored, bad, err := ks.List()
	if err != nil {
		return append(out, sentence(err))
	}
	for _, b := range bad {
		out = append(out, sentence(b))
	}
	others := slices.DeleteFunc(stored, func(s chain.StoredKey) bool { return s.Address == own })
	switch {
	case len(others) > 0:
		out = append(out, fmt.Sprintf("the private key (from %s) of %s is used, not %s of the keystore: --account chooses", key.Source, own.Hex(), accounts(others)))
	case c.SignerURL.Value != "":
		out = append(out, fmt.Sprintf("the private key (from %s) of %s is used, not the signer of APE_CLAW_SIGNER_URL: --account chooses", key.Source, own.Hex()))
	}
	return out
}

// accounts names the accounts of keys, three at most.
func accounts(keys []chain.StoredKey) string {
	var out []string
	for _, k := range keys {
		if !slices.Contains(out, k.Address.Hex()) {
			out = append(out, k.Address.Hex())
		}
	}
	if len(out) > 3 {
		out = append(out[:3], fmt.Sprintf("%d more", len(out)-3))
	}
	return strings.Join(out, ", ")
}

// chooseExternal is nil where the account that is wanted is not the signer's. It asks
// for its accounts only if that decides anything: there a person may have to agree.
func chooseExternal(ctx context.Context, c *Config, want *common.Address, stored []chain.StoredKey) (chain.Signer, error) {
	e, err := chain.NewExternal(c.SignerURL.Value, chain.ExternalOptions{Ask: askSigner})
	if err != nil {
		return nil, err
	}
	inStore := want != nil && slices.ContainsFunc(stored, func(s chain.StoredKey) bool { return s.Address == *want })
	if want != nil && !inStore {
		return e.Of(*want), nil
	}
	has, err := e.Accounts(ctx)
	switch {
	case err != nil:
		return nil, err
	case want != nil && slices.Contains(has, *want):
		return e.Of(*want), nil
	case want != nil:
		return nil, nil
	case len(has) == 1:
		return e.Of(has[0]), nil
	case len(has) == 0:
		return nil, fault.New(fault.Auth, "the signer at %s has no account", e).Hintf("give it one").WithSent(fault.SentNo)
	}
	return nil, fault.New(fault.Auth, "the signer at %s has %d accounts, and none was chosen", e, len(has)).
		Hintf("--account %s, or export APE_CLAW_ACCOUNT", has[0].Hex()).WithSent(fault.SentNo)
}

func (d *Deps) chooseStored(c *Config, want *common.Address, stored []chain.StoredKey) (chain.StoredKey, error) {
	if want == nil && len(stored) > 0 {
		want = &stored[0].Address
		if i := slices.IndexFunc(stored, func(s chain.StoredKey) bool { return s.Address != *want }); i > 0 {
			return chain.StoredKey{}, fault.New(fault.Auth, "the keystore has several keys, and none was chosen: %s", accounts(stored)).
				Hintf("--account %s, or export APE_CLAW_ACCOUNT", stored[i].Address.Hex()).WithSent(fault.SentNo)
		}
	}
	if want == nil {
		return chain.StoredKey{}, d.errNoKey(c)
	}
	i := slices.IndexFunc(stored, func(s chain.StoredKey) bool { return s.Address == *want })
	if i < 0 {
		return chain.StoredKey{}, fault.New(fault.Auth, "there is no key of %s", want.Hex()).Hintf("ape-claw wallet list shows which there are").WithSent(fault.SentNo)
	}
	return stored[i], nil
}

func (d *Deps) keystore(c *Config) *chain.Keystore {
	return chain.NewKeystore(c.Home, c.IsSandbox(), d.host.Now)
}

// opener opens a key of the keystore with its password, when that is needed.
func (d *Deps) opener(ks *chain.Keystore, at chain.StoredKey) func(ctx context.Context) (*chain.KeySigner, error) {
	return func(ctx context.Context) (*chain.KeySigner, error) {
		password, _, err := d.password(ctx, "open the key of "+at.Address.Hex(), "password of "+at.Address.Hex()+" ("+store.Display(at.Path)+")")
		if err != nil {
			return nil, err
		}
		defer clear(password)
		return ks.Unlock(at, password)
	}
}
