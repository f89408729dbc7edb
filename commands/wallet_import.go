package commands

import (
	"context"
	"strings"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// WalletImportIn says where the key is, if it is not typed.
type WalletImportIn struct {
	File  string "json:\"file\" help:\"keystore `file` of geth, cast or ethers, or one with a key in hex; mode 0600\""
	KeyFD string "json:\"keyFd\" help:\"`number` of an open file descriptor to read the same from\""
}

// Check refuses two sources.
func (in WalletImportIn) Check() error {
	if in.File != "" && in.KeyFD != "" {
		return fault.New(fault.Usage, "--file and --key-fd both say where the key is").Hintf("leave out one of them")
	}
	return nil
}

// maxKeyText is more than any keystore file needs, in bytes.
const maxKeyText = 64 << 10

func newWalletImport() Command {
	return define(Spec{Name: "wallet import", Short: "Keep a key that there is, encrypted in this home",
		Long: `Keep a key in the home's keystore: one in hex, typed at the terminal without echo, or the
content of --file or --key-fd, which may be a keystore file too. Such a file is opened with its
password, and the key is kept under the same one.
` + walletPassword,
		Example: "  ape-claw wallet import\n  ape-claw wallet import --file ./keystore.json",
		Events:  []string{"wallet.key.saved"}, Offline: true, Risk: RiskHuman, Permission: "wallet:write", AI: Exposure{Class: AINever}, Human: HumanAlways},
		walletImport, printWalletKey)
}

func walletImport(ctx context.Context, d *Deps, in WalletImportIn) (WalletKeyOut, error) {
	raw, source, err := d.keyText(ctx, in)
	if err != nil {
		return WalletKeyOut{}, err
	}
	defer clear(raw)
	if chain.IsKeyFile(raw) {
		return d.importKeyFile(ctx, raw, source)
	}
	d.redactor().Add(strings.TrimSpace(string(raw)))
	s, err := chain.NewKeySigner(string(raw), source)
	if err != nil {
		return WalletKeyOut{}, err
	}
	defer s.Wipe()
	password, err := d.newPassword(ctx, "keep the key of "+s.Address().Hex())
	if err != nil {
		return WalletKeyOut{}, err
	}
	return d.keep(ctx, s, password, "hex")
}

// keyText is what holds the key, and what errors call it.
func (d *Deps) keyText(ctx context.Context, in WalletImportIn) (raw []byte, source string, err error) {
	switch {
	case in.File != "":
		raw, err = secretFile(in.File, maxKeyText)
		return raw, store.Display(in.File), err
	case in.KeyFD != "":
		if c, err := d.Config(); err == nil && c.PasswordFD.Value == in.KeyFD {
			return nil, "", fault.New(fault.Usage, "--key-fd and --password-fd name the same descriptor").Hintf("pass them by two")
		}
		raw, err = d.fromDescriptor("--key-fd", in.KeyFD, maxKeyText)
		return raw, "descriptor " + in.KeyFD, err
	}
	line, err := d.askSecret(ctx, "private key")
	return []byte(line), "the terminal", err
}

// importKeyFile keeps the key of a file under the password that opens it.
func (d *Deps) importKeyFile(ctx context.Context, raw []byte, source string) (WalletKeyOut, error) {
	password, typed, err := d.password(ctx, "open "+source, "password of "+source)
	if err != nil {
		return WalletKeyOut{}, err
	}
	defer clear(password)
	s, err := chain.DecryptKey(raw, source, password)
	if err != nil {
		return WalletKeyOut{}, err
	}
	defer s.Wipe()
	if !typed {
		if err := d.needTerminal(ctx, "keep the key of "+s.Address().Hex()); err != nil {
			return WalletKeyOut{}, err
		}
	}
	if len(password) < leastPassword {
		d.warn("the password has fewer than %d characters: whoever gets the file can try them all", leastPassword)
	}
	return d.keep(ctx, s, password, "keystore")
}
