package v2

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// deployWait bounds the wait for another run that deploys to the same network.
const deployWait = 10 * time.Minute

// Deploy puts the set of contracts on the chain that is not there yet, sets the first
// rules of its policy engine, and records where everything is. Whatever was done is
// found again, so that a run that was interrupted is gone on with by another.
func (s *Service) Deploy(ctx context.Context, in DeployIn) (DeployOut, error) {
	stage := policy.DryRun
	if in.Execute {
		stage = policy.Execute
	}
	f, err := s.fence(ctx, stage)
	if err != nil {
		return DeployOut{}, s.deployBlocked(ctx, in, err)
	}
	who, err := s.d.Account(ctx)
	if err != nil {
		return DeployOut{}, err
	}
	id, _, err := s.network(ctx)
	if err != nil {
		return DeployOut{}, err
	}
	if id != f.Policy.ChainID {
		return DeployOut{}, otherChain(id, f.Policy.ChainID)
	}
	p, c, err := s.survey(ctx, in, who)
	if err != nil {
		return DeployOut{}, err
	}
	if _, _, err := s.record(p.at); err != nil {
		return DeployOut{}, err // it could not be written either
	}
	x := &deployment{Service: s, in: in, plan: p, chain: c}
	if x.total, x.simulation, err = p.estimate(ctx, c); err != nil {
		return DeployOut{}, err
	}
	balance, err := c.Balance(ctx, who)
	if err != nil {
		return DeployOut{}, err
	}
	x.action = p.action(x.total, &balance)
	x.action.Caps = x.capsAfter(ctx, f.Policy, x.write(f))
	if in.Digest != "" && in.Digest != x.action.Digest {
		return DeployOut{}, fault.New(fault.ActionStale, "the deployment would not be the one that was approved").
			Hintf("have it proposed anew").WithSent(fault.SentNo)
	}
	if !in.Execute {
		return x.dryRun(ctx, f)
	}
	return x.execute(ctx, f)
}

// deployBlocked records a refusal of the whole plan. What refuses one transaction
// of it, send records.
func (s *Service) deployBlocked(ctx context.Context, in DeployIn, err error) error {
	return policy.Blocked(ctx, s.d.Recorder, "ape-claw "+cmdDeploy, !in.Execute, err)
}

func otherChain(got, want int64) error {
	return fault.New(fault.ChainMismatch, "the RPC answers for chain %d, and the policy is for chain %d", got, want).
		Hintf("check the RPC URL (ape-claw doctor), or use the other profile").WithSent(fault.SentNo)
}

// deployment is a plan on its way.
type deployment struct {
	*Service
	in    DeployIn
	plan  *plan
	chain Chain

	total      units.Wei // about the most that is left to be spent
	simulation policy.Simulation
	action     Action
	authority  string

	out DeployOut
	fee units.Wei // of what was sent
}

// write is the whole plan as the gates look at it.
func (x *deployment) write(f policy.Fence) policy.Write {
	return policy.Write{
		Command: cmdDeploy, Target: lower(contracts.Deployer), TargetName: "the deployment proxy", Known: true,
		Asset: policy.NativeOf(x.plan.at.ID), Currency: f.Policy.NativeToken, Decimals: units.APEDecimals,
		FeeLimit: x.total, Now: x.now(), Simulation: x.simulation, Digest: x.plan.digest(),
		Subject: x.d.Subject, Confirm: x.in.Confirm, Autonomous: x.in.Autonomous,
	}
}

// result is the answer as far as it is known from the plan.
func (x *deployment) result() DeployOut {
	p := x.plan
	out := DeployOut{OK: true, ChainID: p.at.ID, Network: p.at.Name, Deployer: lower(p.who), Label: p.set.Label,
		VaultMembers: p.set.Members, Record: store.Display(x.recordPath(p.at.Name)), Contracts: []DeployedState{}, Rules: []RuleState{}}
	state := map[bool]string{true: stateThere, false: stateMissing}
	for _, t := range p.pieces {
		out.Contracts = append(out.Contracts, DeployedState{Name: t.piece.Name, Address: lower(t.piece.Address), State: state[t.done]})
	}
	for _, t := range p.rules {
		out.Rules = append(out.Rules, RuleState{rule: *t.rule, State: state[t.done]})
	}
	return out
}

