package commands

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
)

func (d *Deps) buyer(ctx context.Context) (common.Address, error) {
	s, err := d.signer(ctx)
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
	return d.senderAgain(ctx, d.reconsider)
}

// senderAgain is sender, with the word on sending the same bytes again.
func (d *Deps) senderAgain(ctx context.Context, again v2.Again) (*chain.Sender, error) {
	p, err := d.Policy()
	if err != nil {
		return nil, err
	}
	return d.senderOn(ctx, p.ChainID, again)
}

// senderOn is senderAgain for another chain than the policy's too.
func (d *Deps) senderOn(ctx context.Context, chainID int64, again v2.Again) (*chain.Sender, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	db, err := d.moneyDB(ctx)
	if err != nil {
		return nil, err
	}
	client, err := d.clientOn(ctx, chainID)
	if err != nil {
		return nil, err
	}
	signer, err := d.unlocked(ctx)
	if err != nil {
		return nil, err
	}
	rec, err := d.recorder()
	if err != nil {
		return nil, err
	}
	log, err := d.journal()
	if err != nil {
		return nil, err
	}
	return chain.NewSender(chain.SenderOptions{
		DB: db, Home: cfg.Home, Client: client, Signer: signer, Ledger: policy.NewLedger(db, d.host.Now), Recorder: rec, Log: log, Now: d.host.Now,
		Others: []chain.LogReader{d.otherLog(cfg)},
		Restore: func(kind string, kept json.RawMessage) (chain.Story, error) {
			switch {
			case kind == nft.StoryKind:
				return nft.Restore(client, kept)
			case kind == bridge.StoryKind:
				return bridge.Restore(kept)
			case v2.IsStory(kind):
				return v2.Restore(client, kind, kept)
			}
			return nil, fmt.Errorf("a transaction of kind %q is not known here", kind)
		},
		Warn:       d.warn,
		Reconsider: again,
		Reprice:    d.reprice,
		Gate:       d.stillAllowed,
		RecorderFor: func(scope telemetry.Scope) chain.Recorder {
			return telemetry.NewRecorder(log, d.redactor(), d.host.Now, scope)
		},
	})
}

// settleOwn settles those of the account's transactions whose keys are mine.
func (d *Deps) settleOwn(ctx context.Context, chainID int64, mine func(key string) bool, again v2.Again) (kept []error, err error) {
	sender, err := d.senderAgain(ctx, again)
	if err != nil {
		return nil, err
	}
	open, err := sender.Recover(ctx, chainID)
	if err != nil {
		return nil, err
	}
	for _, tx := range open {
		if !mine(tx.Key) {
			continue
		}
		got, err := sender.Resume(ctx, chain.ResumeIn{ChainID: chainID, Tx: tx.ID, Await: true})
		kept = append(kept, got.Kept...)
		if err != nil {
			return kept, err
		}
	}
	return kept, nil
}

// reconsider is the word on sending the same bytes again, of whom they are.
func (d *Deps) reconsider(ctx context.Context, story chain.Story, tx policy.Tx) error {
	s, err := d.teller(ctx, story)
	if err != nil {
		return err
	}
	return s.Reconsider(ctx, story, tx)
}

// reprice is that on sending the same with a higher fee.
func (d *Deps) reprice(ctx context.Context, story chain.Story, tx policy.Tx) error {
	s, err := d.teller(ctx, story)
	if err != nil {
		return err
	}
	return s.Reprice(ctx, story, tx)
}

// teller is whose stories are of a kind.
func (d *Deps) teller(ctx context.Context, story chain.Story) (interface {
	Reconsider(ctx context.Context, story chain.Story, tx policy.Tx) error
	Reprice(ctx context.Context, story chain.Story, tx policy.Tx) error
}, error) {
	switch {
	case story.Kind() == bridge.StoryKind:
		return d.bridge(false)
	case v2.IsStory(story.Kind()):
		return d.v2(ctx)
	}
	return d.nft("")
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
