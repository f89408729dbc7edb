package chain

import (
	"context"
	"fmt"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// mostNamed is how many open transactions an error names.
const mostNamed = 3

// named finds a transaction of the account on a chain by its id, or the hash of one of
// its forms, whatever its state. One that is not known, or not this account's on this
// chain, is told of as what it is.
func (s *Sender) named(ctx context.Context, chainID int64, tx string) (record, error) {
	rs, err := s.journal.query(ctx, `SELECT `+recordColumns+` FROM tx WHERE id = ? OR hash = ? OR id IN (SELECT tx_id FROM tx_replacement WHERE hash = ?)`,
		tx, strings.ToLower(tx), strings.ToLower(tx))
	if err != nil {
		return record{}, err
	}
	for _, r := range rs {
		if r.info.ChainID == chainID && r.info.From == s.Address() {
			return r, nil
		}
	}
	if len(rs) == 0 {
		return record{}, s.unknownTx(ctx, chainID, tx)
	}
	r := rs[0]
	what := fmt.Sprintf("transaction %s is %s, and was made", printable(tx), r.state)
	if r.info.ChainID != chainID {
		return record{}, fault.New(fault.ChainMismatch, "%s on chain %d, not on chain %d", what, r.info.ChainID, chainID).
			Hintf("run it with the profile, or the policy, of chain %d", r.info.ChainID).WithSent(fault.SentNo).With("chainId", r.info.ChainID).With("state", r.state)
	}
	return record{}, fault.New(fault.Auth, "%s by %s, and this key is that of %s", what, r.info.From.Hex(), s.Address().Hex()).
		Hintf("use the key of that account: nft commands and v2 commands may have one each").WithSent(fault.SentNo).With("account", lower(r.info.From)).With("state", r.state)
}

// unknownTx says that no transaction goes by that name here, and which are open.
func (s *Sender) unknownTx(ctx context.Context, chainID int64, tx string) error {
	open, err := s.journal.open(ctx, chainID, s.Address())
	if err != nil {
		return err
	}
	f := fault.New(fault.NotFound, "no transaction that was made with this home and profile has id or hash %s", printable(tx)).WithSent(fault.SentNo)
	if len(open) == 0 {
		return f.Hintf("nothing is open here; one of another profile is settled with that: --profile sandbox, or --profile apechain")
	}
	names := []string{}
	for _, r := range open[:min(len(open), mostNamed)] {
		name := r.id
		if r.hashed {
			name = r.wonForm().info.Hash.Hex()
		}
		names = append(names, name)
	}
	f.With("open", names)
	return f.Hintf("%d are open here, such as %s: ape-claw nft resume", len(open), strings.Join(names, ", "))
}
