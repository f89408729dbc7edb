package chain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// A throwaway key: 32 bytes of 0x11.
var testKey = strings.Repeat("11", 32)

func TestKeySignerRefuses(t *testing.T) {
	t.Parallel()
	order := "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
	for _, c := range []struct{ key, says string }{
		{"", "is empty"},
		{strings.Repeat("11", 31), "has 31 bytes; expected 32"},
		{strings.Repeat("11", 33), "has 33 bytes; expected 32"},
		{strings.Repeat("1", 63), "has 63 hex digits; expected 64"},
		{strings.Repeat("zz", 32), "is not hex"},
		{"abandon ability able about above absent absorb abstract absurd abuse access accident", "is not hex"},
		{strings.Repeat("00", 32), "not a valid secp256k1 key"},
		{order, "not a valid secp256k1 key"},
		{strings.Repeat("ff", 32), "not a valid secp256k1 key"},
	} {
		_, err := chain.NewKeySigner(c.key, "100%s")
		if fault.CodeOf(err) != fault.Auth || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "from 100%s ") {
			t.Errorf("%d characters: %v, want auth saying %q", len(c.key), err, c.says)
		}
		if err != nil && c.key != "" && strings.Contains(fmt.Sprintf("%v %v %v", err, fault.From(err).Hint, fault.From(err).Err), c.key) {
			t.Errorf("the error shows the key: %v", err)
		}
	}
	for _, key := range []string{testKey, "0x" + testKey, "0X" + strings.ToUpper(testKey), " " + testKey + "\n"} {
		s, err := chain.NewKeySigner(key, "the test")
		if err != nil {
			t.Fatal(err)
		}
		if want := common.HexToAddress("0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"); s.Address() != want {
			t.Errorf("address %s, want %s", s.Address(), want)
		}
	}
}

// TestSignerPrintsNoKey looks for the key in every way a value gets printed.
func TestSignerPrintsNoKey(t *testing.T) {
	t.Parallel()
	s, err := chain.NewKeySigner(testKey, "the test")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "signer", s, "in", struct{ S *chain.KeySigner }{s})
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "signer", s, "in", struct{ S *chain.KeySigner }{s})
	j, err := json.Marshal(map[string]any{"s": s})
	if err != nil {
		t.Fatal(err)
	}
	all := log.String() + string(j)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		all += fmt.Sprintf(verb, s) + fmt.Sprintf(verb, *s) + fmt.Sprintf(verb, struct{ S chain.Signer }{s})
	}
	number, _ := new(big.Int).SetString(testKey, 16)
	for _, spelling := range []string{testKey, number.String(), "17 17 17 17", strings.Repeat("31", 20)} {
		if strings.Contains(all, spelling) {
			t.Errorf("the key is printed as %s", spelling)
		}
	}
}

func TestSandboxSigner(t *testing.T) {
	t.Parallel()
	s, err := chain.NewSandboxSigner(testKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id *big.Int
		ok bool
	}{
		{big.NewInt(7733139), true}, {big.NewInt(7700001), true},
		{big.NewInt(33139), false}, {big.NewInt(33111), false}, {big.NewInt(1), false}, {big.NewInt(0), false},
		{new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 64), big.NewInt(7733139)), false},
	} {
		tx := types.NewTx(&types.DynamicFeeTx{ChainID: c.id, Gas: 21000, To: &common.Address{1}, GasFeeCap: big.NewInt(1), GasTipCap: big.NewInt(1)})
		signed, err := s.SignTx(t.Context(), tx, c.id)
		if (err == nil) != c.ok {
			t.Errorf("chain %s: %v", c.id, err)
		}
		if !c.ok && (signed != nil || fault.CodeOf(err) != fault.ChainMismatch) {
			t.Errorf("chain %s: signed %v, %v", c.id, signed, err)
		}
	}
}