func (x *deployment) dryRun(ctx context.Context, f policy.Fence) (DeployOut, error) {
	p, out := x.plan, x.result()
	out.DryRun = true
	left := p.left()
	command := x.d.CLI + " " + cmdDeploy + " --execute"
	codes := []string{}
	if left == 0 {
		out.Message = fmt.Sprintf("all %d contracts are on %s, with the code and arguments that they should have", len(p.pieces), p.at.Name)
		if !x.recorded() {
			out.Message += "; the deployment record is not written"
			out.Next = command
		}
	} else {
		out.WouldBlock = policy.DecideWrite(policy.DryRun, f, x.write(f)).WouldBlock()
		for i := range out.WouldBlock {
			out.WouldBlock[i].Change = fault.Suggest(x.d.CLI, out.WouldBlock[i].Change)
			codes = append(codes, string(out.WouldBlock[i].Code))
		}
		out.MaxFeeApe, out.MaxFeeWei, out.Action = x.total.JSON(units.APEDecimals), &x.total, &x.action
		if len(codes) > 0 {
			out.Message = fmt.Sprintf("dry run: --execute would be refused: %s; nothing was signed", out.WouldBlock[0].Reason)
		} else {
			out.ConfirmPhrase = x.action.Phrase
			out.Message = fmt.Sprintf("dry run: would %s, for about %s APE of gas at most; nothing was signed", x.action.What, x.total.Decimal(units.APEDecimals))
			out.Next = "the same command with --execute --confirm '" + x.action.Phrase + "'"
		}
	}
	return out, x.d.Recorder.Record(ctx, telemetry.Draft{
		Type: "v2.deploy.planned", DryRun: true, ChainID: p.at.ID, Payload: map[string]any{"network": p.at.Name},
		Result: map[string]any{"steps": len(p.steps()), "done": len(p.steps()) - left, "wouldBlock": codes, "message": out.Message},
	})
}

// recorded reports whether the deployment record says where this set is.
func (x *deployment) recorded() bool {
	r, ok, err := x.record(x.plan.at)
	if err != nil || !ok || !x.plan.set.same(r) || r.Configured == x.plan.first {
		return false
	}
	for _, t := range x.plan.pieces {
		if r.Contracts[t.piece.Name].Address != lower(t.piece.Address) {
			return false
		}
	}
	return true
}

// execute passes the gates of the whole plan, then sends what is left of it, one
// transaction after the other, each through the gates of its own.
func (x *deployment) execute(ctx context.Context, f policy.Fence) (DeployOut, error) {
	if x.plan.left() > 0 {
		if err := x.admit(ctx, f); err != nil {
			return DeployOut{}, x.deployBlocked(ctx, x.in, err)
		}
	}
	wait, cancel := context.WithTimeout(ctx, deployWait)
	defer cancel()
	lock, err := store.WaitLock(wait, filepath.Join(x.d.Records, x.plan.at.Name+".lock"))
	if err != nil {
		return DeployOut{}, err
	}
	defer lock.Unlock() //nolint:errcheck // the end of the process frees it
	if err := x.settle(ctx); err != nil {
		return DeployOut{}, x.goOn(err)
	}
	// Another run may have done it meanwhile, and never anything else.
	digest, left := x.plan.digest(), x.plan.left()
	again, c, err := x.survey(ctx, x.in, x.plan.who)
	if err != nil {
		return DeployOut{}, err
	}
	if left > 0 && again.left() > 0 && again.digest() != digest {
		return DeployOut{}, fault.New(fault.ActionStale, "the deployment is not what it was a moment ago: another run changed it").
			Hintf("look at it again: %s %s", x.d.CLI, cmdDeploy).WithSent(fault.SentNo)
	}
	if left == 0 && again.left() > 0 {
		return DeployOut{}, fault.New(fault.ActionStale, "contracts that were there a moment ago are not").
			Hintf("look at it again: %s %s", x.d.CLI, cmdDeploy).WithSent(fault.SentNo)
	}
	x.plan, x.chain, x.out = again, c, DeployOut{}
	x.out = x.result()
	return x.carryOut(ctx)
}

