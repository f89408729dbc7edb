package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/sandbox/model"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// DemoAI is the second part: a model asks, and a person decides.
type DemoAI struct {
	TraceID  string `json:"traceId"`
	ActionID string `json:"actionId"`
	TxHash   string `json:"txHash"`
	Owner    string `json:"owner"`
	Report   string `json:"report"` // the model's last words
	Entries  int    `json:"entries"`
	Events   int    `json:"events"`
	Streamed int    `json:"streamed"`
}

// demoAITrail is what the log must hold of it under one trace: what the model did,
// what the person decided on facts computed anew, the purchase, and that the model was
// told. Messages apart.
var demoAITrail = []string{"ai.turn.started", "ai.tool.called", "nft.quote.created", "ai.tool.called", "nft.simulation.passed", "ai.tool.called",
	"nft.buy.dry_run", "ai.action.proposed", "ai.tool.called", "ai.turn.completed",
	"nft.simulation.passed", "nft.buy.dry_run", // the card, as the person sees it
	"nft.simulation.passed", "nft.buy.dry_run", // and once more, when it is approved
	"ai.action.resolved", "ai.grant.created",
	"nft.buy.submitted", "nft.buy.confirmed", "ai.action.executed", "ai.turn.started", "ai.turn.completed"}

// demoBeside is what the parts emit beside their trails. How often a transfer is looked
// at follows from how long it takes.
var demoBeside = []string{"market.listings.read", "bridge.status.read", "ai.message.created", "ai.connection.changed", "ai.auth.changed", "ai.actions.read", "ai.trace.read"}

const (
	demoPassphrase = "a passphrase for the demo"
	demoModelKey   = "sk-demo-0123456789abcdef"
)

// demoScript is what the model of the demo answers. Everything between it and the
// chain is real: the client, the tools, the gates, the person's three steps.
func demoScript() model.Script {
	use := func(tool, args string) model.Step { return model.Use(tool, args) }
	propose := use("nft_buy", `{"quote":"$.nft_quote.quoteId"}`)
	propose.Say = "I propose to buy Demo Apes #{$.nft_quote.tokenId} for {$.nft_quote.priceApe} APE: it is the cheapest, and its simulation passed."
	return model.Script{Steps: []model.Step{
		use("market_listings", `{"collection":"demo-apes","limit":3}`),
		use("nft_quote", `{"collection":"demo-apes","tokenId":"$.market_listings.listings.0.tokenId","maxPrice":"{$.market_listings.listings.0.priceApe}"}`),
		use("nft_simulate", `{"quote":"$.nft_quote.quoteId"}`),
		propose,
		{Say: "It waits for you as {$.nft_buy.actionId}: I can't approve it."},
		{When: &model.When{Result: "executed"}, Say: "Bought: Demo Apes #{$.nft_quote.tokenId} is yours, transaction {$.action_status.txHash}."},
	}}
}

