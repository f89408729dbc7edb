package chain_test

import (
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// A transaction that is named is found by id and by hash, open or settled; one that is
// not known, or another account's or chain's, is told of as that.
func TestResumeNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kill(t, w, "persisted")
	open := func(change func(*chain.SenderOptions)) *rig {
		t.Helper()
		r, err := openRig(t.Context(), w.url, w.home, "b", change)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := open(func(*chain.SenderOptions) {})
	list, err := r.Recover(t.Context(), chainID)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	tx := list[0]
	other, err := chain.NewSandboxSigner(otherKey)
	if err != nil {
		t.Fatal(err)
	}
	stranger := open(func(o *chain.SenderOptions) { o.Signer = other })
	unknown := "0x" + strings.Repeat("ab", 32)
	for _, c := range []struct {
		what string
		by   *rig
		in   chain.ResumeIn
		want fault.Code
		says string
	}{
		{"an unknown hash", r, chain.ResumeIn{ChainID: chainID, Tx: unknown}, fault.NotFound, tx.Hash},
		{"an unknown id", r, chain.ResumeIn{ChainID: chainID, Tx: "tx_0"}, fault.NotFound, tx.Hash},
		{"nothing open", stranger, chain.ResumeIn{ChainID: chainID, Tx: unknown}, fault.NotFound, "nothing is open"},
		{"another account's", stranger, chain.ResumeIn{ChainID: chainID, Tx: tx.Hash}, fault.Auth, tx.Account.Hex()},
		{"another chain's", r, chain.ResumeIn{ChainID: 33139, Tx: tx.ID}, fault.ChainMismatch, "7733139"},
		{"by hash", r, chain.ResumeIn{ChainID: chainID, Tx: strings.ToUpper(tx.Hash[2:])}, fault.NotFound, tx.Hash},
	} {
		_, err := c.by.Resume(t.Context(), c.in)
		f := fault.From(err)
		if fault.CodeOf(err) != c.want || !strings.Contains(f.Message+" "+f.Hint, c.says) || f.Sent != fault.SentNo {
			t.Errorf("%s: %v (%s; %s), want %s with %q", c.what, err, f.Code, f.Hint, c.want, c.says)
		}
		if c.in.ChainID != chainID {
			continue
		}
		if _, err := c.by.PrepareReplacement(t.Context(), chainID, chain.ResumeCancel, c.in.Tx); fault.CodeOf(err) != c.want {
			t.Errorf("to replace %s: %v, want %s", c.what, err, c.want)
		}
	}
	for _, name := range []string{tx.ID, tx.Hash, strings.ToUpper(tx.Hash[2:])} {
		if !strings.HasPrefix(name, "tx_") {
			name = "0x" + strings.TrimPrefix(name, "0x")
		}
		// It stays open, since nothing here says that it may be sent again.
		if out, err := r.Resume(t.Context(), chain.ResumeIn{ChainID: chainID, Tx: name}); err != nil || len(out.Open) != 1 || out.Open[0].ID != tx.ID {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
	if _, err := r.replace(t.Context(), chain.ResumeCancel); err != nil {
		t.Fatal(err)
	}
	// Settled before: it is told what became of it, again.
	for range 2 {
		out, err := r.Resume(t.Context(), chain.ResumeIn{ChainID: chainID, Tx: tx.Hash})
		if err != nil || len(out.Open) != 0 || len(out.Settled) != 1 || out.Settled[0].State != chain.StateCancelled {
			t.Errorf("%+v, %v", out, err)
		}
	}
	if _, err := r.PrepareReplacement(t.Context(), chainID, chain.ResumeCancel, tx.Hash); fault.CodeOf(err) != fault.NotFound || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("to replace what is settled: %v", err)
	}
}
