package commands

import (
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// fillKeys reads the settings of accounts and of what opens them.
func (r *resolver) fillKeys(c *Config) error {
	c.Account, c.SignerURL = r.get("account"), r.get("signer.url")
	c.PasswordFile, c.PasswordFD = r.get("password-file"), r.get("password-fd")
	if c.Account.Value == "" {
		return nil
	}
	a, ok := accountOf(c.Account.Value)
	if !ok {
		o := r.option("account")
		return fault.New(fault.Usage, "%s %q is no address: 0x and 40 hex digits are expected, with the right case where it is mixed", o.named(c.Account.Source), shownArg(c.Account.Value)).
			Hintf("ape-claw wallet list shows the accounts that there are")
	}
	c.Account.Value = a
	return nil
}

// accountOf reads an address. Where its case is mixed, it is a checksum (EIP-55) that
// must fit: an account that was mistyped is another one.
func accountOf(s string) (string, bool) {
	if !strings.HasPrefix(s, "0x") || !common.IsHexAddress(s) {
		return "", false
	}
	a, digits := common.HexToAddress(s).Hex(), s[2:]
	mixed := digits != strings.ToLower(digits) && digits != strings.ToUpper(digits)
	return a, !mixed || s == a
}
