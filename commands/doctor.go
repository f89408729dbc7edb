package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/forward"
)

// DoctorIn has no flags.
type DoctorIn struct{}

// DoctorOut is what doctor found. Issues make it fail; warnings do not.
type DoctorOut struct {
	OK        bool            `json:"ok"`
	Issues    []string        `json:"issues"`
	Warnings  []string        `json:"warnings"`
	ChainID   int64           `json:"chainId"`
	Profile   string          `json:"profile"`
	Agent     DoctorAgent     `json:"agent"`
	Market    DoctorMarket    `json:"market"`
	Bridge    DoctorBridge    `json:"bridge"`
	Execution DoctorExecution `json:"execution"`
	State     DoctorState     `json:"state"`
	NextSteps []string        `json:"nextSteps"`
	// Forwarding is how it stands with the remote server, where there is one.
	Forwarding *forward.Status `json:"forwarding,omitempty"`
}

// DoctorAgent is who the events are from.
type DoctorAgent struct {
	AgentID       string `json:"agentId"`
	Source        string `json:"source"`
	TokenProvided bool   `json:"tokenProvided"`
}

// DoctorMarket is how the marketplace is reached.
type DoctorMarket struct {
	DataSource            string `json:"dataSource"`
	OpenSeaAPIKeyProvided bool   `json:"openseaApiKeyProvided"`
	OpenSeaAPIKeySource   string `json:"openseaApiKeySource,omitempty"`
	Proxied               bool   `json:"proxied,omitempty"` // another serve asks the marketplace
	Collections           int    `json:"collections"`
}

// DoctorBridge is how the bridge is reached.
type DoctorBridge struct {
	Provider            string `json:"provider"`
	RelayAPIKeyProvided bool   `json:"relayApiKeyProvided"`
	// Chains are those that funds can leave or reach from here, by name: with a node.
	Chains []string `json:"chains"`
	// Pending is how many transfers of this state directory have no end yet.
	Pending int `json:"pending"`
}

// DoctorExecution is what can be done now.
type DoctorExecution struct {
	ReadOnlyReady      bool   `json:"readOnlyReady"`
	ExecuteReady       bool   `json:"executeReady"`
	PrivateKeyProvided bool   `json:"privateKeyProvided"`
	PrivateKeySource   string `json:"privateKeySource,omitempty"`
	Address            string `json:"address,omitempty"`
	// Signer is who would sign, where there is one.
	Signer           *DoctorSigner `json:"signer,omitempty"`
	RPCOK            bool          `json:"rpcOk"`
	RPCSource        string        `json:"rpcSource"`
	LatestBlock      *uint64       `json:"latestBlock"`
	Halted           []string      `json:"halted,omitempty"`
	DailySpendCapAPE string        `json:"dailySpendCapApe"`
	MaxPricePerTxAPE string        `json:"maxPricePerTxApe"`
	OpenTransactions int           `json:"openTransactions"`
}

// DoctorState is where things lie, as people may see it.
type DoctorState struct {
	Home     string   `json:"home"`
	StateDir string   `json:"stateDir"`
	Policy   []string `json:"policy"`
	// PolicyFiles are the same with their roles and what holds because of each.
	PolicyFiles []policy.FileReport `json:"policyFiles"`
	Fence       DoctorFence         `json:"fence"`
}

// Failure makes doctor exit 13 when it found an issue.
func (o DoctorOut) Failure() error {
	if o.OK {
		return nil
	}
	return fault.New(fault.ChecksFailed, "doctor found an issue")
}

