package commands

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// v2Commands are the commands of the v2 contracts.
func v2Commands() []Command {
	return slices.Concat(v2DeployCommands(), v2SkillCommands(), v2IntentCommands(), v2ReceiptCommands(), v2VaultCommands(), v2AgentCommands(), v2ResumeCommands())
}

func v2SkillCommands() []Command {
	return append([]Command{newV2SkillMint(), newV2SkillPublish()}, v2SkillReadCommands()...)
}

// settling are the events of a command that sends, own first: such a command may be
// refused by policy, and settles before it sends what earlier runs left, of whatever
// kind.
func settling(own ...string) []string {
	return append(append(own, "policy.blocked"), settledEvents()...)
}

// settledEvents are those that tell what became of a transaction of any kind.
func settledEvents() []string {
	return []string{
		"nft.buy.submitted", "nft.buy.confirmed", "nft.buy.reverted", "nft.buy.unknown", "nft.buy.replacing", "nft.buy.cancelled", "nft.buy.replaced",
		"bridge.execute.submitted", "bridge.execute.failed", "bridge.tx.mined", "bridge.tx.unknown", "bridge.tx.replacing", "bridge.tx.cancelled", "bridge.tx.replaced",
		"v2.skill.minted", "v2.skill.version.published", "v2.intent.created", "v2.intent.cancelled", "v2.receipt.recorded", "v2.vault.release",
		"v2.agent.execute", "v2.contract.deployed", "v2.policy.set",
		"v2.tx.submitted", "v2.tx.reverted", "v2.tx.unknown", "v2.tx.replacing", "v2.tx.cancelled", "v2.tx.replaced",
	}
}

// v2Settings are the settings that hold the contracts' addresses.
var v2Settings = map[v2.Name]string{
	contracts.SkillNFT: "v2.skillNft", contracts.SkillRegistry: "v2.skillRegistry", contracts.IntentRegistry: "v2.intentRegistry",
	contracts.ReceiptRegistry: "v2.receiptRegistry", contracts.PolicyEngine: "v2.policyEngine", contracts.AgentAccount: "v2.agentAccount",
	contracts.PodVault: "v2.podVault", contracts.SwapModule: "v2.swapModule", contracts.BridgeModule: "v2.bridgeModule", contracts.NftBuyModule: "v2.nftBuyModule",
}

// fillV2 reads the settings of v2 commands.
func (r *resolver) fillV2(c *Config) {
	c.V2Key, c.V2RPC, c.V2 = r.secret("v2.private-key"), r.get("v2.rpc"), map[v2.Name]Setting{}
	for name, key := range v2Settings {
		if s := r.get(key); s.Value != "" {
			s.Source = r.option(key).named(s.Source)
			c.V2[name] = s
		}
	}
}

// isV2 reports whether the key and the RPC URL of v2 commands hold for this run:
// for the commands themselves, and for serve, which only reads.
func (d *Deps) isV2() bool {
	return strings.HasPrefix(d.spec.Name, "v2 ") || d.spec.Name == "serve" || d.spec.Name == "skill install" || d.spec.Name == "skill mint"
}

// v2Flag is a flag that gives a contract's address; an empty address is none.
type v2Flag struct {
	name    v2.Name
	flag    string // "--skill-nft"
	address string
}

// v2 builds the operations over this run's dependencies.
func (d *Deps) v2(ctx context.Context, flags ...v2Flag) (*v2.Service, error) {
	return d.v2Asking(ctx, v2.Go{}, flags...)
}

// v2Asking is v2 for a write, which a person at the terminal confirms where nothing
// else does.
func (d *Deps) v2Asking(_ context.Context, g v2.Go, flags ...v2Flag) (*v2.Service, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	named := map[v2.Name]v2.Address{}
	for name, s := range cfg.V2 {
		named[name] = v2.Address{Address: s.Value, From: s.Source}
	}
	for _, f := range flags {
		if f.address != "" {
			named[f.name] = v2.Address{Address: f.address, From: f.flag}
		}
	}
	return v2.New(v2.Deps{
		Now: d.host.Now, Recorder: d, Subject: "agent:" + cfg.Agent.Value, AgentID: cfg.Agent.Value, TraceID: cfg.TraceID.Value, CLI: cfg.cli(),
		Named: named, Records: filepath.Join(cfg.StateDir, "v2-deployments"), Warn: d.warn, Progress: d.progress,
		Ask: d.v2Asker(g.Execute && g.Confirm == "" && !g.Autonomous),
		Fence: func(context.Context) (policy.Fence, error) {
			src, err := d.sources()
			if err != nil {
				return policy.Fence{}, err
			}
			return policy.LoadFence(src), nil
		},
		Log: func(context.Context) (v2.Log, error) {
			log, err := d.journal()
			if err != nil {
				return nil, err
			}
			return log, nil
		},
		Purchases: purchases{d},
		Chain:     func(ctx context.Context) (v2.Chain, error) { return d.client(ctx) },
		Account:   d.buyer,
		Sender:    func(ctx context.Context) (v2.Sender, error) { return d.sender(ctx) },
		Ledger:    func(ctx context.Context) (v2.Ledger, error) { return d.ledger(ctx) },
		Journal:   d.journaled,
		Settle:    d.settleOwn,
	}), nil
}

// v2Asker is asker for a v2 write.
func (d *Deps) v2Asker(wanted bool) func(context.Context, v2.Action) (string, error) {
	if !wanted {
		return nil
	}
	t, err := d.terminal("confirm")
	if err != nil || t.Close() != nil {
		return nil
	}
	return func(ctx context.Context, a v2.Action) (string, error) {
		return d.askPhrase(ctx, a.Phrase, func(p *Printer) { printV2Action(p, a) })
	}
}
