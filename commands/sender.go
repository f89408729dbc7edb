package commands

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func (d *Deps) buyer() (common.Address, error) {
	s, err := d.signer()
	if err != nil {
		return common.Address{}, err
	}
	return s.Address(), nil
}

func (d *Deps) ledger(ctx context.Context) (*policy.Ledger, error) {
	db, err := d.moneyDB(ctx)
	if err != nil {
		return nil, err
	}
	return policy.NewLedger(db, d.host.Now), nil
}

// sender is the one path to the key.
func (d *Deps) sender(ctx context.Context) (*chain.Sender, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	db, err := d.moneyDB(ctx)
	if err != nil {
		return nil, err
	}
	client, err := d.client(ctx)
	if err != nil {
		return nil, err
	}
	signer, err := d.signer()
	if err != nil {
		return nil, err
	}
	rec, err := d.recorder()
	if err != nil {
		return nil, err
	}
	log, err := d.log()
	if err != nil {
		return nil, err
	}
	return chain.NewSender(chain.SenderOptions{
		DB: db, Home: cfg.Home, Client: client, Signer: signer, Ledger: policy.NewLedger(db, d.host.Now), Recorder: rec, Log: log, Now: d.host.Now,
		Restore: func(kind string, kept json.RawMessage) (chain.Story, error) {
			if kind != nft.StoryKind {
				return nil, fmt.Errorf("a transaction of kind %q is not known here", kind)
			}
			return nft.Restore(client, kept)
		},
		Warn:       d.warn,
		Reconsider: d.reconsider,
		Reprice:    d.reprice,
		Gate:       d.stillAllowed,
		RecorderFor: func(scope telemetry.Scope) chain.Recorder {
			return telemetry.NewRecorder(log, d.redactor(), d.host.Now, scope)
		},
	})
}

// stillAllowed is asked right before a signature and a broadcast: a person may have
// halted, or made a file unreadable, since the gates were passed.
func (d *Deps) stillAllowed(context.Context) error {
	src, err := d.sources()
	if err != nil {
		return err
	}
	f := policy.LoadFence(src)
	if len(f.Halt) > 0 {
		return fault.New(fault.Halted, "halted: %s", f.Halt[0]).Hintf("remove HALT from the home when the cause is gone").
			WithSent(fault.SentNo).With("gate", policy.GateHalt)
	}
	return f.Err
}

// openTransactions counts the transactions of the home without an outcome.
func (d *Deps) openTransactions(ctx context.Context) (int, error) {
	db, err := d.moneyDB(ctx)
	if err != nil {
		return 0, err
	}
	open, err := chain.OpenTxs(ctx, db, d.host.Now)
	return len(open), err
}