// admit holds the plan against every gate, and asks the person who is there.
func (x *deployment) admit(ctx context.Context, f policy.Fence) error {
	asks := x.d.Ask != nil && x.in.Confirm == "" && !x.in.Autonomous && f.Policy.Execution.ConfirmPhraseRequired
	w := x.write(f)
	if asks {
		w.Confirm = w.Phrase()
	}
	w.Spent, w.SpentErr = x.spent(ctx, f.Policy, w.Scope())
	if err := policy.DecideWrite(policy.Execute, f, w).Refusal(); err != nil {
		return x.inDeployWords(err)
	}
	if most := x.in.Most; most != nil && x.total.Cmp(*most) > 0 {
		return fault.New(fault.PriceOverLimit, "gas may cost up to %s APE, and %s APE were approved", x.total.Decimal(units.APEDecimals), most.Decimal(units.APEDecimals)).
			Hintf("have it proposed anew").WithSent(fault.SentNo).With("gate", policy.GateValue)
	}
	switch {
	case asks:
		x.authority = authorityTerminal
		return x.inDeployWords((&writing{Service: x.Service, action: x.action}).ask(ctx))
	case x.in.Confirm == "" && x.in.Autonomous:
		x.authority = authorityAutonomous
	default:
		x.authority = authorityPhrase
	}
	return nil
}

func (x *deployment) inDeployWords(err error) error {
	if fault.CodeOf(err) != fault.ConfirmationMismatch {
		return err
	}
	f := *fault.From(err)
	f.Err = err
	return f.Hintf("give --confirm the phrase that the dry run shows: %s %s", x.d.CLI, cmdDeploy)
}

// carryOut sends what is left. The record is written before and after each contract,
// so that it never lacks one for long, and never names one that is not there.
func (x *deployment) carryOut(ctx context.Context) (DeployOut, error) {
	r, err := x.begin(ctx)
	if err != nil {
		return DeployOut{}, err
	}
	for i := range x.plan.pieces {
		t := &x.plan.pieces[i]
		d, err := x.step(ctx, t, proxyAt(), opCreate, creation{t.piece.Name, t.piece.Address})
		if err != nil {
			return DeployOut{}, x.goOn(err)
		}
		x.noteContract(&r, i, d)
		if err := writeRecord(x.recordPath(x.plan.at.Name), r); err != nil {
			return DeployOut{}, x.goOn(err)
		}
		store.CrashPoint("v2 deploy: recorded")
	}
	engine := Located{Name: contracts.PolicyEngine, Address: lower(x.plan.find(contracts.PolicyEngine).piece.Address), From: "this deployment", Known: true}
	for i := range x.plan.rules {
		t := &x.plan.rules[i]
		d, err := x.step(ctx, t, engine, opRule, t.rule)
		if err != nil {
			return DeployOut{}, x.goOn(err)
		}
		if d != nil {
			x.out.Rules[i].State, x.out.Rules[i].TxHash = stateSet, d.Outcome.Tx.Hash.Hex()
		} else {
			x.out.Rules[i].State = stateThere
		}
	}
	r.Configured = true
	if err := writeRecord(x.recordPath(x.plan.at.Name), r); err != nil {
		return DeployOut{}, x.goOn(err)
	}
	return x.finish(ctx)
}

