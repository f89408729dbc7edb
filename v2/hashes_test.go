package v2_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/canon"
)

// vectors were written by another implementation (tests/hashes).
type vectors struct {
	Documents []struct {
		JSON, Canonical string
		Hash            common.Hash
	}
	Refused     []string
	VersionHash []hashed
	TraceIDHash []hashed
	SubjectHash []hashed
	ReceiptHash []struct {
		Subject, Payload string
		Hash             common.Hash
	}
}

type hashed struct {
	Text string
	Hash common.Hash
}

func TestHashesAreThoseOfTheOtherImplementation(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/hashes.json")
	if err != nil {
		t.Fatal(err)
	}
	var want vectors
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	if len(want.Documents) < 70 || len(want.Refused) < 30 || len(want.ReceiptHash) < 20 {
		t.Fatalf("%d documents, %d refused, %d receipts", len(want.Documents), len(want.Refused), len(want.ReceiptHash))
	}
	for _, d := range want.Documents {
		text, err := canon.JSON([]byte(d.JSON))
		if err != nil || string(text) != d.Canonical {
			t.Errorf("%s: %s, %v; want %s", d.JSON, text, err, d.Canonical)
		}
		if hash, err := canon.Hash([]byte(d.JSON)); err != nil || hash != d.Hash {
			t.Errorf("%s: hash %s, %v; want %s", d.JSON, hash, err, d.Hash)
		}
	}
	for _, text := range want.Refused {
		if got, err := canon.JSON([]byte(text)); err == nil {
			t.Errorf("%q was taken for %s", text, got)
		}
	}
	for name, each := range map[string]struct {
		of   func(string) common.Hash
		want []hashed
	}{
		"version": {v2.VersionHash, want.VersionHash}, "trace": {v2.TraceIDHash, want.TraceIDHash}, "subject": {v2.SubjectHash, want.SubjectHash},
	} {
		if len(each.want) == 0 {
			t.Errorf("%s: no vectors", name)
		}
		for _, w := range each.want {
			if got := each.of(w.Text); got != w.Hash {
				t.Errorf("%s %q: %s, want %s", name, w.Text, got, w.Hash)
			}
		}
	}
	for _, w := range want.ReceiptHash {
		if got, err := v2.ReceiptHash(w.Subject, []byte(w.Payload)); err != nil || got != w.Hash {
			t.Errorf("receipt of %q and %s: %s, %v; want %s", w.Subject, w.Payload, got, err, w.Hash)
		}
	}
}

// A payload that is no document of its own must not reach into the receipt.
func TestReceiptPayloadStaysInside(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{``, `{}},"x":{}`, `1,"subject":"agent:other"`, `{"a":1}}`, `1 /`} {
		if content, err := v2.ReceiptContent("agent:a", []byte(payload)); err == nil {
			t.Errorf("%s made %s", payload, content)
		}
	}
}