// playAI has a model buy another token, which a person approves.
func (s *story) playAI(ctx context.Context) (err error) {
	s.say("%s\n\n", s.p.style(bold, "A model asks, a person decides"))
	srv, err := model.Start(ctx, model.Options{Script: demoScript(), Key: demoModelKey})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.Close()) }()
	if s.person, err = sitDown(s.host.OpenPTY); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.person.standUp()) }()
	s.own = true
	out := &DemoAI{}
	s.out.AI = out

	s.stdin = demoModelKey
	_, err = s.step(ctx, fault.ExitOK, func(map[string]any) string {
		return "connected; its key is sealed in the home, and goes to that address alone"
	}, "ai", "connections", "add", "--preset", "other", "--name", "demo", "--base-url", srv.URL, "--model", "scripted", "--key-stdin", "--default")
	if err != nil {
		return err
	}
	s.types = []line{{"new passphrase: ", demoPassphrase}, {"again: ", demoPassphrase}}
	if _, err = s.step(ctx, fault.ExitOK, func(map[string]any) string {
		return "a person typed it at a terminal, unseen; no model can"
	}, "ai", "auth", "init"); err != nil {
		return err
	}
	turn, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return fmt.Sprintf("%s tool calls; the model says: %s", text(doc, "toolCalls"), text(doc, "text"))
	}, "ai", "chat", "Buy the cheapest Demo Ape.")
	if err != nil {
		return err
	}
	if out.ActionID, err = proposed(turn); err != nil {
		return err
	}
	card, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		return "the card: facts computed here, not the model's words"
	}, "ai", "actions", "show", out.ActionID)
	if err != nil {
		return err
	}
	if s.types, err = threeAnswers(card); err != nil {
		return err
	}
	done, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		o, _ := inner(doc, "action")["outcome"].(map[string]any)
		return fmt.Sprintf("executed: transaction %s", text(o, "txHash"))
	}, "ai", "actions", "approve", out.ActionID)
	if err != nil {
		return err
	}
	a := inner(done, "action")
	outcome := inner(a, "outcome")
	out.TraceID, out.TxHash, out.Owner = text(a, "traceId"), text(outcome, "txHash"), text(inner(outcome, "result"), "owner")
	trace, err := s.step(ctx, fault.ExitOK, func(doc map[string]any) string {
		list, _ := doc["entries"].([]any)
		return fmt.Sprintf("one story of %d entries: message, tools, card, approval, transaction, and the model's report", len(list))
	}, "ai", "trace", out.ActionID)
	if err != nil {
		return err
	}
	if err := out.read(trace); err != nil {
		return err
	}
	var told AITraceOut
	if err := json.Unmarshal(s.out.Steps[len(s.out.Steps)-1].Result, &told); err != nil {
		return fault.Wrap(err, fault.Internal, "the story can't be read back")
	}
	if !s.d.wantJSON {
		printAITrace(s.p, told)
		s.say("\n")
	}
	return nil
}

// proposed is the action of a turn.
func proposed(turn map[string]any) (string, error) {
	list, _ := turn["actions"].([]any)
	if len(list) != 1 {
		return "", fault.New(fault.Internal, "the model proposed %d actions, not one", len(list))
	}
	first, _ := list[0].(map[string]any)
	return text(first, "actionId"), nil
}

// threeAnswers is what a person types who agrees with a card.
func threeAnswers(card map[string]any) ([]line, error) {
	ids := inner(card, "identifiers")
	if len(ids) == 0 || text(card, "phrase") == "" {
		return nil, fault.New(fault.Internal, "the card has nothing to retype")
	}
	labels := map[string]string{}
	facts, _ := card["facts"].([]any)
	for _, f := range facts {
		fact, _ := f.(map[string]any)
		labels[text(fact, "name")] = text(fact, "label")
	}
	answers := []line{{"Have you read this? Type yes: ", "yes"}}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		answers = append(answers, line{"retype the " + labels[name], text(ids, name)})
	}
	return append(answers, line{" to approve: ", text(card, "phrase")}, line{"passphrase, to approve " + text(card, "id") + ": ", demoPassphrase}), nil
}

// read checks that the story is whole: every kind of entry is in it, in order.
func (o *DemoAI) read(trace map[string]any) error {
	list, _ := trace["entries"].([]any)
	o.Entries = len(list)
	want := []string{kindMessage, kindTurn, kindTool, kindAction, kindTransaction, kindCallback, kindMessage}
	for _, e := range list {
		entry, _ := e.(map[string]any)
		kind := text(entry, "kind")
		if len(want) > 0 && kind == want[0] {
			want = want[1:]
		}
		if kind == kindMessage {
			o.Report = text(entry, "text")
		}
	}
	if len(want) > 0 {
		return fault.New(fault.Internal, "the story of %s lacks: %s", o.ActionID, strings.Join(want, ", "))
	}
	if !strings.Contains(o.Report, o.TxHash) {
		return fault.New(fault.Internal, "the model did not report the transaction: %s", o.Report)
	}
	return nil
}

func inner(doc map[string]any, key string) map[string]any {
	m, _ := doc[key].(map[string]any)
	return m
}

// lastDocument is the result of a command: its one document, or a stream's last line.
func lastDocument(b []byte) json.RawMessage {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return json.RawMessage(lines[len(lines)-1])
}