func newDoctor() Command {
	return define(Spec{Name: "doctor", Short: "Check the set-up and say what is missing or wrong", Anywhere: true,
		Long: `Check the set-up: that the RPC answers with the right chain id, policy and allowlist
parse, home and state are private and writable, and the key is a valid key. Something
wrong is an issue and exits 13; something missing is a warning that names the fix.`,
		Events: []string{"doctor.ran"}, Risk: RiskRead, Permission: "system:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		doctor, printDoctor)
}

func doctor(ctx context.Context, d *Deps, _ DoctorIn) (DoctorOut, error) {
	out := d.examine(ctx)
	if err := ctx.Err(); err != nil {
		return out, err // what was found after the interrupt says nothing
	}
	if _, err := d.Config(); isCode(err, fault.Usage) {
		return out, err
	} else if err != nil {
		return out, nil // nowhere known to record it
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "doctor.ran", ChainID: out.ChainID, Result: map[string]any{
		"ok": out.OK,
		"checks": map[string]any{"issues": out.Issues, "warnings": out.Warnings, "rpcOk": out.Execution.RPCOK,
			"readOnlyReady": out.Execution.ReadOnlyReady, "executeReady": out.Execution.ExecuteReady}}})
}

// examine checks everything that doctor names and records nothing.
func (d *Deps) examine(ctx context.Context) DoctorOut {
	r := &checkup{d: d, out: DoctorOut{Issues: []string{}, Warnings: []string{}, NextSteps: []string{}}}
	cfg, err := d.Config()
	if err != nil {
		r.issue("%s", sentence(err))
		return r.out
	}
	if cfg.SandboxErr != nil {
		r.issue("%s", sentence(cfg.SandboxErr))
		r.next("ape-claw sandbox up --detach")
	}
	r.identity(cfg)
	r.dirs(cfg)
	r.policy(cfg)
	r.key(ctx, cfg)
	r.rpc(ctx)
	r.market(cfg)
	r.money(ctx, cfg)
	r.bridge(ctx, cfg)
	r.serve(ctx)
	r.forwarding(ctx, cfg)
	r.conclude(cfg)
	return r.out
}

// checkup collects what doctor finds.
type checkup struct {
	d       *Deps
	out     DoctorOut
	pol     *policy.Policy
	keyOK   bool
	homeOK  bool
	stateOK bool
}

func (r *checkup) issue(format string, args ...any) {
	r.out.Issues = append(r.out.Issues, fmt.Sprintf(format, args...))
}

func (r *checkup) warn(format string, args ...any) {
	r.out.Warnings = append(r.out.Warnings, fmt.Sprintf(format, args...))
}

func (r *checkup) next(step string) { r.out.NextSteps = append(r.out.NextSteps, step) }

// sentence is an error and its hint on one line.
func sentence(err error) string {
	e := fault.From(err)
	if e.Hint != "" {
		return e.Message + " (" + e.Hint + ")"
	}
	return e.Message
}

func (r *checkup) identity(cfg *Config) {
	r.out.Profile = cfg.Profile
	r.out.Agent = DoctorAgent{AgentID: cfg.Agent.Value, Source: cfg.Agent.Source, TokenProvided: cfg.AgentToken.Set()}
	if cfg.Agent.Source != FromDefault && !cfg.AgentToken.Set() && cfg.TelemetryURL.Value == "" {
		r.warn("agent %s has no token: events can't be forwarded under its name", cfg.Agent.Value)
		r.next("ape-claw auth set --agent-token …")
	}
}

func (r *checkup) dirs(cfg *Config) {
	r.out.State = DoctorState{Home: store.Display(cfg.UserHome), StateDir: store.Display(cfg.StateDir), Policy: []string{}, PolicyFiles: []policy.FileReport{}}
	// Of the state directory others may read the names: the files in it are private.
	r.homeOK = r.dir("home", "--home", cfg.Home, 0o077)
	r.stateOK = r.dir("state directory", "--state-dir", cfg.StateDir, 0o022)
	if log, err := r.d.journal(); r.stateOK && err == nil {
		if err := log.Usable(); err != nil {
			r.issue("event log: %s", sentence(err))
		}
	}
	for _, path := range []string{store.ProfilePath(cfg.Home), filepath.Join(cfg.Home, store.MoneyFile), filepath.Join(cfg.StateDir, store.StateFile)} {
		if loose := store.LooseMode(path); loose != "" {
			r.warn("%s", loose)
		}
	}
}

// dir checks a directory that may not exist yet: then its parent must let us make it.
// flag names another one; loose is what others must not be allowed.
func (r *checkup) dir(name, flag, path string, loose fs.FileMode) bool {
	err := store.CheckDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		parent := filepath.Dir(path)
		for {
			if _, statErr := os.Stat(parent); statErr == nil || parent == filepath.Dir(parent) {
				break
			}
			parent = filepath.Dir(parent)
		}
		if parentErr := store.CheckDir(parent); parentErr == nil {
			err = nil
		} else {
			err = fault.Wrap(parentErr, fault.StateUnusable, "%s can't be made: %s", store.Display(path), fault.From(parentErr).Message).
				Hintf("choose another directory with %s", flag)
		}
	}
	if err != nil {
		r.issue("%s: %s", name, sentence(err))
		return false
	}
	if fi, err := os.Stat(path); err == nil && fi.Mode().Perm()&loose != 0 {
		r.warn("%s", store.LooseMode(path))
	}
	return true
}

