package commands

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func bridgeCommands() []Command {
	return []Command{newBridgeQuote(), newBridgeExecute(), newBridgeStatus(), newBridgeResume()}
}

// bridge builds the operations over this run's dependencies. A transfer that it executes
// is confirmed by a person at the terminal, if so wanted.
func (d *Deps) bridge(ask bool) (*bridge.Service, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	return bridge.New(bridge.Deps{
		Now: d.host.Now, Recorder: d, Subject: "agent:" + cfg.Agent.Value, CLI: cfg.cli(), TraceID: cfg.TraceID.Value, Warn: d.warn, Ask: d.bridgeAsker(ask),
		Fence: func(context.Context) (policy.Fence, error) {
			src, err := d.sources()
			if err != nil {
				return policy.Fence{}, err
			}
			return policy.LoadFence(src), nil
		},
		State:   d.stateDB,
		Relay:   func(context.Context) (bridge.Relay, error) { return d.relay() },
		Account: d.buyer,
		Places:  d.bridgePlaces,
		Node:    func(ctx context.Context, id int64) (bridge.Node, error) { return d.clientOn(ctx, id) },
		Sender:  func(ctx context.Context, id int64) (bridge.Sender, error) { return d.senderOn(ctx, id, d.reconsider) },
		Ledger:  func(ctx context.Context) (bridge.Ledger, error) { return d.ledger(ctx) },
		Journal: d.journaled,
		Lines:   d.bridgeLines,
		Lock: func(ctx context.Context) (func(), error) {
			l, err := store.WaitLock(ctx, filepath.Join(cfg.StateDir, "bridge.lock"))
			if err != nil {
				return nil, err
			}
			return func() { _ = l.Unlock() }, nil // the end of the process does it else
		},
	}), nil
}

// relay is the bridge of the profile.
func (d *Deps) relay() (bridge.Relay, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	if cfg.SandboxErr != nil {
		return nil, cfg.SandboxErr
	}
	return bridge.NewClient(bridge.Options{BaseURL: cfg.RelayURL.Value, APIKey: market.Key(cfg.RelayKey.Reveal()), Transport: d.transport(), Now: d.host.Now, Rand: rand.Int64N})
}

// bridgePlaces are the chains that funds can go from and to: under the sandbox profile
// its own two.
func (d *Deps) bridgePlaces(rules *policy.Policy) []bridge.Place {
	cfg, err := d.Config()
	if err != nil || !cfg.IsSandbox() {
		return bridge.Places(rules.ChainID, rules.NativeToken)
	}
	places := []bridge.Place{{Name: "apechain", ID: rules.ChainID, Symbol: rules.NativeToken, Tokens: map[string]bridge.Token{}}}
	if cfg.Sandbox == nil || cfg.Sandbox.EthereumChainID == 0 {
		return places
	}
	places = append(places, bridge.Place{Name: "ethereum", ID: cfg.Sandbox.EthereumChainID, Symbol: "ETH", Tokens: map[string]bridge.Token{}})
	for _, c := range demo.Currencies(rules.ChainID) {
		for _, p := range places {
			if p.ID == c.ChainID && !c.Native() {
				p.Tokens[c.Symbol] = bridge.Token{Address: c.Address, Decimals: c.Decimals}
			}
		}
	}
	return places
}

// bridgeLines is the log, in the name of the run that quoted a transfer.
func (d *Deps) bridgeLines(traceID string) (bridge.Lines, error) {
	cfg, err := d.Config()
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
	scope := rec.Scope()
	if validID(traceID) {
		scope.TraceID = traceID
	}
	return lines{telemetry.NewRecorder(log, d.redactor(), d.host.Now, scope), []chain.LogReader{log, d.otherLog(cfg)}}, nil
}

// lines is a recorder that appends what it encoded once.
type lines struct {
	*telemetry.Recorder
	logs []chain.LogReader
}

func (l lines) AppendOnce(ctx context.Context, line []byte) error {
	return chain.AppendOnce(ctx, l.Recorder, l.logs, line)
}

// clientOn is client for another chain than the policy's too.
func (d *Deps) clientOn(ctx context.Context, chainID int64) (*chain.Client, error) {
	p, err := d.Policy()
	if err != nil {
		return nil, err
	}
	if chainID == p.ChainID {
		return d.client(ctx)
	}
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	url := cfg.Nodes[chainID]
	switch {
	case cfg.SandboxErr != nil:
		return nil, cfg.SandboxErr
	case cfg.IsSandbox() && chainID == cfg.Sandbox.EthereumChainID:
		url = Setting{cfg.Sandbox.EthereumRPCURL, FromSandbox}
	case cfg.IsSandbox() || url.Value == "":
		return nil, fault.New(fault.Usage, "no RPC URL is set for chain %d", chainID).Hintf("export RPC_URL_%d=https://HOST", chainID).WithSent(fault.SentNo)
	}
	return d.dial(ctx, url.Value, chainID)
}

