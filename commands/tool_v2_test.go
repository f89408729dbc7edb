package commands

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// operate runs an operation as a person runs its command.
func operate[T any](t *testing.T, p *practice, c Command, run func(*v2.Service) (T, error)) T {
	t.Helper()
	d := p.child(c.Spec, ai.Scope{AgentID: "operator", Source: "cli"})
	defer d.close()
	s, err := d.v2(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := run(s)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	return out
}

// deploy puts the contracts on the practice's chain and returns where they are.
func (p *practice) deploy(t *testing.T) map[v2.Name]common.Address {
	t.Helper()
	at := map[v2.Name]common.Address{}
	out := operate(t, p, newV2Deploy(), func(s *v2.Service) (v2.DeployOut, error) {
		plan, err := s.Deploy(t.Context(), v2.DeployIn{})
		if err != nil {
			return plan, err
		}
		return s.Deploy(t.Context(), v2.DeployIn{Go: v2.Go{Execute: true, Confirm: plan.ConfirmPhrase}})
	})
	for _, c := range out.Contracts {
		at[c.Name] = common.HexToAddress(c.Address)
	}
	return at
}

// mint mints a skill and returns its id.
func (p *practice) mint(t *testing.T) string {
	t.Helper()
	return operate(t, p, newV2SkillMint(), func(s *v2.Service) (v2.SkillMintOut, error) {
		in := v2.SkillMintIn{ParentID: "0"}
		plan, err := s.SkillMint(t.Context(), in)
		if err != nil {
			return plan, err
		}
		in.Go = v2.Go{Execute: true, Confirm: plan.ConfirmPhrase}
		return s.SkillMint(t.Context(), in)
	}).SkillID.String()
}

// The whole way of a write: the card that a model's call makes, and exactly the
// transaction that was on it, or none.
func TestToolsRecordAnIntent(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	create, scope := p.tool(t, "v2_intent_create"), ai.Scope{AgentID: "conn:main", SessionID: "room_1", TraceID: "trace_turn", Source: "ai"}
	args := json.RawMessage(`{"payload":"{\"buy\": \"demo-apes\"}"}`)
	if _, err := create.Preview(t.Context(), ai.Call{Args: args, Scope: scope}); fault.CodeOf(err) != fault.ContractMissing {
		t.Fatalf("a card for a contract that is not there: %v", err)
	}
	p.deploy(t)
	pre, err := create.Preview(t.Context(), ai.Call{Args: args, Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	f, account := facts(pre), p.world.Buyer().Address().Hex()
	for name, want := range map[string]string{"account": account, "profile": "sandbox", "value": "0 APE", "expiresAt": "never", "payload": `{"buy":"demo-apes"}`} {
		if f[name].Value != want || f[name].Volatile {
			t.Errorf("%s is %+v, want %s", name, f[name], want)
		}
	}
	for _, name := range []string{"maxFee", "maxTotal", "balance", "balanceAfter"} {
		if !f[name].Volatile || f[name].Value == "" {
			t.Errorf("%s is %+v", name, f[name])
		}
	}
	digest := f["digest"].Value
	if len(digest) != 64 || pre.Phrase != "EXECUTE v2 intent create "+digest[58:] || pre.Reference != digest || len(pre.Spends) != 1 || len(pre.Identifiers) != 0 || len(pre.Untrusted) != 0 ||
		!strings.Contains(f["contract"].Value, "IntentRegistry") || pre.Binding["from"] != account || pre.Binding["policyHash"] == "" || pre.Title != "Record an intent" {
		t.Errorf("%+v", pre)
	}
	// As it is before an approval: the same, from what will be executed; and what would
	// be sent now is shown, whatever digest the arguments have.
	other := json.RawMessage(strings.Replace(string(pre.Args), digest, strings.Repeat("0", 64), 1))
	for _, in := range []json.RawMessage{pre.Args, other} {
		again, err := create.Preview(t.Context(), ai.Call{Args: in, Scope: scope})
		if err != nil || string(again.Args) != string(pre.Args) || again.Phrase != pre.Phrase || again.Impact != pre.Impact {
			t.Errorf("%s, want %s: %v", again.Args, pre.Args, err)
		}
	}
	little := []ai.Amount{pre.Spends[0]}
	little[0].Base = "1"
	for name, c := range map[string]struct {
		args     json.RawMessage
		approval ai.Approval
		code     fault.Code
	}{
		"another digest":      {other, ai.Approval{Phrase: pre.Phrase, Most: pre.Spends}, fault.ActionStale},
		"another payload":     {json.RawMessage(strings.Replace(string(pre.Args), "demo-apes", "all-apes", 1)), ai.Approval{Phrase: pre.Phrase, Most: pre.Spends}, fault.ActionStale},
		"no digest":           {args, ai.Approval{Phrase: pre.Phrase, Most: pre.Spends}, fault.ActionStale},
		"no phrase":           {pre.Args, ai.Approval{Most: pre.Spends}, fault.ActionStale},
		"nothing may leave":   {pre.Args, ai.Approval{Phrase: pre.Phrase}, fault.ActionStale},
		"another phrase":      {pre.Args, ai.Approval{Phrase: "EXECUTE v2 intent create 000000", Most: pre.Spends}, fault.ConfirmationMismatch},
		"too little for gas":  {pre.Args, ai.Approval{Phrase: pre.Phrase, Most: little}, fault.PolicyBlocked},
		"what no model gives": {json.RawMessage(strings.Replace(string(pre.Args), `"payload"`, `"other":1,"payload"`, 1)), ai.Approval{Phrase: pre.Phrase, Most: pre.Spends}, fault.InvalidArguments},
	} {
		if out, err := create.Execute(t.Context(), ai.Call{Args: c.args, Scope: scope}, c.approval); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v %v", name, out, err)
		}
	}
	if sent := p.events(t, `"eventType":"v2.tx.submitted"`, `"op":"intent.create"`); len(sent) != 0 {
		t.Fatalf("%v", sent)
	}
	out, err := create.Execute(t.Context(), ai.Call{Args: pre.Args, Scope: scope}, ai.Approval{ActionID: "act_1", Phrase: pre.Phrase, TraceID: "trace_turn", Most: pre.Spends})
	if err != nil {
		t.Fatal(err)
	}
	if created, ok := out.(v2.IntentCreateOut); !ok || created.IntentID != 1 || created.TxHash == "" || created.DryRun {
		t.Errorf("%+v", out)
	}
	done := p.events(t, `"eventType":"v2.intent.created"`)
	if len(done) != 1 || done[0]["traceId"] != "trace_turn" || done[0]["agentId"] != "conn:main" || done[0]["source"] != "ai" || done[0]["command"] != "ape-claw v2 intent create" {
		t.Errorf("%v", done)
	}
}

// The cards of the other writes: what a person retypes is in the facts, and what
// would fail on chain is no card.
func TestCardsOfWrites(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	p.deploy(t)
	p.mint(t)
	const card = `"{\"slug\":\"my-skill\",\"name\":\"My skill\",\"version\":\"1.0.0\",\"constraints\":{\"riskTier\":2}}"`
	account := p.world.Buyer().Address().Hex()
	stranger := "0x00000000000000000000000000000000000000A1"
	for args, want := range map[string]struct {
		code fault.Code
		ids  []string
	}{
		`v2_skill_mint {}`:                                                                   {"", []string{"parentId", "contentHash"}},
		`v2_skill_mint {"parentId":"7"}`:                                                     {fault.SimulationFailed, nil},
		`v2_skill_publish {"skillId":"1","cardText":` + card + `}`:                           {"", []string{"skillId", "contentHash"}},
		`v2_skill_publish {"skillId":"2","cardText":` + card + `}`:                           {fault.SimulationFailed, nil}, // nobody minted it
		`v2_skill_publish {"skillId":"1"}`:                                                   {fault.InvalidArguments, nil},
		`v2_skill_publish {"skillId":"1","cardText":"{}"}`:                                   {fault.InvalidArguments, nil},
		`v2_receipt_record {"trace":"trace_x"}`:                                              {"", nil},
		`v2_receipt_record {}`:                                                               {fault.InvalidArguments, nil}, // not that of the turn
		`v2_intent_cancel {"intentId":"9"}`:                                                  {fault.SimulationFailed, nil},
		`v2_vault_release {"member":"` + account + `"}`:                                      {fault.SimulationFailed, nil}, // nothing is due
		`v2_agent_execute {"module":"swap","target":"` + stranger + `","data":"0x12345678"}`: {fault.SimulationFailed, nil},
	} {
		name, in, _ := strings.Cut(args, " ")
		pre, err := p.tool(t, name).Preview(t.Context(), ai.Call{Args: json.RawMessage(in), Scope: ai.Scope{AgentID: "conn:main", TraceID: "trace_turn", Source: "ai"}})
		if fault.CodeOf(err) != want.code && (err != nil || want.code != "") {
			t.Errorf("%s: %v", args, err)
			continue
		}
		if err != nil {
			if strings.Contains(err.Error()+fault.From(err).Hint, "nft_") {
				t.Errorf("%s: %v, %s", args, err, fault.From(err).Hint)
			}
			continue
		}
		f := facts(pre)
		if c := f["cap1"]; !c.Volatile || !strings.Contains(c.Value, " used, at most ") || !strings.Contains(c.Value, "APE") {
			t.Errorf("%s: the daily cap is %+v", args, c)
		}
		if name == "v2_skill_publish" {
			for fact, want := range map[string]string{"slug": "my-skill", "name": "My skill", "version": "1.0.0", "riskTier": "2", "uri": "none"} {
				if f[fact].Value != want || f[fact].Volatile {
					t.Errorf("%s: %s is %+v, want %s", args, fact, f[fact], want)
				}
			}
			if !strings.Contains(f["contract"].Value, "SkillRegistry") || !strings.Contains(f["cardText"].Value, "my-skill") || f["versionHash"].Value == "" || f["maxFee"].Value == "" {
				t.Errorf("%s: %+v", args, pre.Facts)
			}
		}
		if len(pre.Identifiers) != len(want.ids) {
			t.Errorf("%s: %v", args, pre.Identifiers)
		}
		for _, id := range want.ids {
			if pre.Identifiers[id] == "" || !strings.HasPrefix(f[id].Value, pre.Identifiers[id]) {
				t.Errorf("%s: %s is %q, and the fact %q", args, id, pre.Identifiers[id], f[id].Value)
			}
		}
	}
}

// What moves money: it is retyped, goes where the card says, and is in what may leave.
func TestToolsMoveMoney(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	at := p.deploy(t)
	account, scope := p.world.Buyer().Address().Hex(), ai.Scope{AgentID: "conn:main", TraceID: "trace_turn", Source: "ai"}
	if err := p.world.Fund(t.Context(), at[contracts.PodVault], units.FromUint64(2e18)); err != nil {
		t.Fatal(err)
	}
	ping, err := contracts.ABI(contracts.MockTarget).Pack("ping", [32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool, args, event, spends string
		ids                       map[string]string
	}{
		{"v2_vault_release", `{"member":"` + account + `"}`, "v2.vault.release", "0.", map[string]string{"vault": at[contracts.PodVault].Hex(), "member": account, "pendingNative": "2"}},
		{"v2_agent_execute", `{"module":"swap","target":"` + at[contracts.MockTarget].Hex() + `","data":"` + hexutil.Encode(ping) + `","value":"0.25"}`, "v2.agent.execute", "0.25", map[string]string{
			"agentAccount": at[contracts.AgentAccount].Hex(), "module": at[contracts.SwapModule].Hex(), "value": "0.25"}},
	} {
		x := p.tool(t, c.tool)
		pre, err := x.Preview(t.Context(), ai.Call{Args: json.RawMessage(c.args), Scope: scope})
		if err != nil {
			t.Fatalf("%s: %v", c.tool, err)
		}
		if len(pre.Identifiers) != len(x.Identifiers) || !strings.HasPrefix(pre.Spends[0].Shown, c.spends) {
			t.Errorf("%s: %v, %v", c.tool, pre.Identifiers, pre.Spends)
		}
		f := facts(pre)
		for _, id := range x.Identifiers {
			if want := c.ids[id]; want != "" && pre.Identifiers[id] != want || pre.Identifiers[id] == "" || !strings.HasPrefix(f[id].Value, pre.Identifiers[id]) {
				t.Errorf("%s: %s is %q", c.tool, id, pre.Identifiers[id])
			}
		}
		approval := ai.Approval{ActionID: "act_1", Phrase: pre.Phrase, TraceID: "trace_turn", Most: pre.Spends}
		stale := strings.Replace(string(pre.Args), f["digest"].Value, strings.Repeat("a", 64), 1)
		if _, err := x.Execute(t.Context(), ai.Call{Args: json.RawMessage(stale), Scope: scope}, approval); fault.CodeOf(err) != fault.ActionStale {
			t.Errorf("%s: %v", c.tool, err)
		}
		if _, err := x.Execute(t.Context(), ai.Call{Args: pre.Args, Scope: scope}, approval); err != nil {
			t.Errorf("%s: %v", c.tool, err)
		}
		if done := p.events(t, `"eventType":"`+c.event+`"`); len(done) != 1 || done[0]["traceId"] != "trace_turn" {
			t.Errorf("%s: %v", c.tool, done)
		}
	}
}