// begin makes the record to go on with. One of another set, or of a sandbox that was
// reset, is set aside first.
func (x *deployment) begin(_ context.Context) (Record, error) {
	p, path := x.plan, x.recordPath(x.plan.at.Name)
	r := Record{V: recordVersion, Network: p.at.Name, ChainID: p.at.ID, Genesis: p.at.Genesis, Deployer: lower(p.who), Label: p.set.Label,
		Members: p.set.Members, Configured: !p.first, Contracts: map[Name]Deployed{}}
	old, ok, err := x.record(p.at)
	if err != nil {
		return Record{}, err
	}
	if !ok || !p.set.same(old) {
		x.out.SetAside, err = putAway(path)
		return r, err
	}
	for _, t := range p.pieces { // the transactions of what is still there
		if d := old.Contracts[t.piece.Name]; t.done && d.Address == lower(t.piece.Address) {
			r.Contracts[t.piece.Name] = d
		}
	}
	return r, nil
}

// putAway moves what is at path, if anything is, to a name of its own.
func putAway(path string) (string, error) {
	f, err := store.OpenToRead(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxRecord))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	to, err := setAside(path, hex.EncodeToString(sum[:4]))
	return store.Display(to), err
}

// step sends one transaction of the plan, unless what it does is done. d is nil where
// nothing was sent by this run.
func (x *deployment) step(ctx context.Context, t *planned, to Located, op string, keep any) (d *done, err error) {
	if t.done {
		return nil, nil
	}
	x.d.Progress("%s", t.what())
	// The phrase was for the whole plan; --autonomous is asked about anew each time.
	alone := x.authority == authorityAutonomous
	c := call{Op: op, Command: cmdDeploy, What: t.what(), Contract: to, Data: t.data, Payload: map[string]any{"network": x.plan.at.Name},
		Keep: keep, Go: Go{Execute: true, Autonomous: alone}, Authority: x.authority, skipPhrase: !alone}
	c.done = func(ctx context.Context) (bool, error) { return x.isDone(ctx, t) }
	if t.rule == nil { // it can be done once on a chain: so its key serves once
		c.Key = createKey(x.plan.at, t.piece.Address)
	}
	for {
		if there, err := x.isDone(ctx, t); err != nil || there { // by another run of this account
			t.done = there
			return nil, err
		}
		if x.in.Most != nil {
			left, err := x.in.Most.Sub(x.fee)
			if err != nil {
				return nil, fault.New(fault.PriceOverLimit, "the gas that was approved is used up").WithSent(fault.SentNo).With("gate", policy.GateValue)
			}
			c.Go.Most = &left
		}
		sent, err := x.send(ctx, c)
		var over error // also what failed in its block costs its fee
		if x.fee, over = x.fee.Add(sent.Outcome.Fee); over != nil {
			return nil, over
		}
		if err == nil {
			t.done = true
			x.out.Sent++
			return &sent, nil
		}
		if code := fault.CodeOf(err); code == fault.TxUnknown || ctx.Err() != nil {
			return nil, err
		}
		// Another run of this account may have been faster.
		if there, lookErr := x.isDone(ctx, t); lookErr == nil && there {
			t.done = true
			return nil, nil
		}
		if fault.CodeOf(err) != fault.QuoteUsed || c.Key == "" {
			return nil, err
		}
		c.Key = "" // on a chain that was begun anew, or after one that failed
	}
}

func (x *deployment) isDone(ctx context.Context, t *planned) (bool, error) {
	if t.rule != nil {
		return t.rule.holds(ctx, x.chain, t.to)
	}
	return standing(ctx, x.chain, t.piece)
}

// noteContract keeps a contract that is there now.
func (x *deployment) noteContract(r *Record, i int, d *done) {
	t, shown := x.plan.pieces[i], &x.out.Contracts[i]
	rec := r.Contracts[t.piece.Name]
	rec.Address = lower(t.piece.Address)
	if d != nil {
		rec.TxHash, rec.BlockNumber = d.Outcome.Tx.Hash.Hex(), d.Outcome.Receipt.Block
		shown.State = stateCreated
	} else if shown.State == stateMissing {
		shown.State = stateThere
	}
	shown.TxHash, shown.BlockNumber = rec.TxHash, rec.BlockNumber
	r.Contracts[t.piece.Name] = rec
}