// joinRequest is joinTrace for a request of the bridge.
func (d *Deps) joinRequest(ctx context.Context, id string) {
	d.joinTraceOf(ctx, func(db *sql.DB) string { return bridge.TraceOf(ctx, db, id) })
}

// BridgeQuoteOut is a saved request.
type BridgeQuoteOut struct {
	OK bool `json:"ok"`
	bridge.Request
	Next string `json:"next"`
}

func newBridgeQuote() Command {
	return define(Spec{Name: "bridge quote", Short: "Ask the bridge what moving funds to another chain would cost; sends nothing",
		Long: `Ask the bridge for a route, hold it against what was asked (account, chains, currencies,
amount, recipient, refund, contracts, exact approvals) and save it as a request, which
lives four minutes. The least that arrives is part of it: no route below that is taken
when it is executed.`,
		Example: "  ape-claw bridge quote --from ethereum --amount 0.05 --token ETH\n  ape-claw bridge quote --from apechain --to ethereum --amount 25 --min-out 0.004",
		Events:  []string{"bridge.quote.created", "policy.blocked"}, Risk: RiskWrite, Permission: "bridge:quote", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in bridge.QuoteIn) (BridgeQuoteOut, error) {
			s, err := d.bridge(false)
			if err != nil {
				return BridgeQuoteOut{}, err
			}
			r, err := s.Quote(ctx, in)
			return BridgeQuoteOut{OK: true, Request: r, Next: d.cli() + " bridge execute --request " + r.RequestID}, err
		},
		func(p *Printer, out BridgeQuoteOut) {
			p.Head("%s %s from %s to %s", out.Amount, clean(out.Token), clean(out.From), clean(out.To))
			p.KV(requestFacts(out.Request)...)
			p.List(cyan, "Next", []string{out.Next})
		})
}

// requestFacts are what people decide by.
func requestFacts(r bridge.Request) []string {
	show := func(c bridge.Currency, s string) string { return s + " " + clean(c.Symbol) }
	return []string{"request", r.RequestID, "arrives", show(r.Out, r.AmountOut.Decimal(r.Out.Decimals)), "at least", show(r.Out, r.MinAmountOut.Decimal(r.Out.Decimals)),
		"bridge keeps", r.FeeBPS.String(), "account", common.HexToAddress(r.Account).Hex(), "depository", common.HexToAddress(r.Depository).Hex(),
		"expires", r.ExpiresAt.UTC().Format("15:04:05 UTC")}
}

const (
	aboutBridgeExecute = "Propose to move funds to another chain, as a request of bridge_quote says. The card shows what leaves, what arrives at least, what the bridge keeps, " +
		"gas and daily caps. The funds arrive at the same account, or come back to it."
	aboutBridgeStatus = "What became of a transfer: the bridge and the chains are asked, and it is completed or refunded only when a chain shows that."
)

func newBridgeExecute() Command {
	return define(Spec{Name: "bridge execute", Short: "Move funds as a request says: a dry run, and with --execute for real",
		Long: `Tell what moving the funds of a request would do and which gates would refuse it; with
--execute send its transactions, one after the other: an exact approval where the token
needs one, and the deposit. Before each, a fresh route is asked for and held against the
request, simulated, and passed through every gate. At a terminal it asks for the phrase;
elsewhere --confirm gives it, as the dry run shows it. It ends when the deposit is in a
block. Whether the funds arrive, bridge status tells.`,
		Example: "  ape-claw bridge execute --request 0x…\n  ape-claw bridge execute --request 0x… --execute --confirm 'BRIDGE 0.05 ETH ethereum->apechain'",
		Events:  settling("bridge.execute.dry_run"), Risk: RiskHigh, Permission: "bridge:execute",
		AI: Exposure{Class: AITool, Grade: ai.GradeHigh, Identifiers: []string{"amount", "token", "from", "to"}, Untrusted: true, About: aboutBridgeExecute}},
		func(ctx context.Context, d *Deps, in bridge.ExecuteIn) (bridge.ExecuteOut, error) {
			d.joinRequest(ctx, in.Request)
			s, err := d.bridge(in.Execute && in.Confirm == "" && !in.Autonomous)
			if err != nil {
				return bridge.ExecuteOut{}, err
			}
			out, err := s.Execute(ctx, in)
			out.Next = d.inProfile(out.Next)
			return out, err
		},
		printBridgeExecute)
}

func printBridgeExecute(p *Printer, out bridge.ExecuteOut) {
	p.Head("%s", clean(out.Message))
	switch {
	case out.Action != nil:
		p.KV(bridgeActionFacts(*out.Action)...)
	default:
		p.KV("request", out.RequestID, "status", out.Status, "transactions", strings.Join(out.TxHashes, ", "))
	}
	for _, g := range out.WouldBlock {
		p.Line("  %s %s: %s", p.style(red, "refused"), g.Name, clean(g.Reason))
		if g.Change != "" {
			p.Line("    %s", clean(g.Change))
		}
	}
	if out.Next != "" {
		p.List(cyan, "Next", []string{out.Next})
	}
}