func (r *checkup) policy(cfg *Config) {
	pol, err := r.d.Policy()
	if err != nil {
		r.issue("%s", sentence(err))
	} else {
		r.pol = pol
		r.out.ChainID = pol.ChainID
		r.out.State.Policy = append(r.out.State.Policy, pol.Files...)
		r.out.Bridge.Provider = pol.Bridge.Provider
		r.out.Execution.DailySpendCapAPE = pol.Execution.DailySpendCap.Decimal(units.APEDecimals)
		r.out.Execution.MaxPricePerTxAPE = pol.NFTBuy.MaxPricePerTx.Decimal(units.APEDecimals)
		for _, w := range pol.Warnings {
			r.warn("%s", w)
		}
	}
	if list, err := r.d.Allowlist(); err != nil {
		r.issue("%s", sentence(err))
	} else {
		for _, w := range list.Warnings {
			r.warn("%s", w)
		}
		for _, e := range list.Entries() {
			if e.Enabled {
				r.out.Market.Collections++
			}
		}
	}
	causes := policy.Halted(cfg.Home)
	if r.out.Execution.Halted = causes; len(causes) > 0 {
		r.warn("halted by %s: nothing can be spent", joinWords(causes))
		r.next(r.d.cli() + " policy unhalt")
	}
	r.fence(cfg)
}

func (r *checkup) rpc(ctx context.Context) {
	url, err := r.d.rpcURL()
	if err != nil {
		return // the policy's issue is told already
	}
	r.out.Execution.RPCSource = url.Source
	info, mismatch, err := r.d.probe(ctx)
	if err != nil {
		return
	}
	r.out.Execution.RPCOK, r.out.Execution.LatestBlock = info.RPCOK, info.LatestBlock
	switch {
	case info.RPCOK:
	case mismatch || url.Source != FromDefault:
		r.issue("RPC (from %s): %s", url.Source, info.Reason)
	default:
		r.warn("the built-in RPC does not answer within %s: quotes work, simulation and buying don't (%s)", rpcProbeTimeout, info.Reason)
		r.next("export RPC_URL_33139=https://…")
	}
}

func (r *checkup) market(cfg *Config) {
	m := &r.out.Market
	m.OpenSeaAPIKeyProvided, m.Proxied = cfg.OpenSeaKey.Set(), cfg.MarketProxy.Value != ""
	if m.OpenSeaAPIKeyProvided {
		m.OpenSeaAPIKeySource = cfg.OpenSeaKey.Source
	}
	m.DataSource = r.d.dataSourceName()
	if cfg.MarketProxy.Value != "" { // whose server has the key
		return
	}
	if !m.OpenSeaAPIKeyProvided && m.DataSource == "opensea" && !cfg.IsSandbox() {
		r.warn("no OpenSea API key: live listings and quotes don't work (export OPENSEA_API_KEY=… or ape-claw auth set --opensea-api-key …)")
		r.next("ape-claw auth set --opensea-api-key …")
	}
}

