package chain

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// scryptCost is how dear it is to try a password.
type scryptCost struct{ n, p int }

var (
	standardCost = scryptCost{keystore.StandardScryptN, keystore.StandardScryptP}
	lightCost    = scryptCost{keystore.LightScryptN, keystore.LightScryptP}
)

// What a file may ask of us to open it: no tool writes more, and a file is data that
// could ask for all memory there is, or an hour.
const (
	mostScryptMemory = 1 << 30 // 128·n·r
	mostScryptWork   = 1 << 25 // n·r·p; geth's own is 2^21
	mostPBKDF2       = 10_000_000
	leastPBKDF2      = 1_000
	leastScryptN     = 1 << 10
)

// keyFile is a keystore file that was checked: opening it neither panics nor takes
// more than the limits above.
type keyFile struct {
	address *common.Address // cast names none
	crypto  keystore.CryptoJSON
}

// IsKeyFile reports whether raw is a keystore file rather than a key in hex.
func IsKeyFile(raw []byte) bool {
	return strings.HasPrefix(strings.TrimSpace(string(raw)), "{")
}

// parseKeyFile reads a keystore file of version 3, as geth, cast and ethers write
// it. source is how errors call it; nothing of its content is in them.
func parseKeyFile(raw []byte, source string) (keyFile, error) {
	bad := func(cause error, format string, args ...any) (keyFile, error) {
		return keyFile{}, fault.Wrap(cause, fault.Auth, "%s %s", source, fmt.Sprintf(format, args...)).
			Hintf("restore it from where it was kept, or import the key again").WithSent(fault.SentNo)
	}
	var f struct {
		Address *string
		Version json.RawMessage
		Crypto  struct {
			Cipher       string
			CipherText   string
			CipherParams struct{ IV string }
			KDF          string
			KDFParams    struct {
				DKLen, N, R, P, C int
				PRF, Salt         string
			}
			MAC string
		}
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return bad(err, "is no keystore file")
	}
	if v := string(f.Version); v != "3" {
		return bad(nil, "is no keystore file of version 3")
	}
	c, p := f.Crypto, f.Crypto.KDFParams
	switch {
	case c.Cipher != "aes-128-ctr":
		return bad(nil, "is encrypted in another way than aes-128-ctr")
	case !isHexOf(c.CipherText, 32), !isHexOf(c.MAC, 32), !isHexOf(c.CipherParams.IV, 16), !isHexOf(p.Salt, -1), len(p.Salt) > 512, p.DKLen != 32:
		return bad(nil, "is damaged")
	}
	out := keyFile{crypto: keystore.CryptoJSON{Cipher: c.Cipher, CipherText: c.CipherText, KDF: c.KDF, MAC: c.MAC}}
	out.crypto.CipherParams.IV = c.CipherParams.IV
	switch c.KDF {
	case "scrypt":
		if p.N < leastScryptN || p.N&(p.N-1) != 0 || p.R < 1 || p.P < 1 || p.N > mostScryptWork || p.R > 1<<10 || p.P > 1<<10 ||
			128*p.N*p.R > mostScryptMemory || p.N*p.R*p.P > mostScryptWork {
			return bad(nil, "asks for a derivation of its key (scrypt) that no wallet makes")
		}
		out.crypto.KDFParams = map[string]any{"n": p.N, "r": p.R, "p": p.P, "dklen": p.DKLen, "salt": p.Salt}
	case "pbkdf2":
		if p.PRF != "hmac-sha256" || p.C < leastPBKDF2 || p.C > mostPBKDF2 {
			return bad(nil, "asks for a derivation of its key (pbkdf2) that no wallet makes")
		}
		out.crypto.KDFParams = map[string]any{"c": p.C, "prf": p.PRF, "dklen": p.DKLen, "salt": p.Salt}
	default:
		return bad(nil, "derives its key neither by scrypt nor by pbkdf2")
	}
	if f.Address != nil && *f.Address != "" {
		if !common.IsHexAddress(*f.Address) {
			return bad(nil, "is damaged: its address is none")
		}
		a := common.HexToAddress(*f.Address)
		out.address = &a
	}
	return out, nil
}

// isHexOf reports whether s is n bytes in hex; n < 0: one or more.
func isHexOf(s string, n int) bool {
	b, err := hex.DecodeString(s)
	return err == nil && (len(b) == n || n < 0 && len(b) > 0)
}

// DecryptKey opens a keystore file. source is how errors call it. A wrong password
// is a fault.Auth, and so is a file that is damaged or names another account than
// the one whose key it holds.
func DecryptKey(raw []byte, source string, password []byte) (*KeySigner, error) {
	f, err := parseKeyFile(raw, source)
	if err != nil {
		return nil, err
	}
	plain, err := keystore.DecryptDataV3(f.crypto, string(password))
	defer clear(plain)
	switch {
	case errors.Is(err, keystore.ErrDecrypt):
		return nil, fault.Wrap(err, fault.Auth, "the password does not open %s, or the file was changed", source).
			Hintf("try again; without its password a key can't be had back").WithSent(fault.SentNo)
	case err != nil:
		return nil, fault.Wrap(err, fault.Auth, "%s can't be opened", source).Hintf("restore it from where it was kept").WithSent(fault.SentNo)
	}
	s, err := signerOf(plain)
	if err != nil {
		return nil, fault.New(fault.Auth, "%s holds no valid secp256k1 key", source).Hintf("restore it from where it was kept").WithSent(fault.SentNo)
	}
	if f.address != nil && *f.address != s.addr {
		s.Wipe()
		return nil, fault.New(fault.Auth, "%s says that it is of %s and holds a key of another account", source, f.address.Hex()).
			Hintf("do not trust it: somebody changed it. Restore it from where it was kept").WithSent(fault.SentNo)
	}
	return s, nil
}

// encryptKey makes the keystore file of a signer's key.
func encryptKey(s *KeySigner, password []byte, cost scryptCost) ([]byte, error) {
	plain := crypto.FromECDSA(s.key)
	defer clear(plain)
	sealed, err := keystore.EncryptDataV3(plain, password, cost.n, cost.p)
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "the key could not be encrypted").WithSent(fault.SentNo)
	}
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // a random UUID: RFC 9562, version 4
	return json.Marshal(struct {
		Address string              `json:"address"`
		Crypto  keystore.CryptoJSON `json:"crypto"`
		ID      string              `json:"id"`
		Version int                 `json:"version"`
	}{hex.EncodeToString(s.addr[:]), sealed, fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:]), 3})
}