// bridgeAsker is asker for a transfer.
func (d *Deps) bridgeAsker(wanted bool) func(context.Context, bridge.Action) (string, error) {
	if !wanted {
		return nil
	}
	t, err := d.terminal("confirm")
	if err != nil || t.Close() != nil {
		return nil
	}
	return func(ctx context.Context, a bridge.Action) (string, error) {
		return d.askPhrase(ctx, a.Phrase, func(p *Printer) {
			p.Head("Move %s %s from %s to %s, for real", a.Amount, clean(a.Token), clean(a.From), clean(a.To))
			p.KV(bridgeActionFacts(a)...)
		})
	}
}

func bridgeActionFacts(a bridge.Action) []string {
	kv := []string{"leaves", fmt.Sprintf("%s %s on %s (chain %d)", a.Amount, clean(a.Token), clean(a.From), a.FromChain),
		"arrives", fmt.Sprintf("%s %s on %s (chain %d)", a.Expected, clean(a.Receives), clean(a.To), a.ToChain), "at least", fmt.Sprintf("%s %s", a.MinOut, clean(a.Receives)),
		"bridge keeps", a.FeeBPS.String(), "account", a.Account + " pays, receives, and is refunded", "depository", a.Depository,
		"gas at most", a.MaxFee.String() + " of the currency of " + clean(a.From)}
	if a.Approves {
		kv = append(kv, "approval", fmt.Sprintf("exactly %s %s for the depository, before the deposit", a.Amount, clean(a.Token)))
	}
	for _, c := range a.Caps {
		kv = append(kv, "daily cap", fmt.Sprintf("%s: %s of %s used, at most %s after", c.Name, c.Used, c.Limit, c.After))
	}
	return append(kv, "quote ends", a.Expires.UTC().Format("2006-01-02 15:04:05 UTC"))
}

// BridgeStatusIn adds how long to look.
type BridgeStatusIn struct {
	bridge.StatusIn
	Watch   bool   `json:"watch" ai:"operator" help:"ask until it has ended"`
	Timeout string `json:"timeout" ai:"operator" help:"how long --watch asks at most, such as 30s or 10m (default 15m)"`
}

// How often a watch asks, and how long.
const (
	pollBridge  = 2 * time.Second
	watchBridge = 15 * time.Minute
)

func newBridgeStatus() Command {
	return define(Spec{Name: "bridge status", Short: "Find out what became of a transfer",
		Long: `Ask the bridge about a transfer, and the chains whether what it says is so: it is completed
when the other chain shows at least the promised amount at the account, refunded when the
first one shows it back. What the bridge merely claims changes nothing. --watch asks until
it has ended. Exit status 4 means that it failed: it neither arrived nor came back.`,
		Example: "  ape-claw bridge status --request 0x…\n  ape-claw bridge status --request 0x… --watch",
		Events:  []string{"bridge.status.read", "bridge.execute.confirmed", "bridge.execute.refunded", "bridge.execute.failed"}, Risk: RiskWrite, Permission: "bridge:read",
		AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true, About: aboutBridgeStatus}},
		func(ctx context.Context, d *Deps, in BridgeStatusIn) (bridge.StatusOut, error) {
			wait := watchBridge
			if in.Timeout != "" {
				var err error
				if wait, err = time.ParseDuration(in.Timeout); err != nil || wait <= 0 {
					return bridge.StatusOut{}, fault.New(fault.Usage, "--timeout %q is no duration", shownArg(in.Timeout)).Hintf("ape-claw bridge status --request 0x… --watch --timeout 10m")
				}
			}
			d.joinRequest(ctx, in.Request)
			s, err := d.bridge(false)
			if err != nil {
				return bridge.StatusOut{}, err
			}
			if !in.Watch {
				out, err := s.Status(ctx, in.StatusIn)
				return d.bridgeStatus(out), err
			}
			ctx, cancel := context.WithTimeout(ctx, wait)
			defer cancel()
			out, err := s.Watch(ctx, in.StatusIn, pollBridge, func(o bridge.StatusOut) { d.progress("%s: %s", o.Status, clean(o.Message)) })
			return d.bridgeStatus(out), err
		},
		func(p *Printer, out bridge.StatusOut) {
			p.Head("%s: %s", out.Status, clean(out.Message))
			p.KV("request", out.RequestID, "from", out.Amount.String()+" "+clean(out.Token)+" on "+clean(out.From), "to", clean(out.To), "bridge says", clean(out.RelayStatus),
				"deposit", out.DepositTxHash, "settled by", out.DestinationTxHash)
			if out.Warning != "" {
				p.Line("%s", p.style(yellow, clean(out.Warning)))
			}
			if out.Next != "" {
				p.List(cyan, "Next", []string{out.Next})
			}
		})
}

func (d *Deps) bridgeStatus(out bridge.StatusOut) bridge.StatusOut {
	out.Next, out.Warning = d.inProfile(out.Next), d.inProfile(out.Warning)
	return out
}