func (r *checkup) money(ctx context.Context, cfg *Config) {
	if _, err := os.Stat(filepath.Join(cfg.Home, store.MoneyFile)); err != nil || !r.homeOK {
		return // nothing was ever spent here
	}
	n, err := r.d.openTransactions(ctx)
	if err != nil {
		r.issue("%s", sentence(err))
		return
	}
	if r.out.Execution.OpenTransactions = n; n > 0 {
		r.warn("without a known outcome yet: %s; its account sends nothing else until then", counted(n, "transaction"))
		r.next("ape-claw nft resume   (if it stays open, a person may free the nonce: ape-claw nft resume --cancel)")
		if cfg.V2Key.Set() { // an account of its own
			r.next("ape-claw v2 resume")
		}
	}
}

// serve tells who is set up to serve other machines that nobody could log in.
func (r *checkup) serve(ctx context.Context) {
	addr, err := r.d.serveAddr("")
	if err != nil {
		r.issue("%s", sentence(err))
		return
	}
	host, _, err := net.SplitHostPort(addr)
	if ip, ipErr := netip.ParseAddr(host); err != nil || host == "localhost" || (ipErr == nil && ip.IsLoopback()) || !r.stateOK {
		return
	}
	n, err := r.d.registry().Enabled(ctx)
	switch {
	case err != nil:
		r.issue("agents: %s", sentence(err))
	case n == 0:
		r.warn("serve is set to listen at %s, beyond this machine, and no agent is registered: nobody could log in", addr)
		r.next("ape-claw clawbot register --agent-id my-agent-1")
	}
}

func (r *checkup) conclude(cfg *Config) {
	o := &r.out
	if r.pol != nil && !cfg.IsSandbox() && (spendsNothing(r.pol.Execution.DailySpendCap) || spendsNothing(r.pol.NFTBuy.MaxPricePerTx)) {
		r.warn("the policy allows no spending: its caps are 0 (ape-claw policy init)")
		r.next("ape-claw policy init")
	}
	o.OK = len(o.Issues) == 0
	o.Execution.ReadOnlyReady = r.pol != nil
	o.Execution.ExecuteReady = o.OK && r.keyOK && o.Execution.RPCOK && (o.Market.OpenSeaAPIKeyProvided || o.Market.Proxied) && len(o.Execution.Halted) == 0 &&
		r.pol != nil && !spendsNothing(r.pol.Execution.DailySpendCap) && !spendsNothing(r.pol.NFTBuy.MaxPricePerTx)
	if !o.Execution.ExecuteReady && !cfg.IsSandbox() {
		r.next("ape-claw demo")
	}
}

func printDoctor(p *Printer, o DoctorOut) {
	verdict := p.style(green, "ok")
	if !o.OK {
		verdict = p.style(red, "something is wrong")
	}
	p.Head("Doctor: %s", verdict)
	p.KV("profile", o.Profile, "chain", chainText(o.ChainID), "home", o.State.Home, "state", o.State.StateDir,
		"agent", o.Agent.AgentID, "events go to", forwardText(o.Forwarding), "address", o.Execution.Address, "RPC answers", yesNo(o.Execution.RPCOK),
		"can read", yesNo(o.Execution.ReadOnlyReady), "can buy", yesNo(o.Execution.ExecuteReady),
		"daily cap (APE)", o.Execution.DailySpendCapAPE, "cap a purchase (APE)", o.Execution.MaxPricePerTxAPE)
	p.List(red, "Issues", o.Issues)
	p.List(yellow, "Warnings", o.Warnings)
	p.List(cyan, "Next", o.NextSteps)
}

// chainText is a chain id, or nothing while it is not known.
func chainText(id int64) string {
	if id == 0 {
		return ""
	}
	return fmt.Sprint(id)
}

func spendsNothing(c policy.Cap) bool { return !c.Unlimited && c.Max.IsZero() }
