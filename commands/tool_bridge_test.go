package commands

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The whole way of a transfer: a model quotes and proposes, the card says what leaves and
// what arrives, and exactly that is sent, or nothing.
func TestToolsBridge(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	v := p.begin(t, "conn:main", "trace_turn")
	for _, token := range []string{"ETH", "USDC"} {
		amount := map[string]string{"ETH": "0.02", "USDC": "25"}[token]
		id := ask(t, v, "bridge_quote", `{"from":"ethereum","to":"apechain","token":"`+token+`","amount":"`+amount+`"}`)["requestId"].(string)
		x, scope := p.tool(t, "bridge_execute"), ai.Scope{AgentID: "conn:main", SessionID: "room_1", TraceID: "trace_turn", Source: "ai"}
		pre, err := x.Preview(t.Context(), ai.Call{Args: json.RawMessage(`{"request":"` + id + `"}`), Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		f := facts(pre)
		account := p.world.Buyer().Address().Hex()
		for name, want := range map[string]string{"amount": amount, "token": token, "from": "ethereum", "to": "apechain", "account": account, "requestId": id, "profile": "sandbox"} {
			if f[name].Value != want || f[name].Volatile {
				t.Errorf("%s is %+v, want %s", name, f[name], want)
			}
		}
		if pre.Phrase != "BRIDGE "+amount+" "+token+" ethereum->apechain" || pre.Reference != id || pre.Expires.IsZero() || !strings.HasPrefix(pre.Spends[0].Asset, "7700001/native") {
			t.Errorf("%+v", pre)
		}
		for _, name := range x.Identifiers {
			if pre.Identifiers[name] != f[name].Value {
				t.Errorf("%s is retyped as %q", name, pre.Identifiers[name])
			}
		}
		little := append([]ai.Amount{}, pre.Spends...)
		little[0].Base = "1000"
		for what, c := range map[string]struct {
			args     string
			approval ai.Approval
		}{
			"no digest":        {`{"request":"` + id + `"}`, ai.Approval{Phrase: pre.Phrase, Most: pre.Spends}},
			"another digest":   {`{"digest":"` + strings.Repeat("a", 64) + `","request":"` + id + `"}`, ai.Approval{Phrase: pre.Phrase, Most: pre.Spends}},
			"no phrase":        {string(pre.Args), ai.Approval{Most: pre.Spends}},
			"another phrase":   {string(pre.Args), ai.Approval{Phrase: "BRIDGE 1 ETH ethereum->apechain", Most: pre.Spends}},
			"no bound":         {string(pre.Args), ai.Approval{Phrase: pre.Phrase}},
			"more than agreed": {string(pre.Args), ai.Approval{Phrase: pre.Phrase, Most: little}},
		} {
			if out, err := x.Execute(t.Context(), ai.Call{Args: json.RawMessage(c.args), Scope: scope}, c.approval); err == nil {
				t.Fatalf("%s: it moved %v", what, out)
			}
		}
		got, err := x.Execute(t.Context(), ai.Call{Args: pre.Args, Scope: scope}, ai.Approval{ActionID: "act_1", Phrase: pre.Phrase, TraceID: "trace_turn", Most: pre.Spends})
		if err != nil {
			t.Fatal(err)
		}
		if out := got.(bridge.ExecuteOut); out.Status != bridge.StatusPending || out.RequestID != id {
			t.Errorf("%+v", out)
		}
		if _, err := x.Preview(t.Context(), ai.Call{Args: pre.Args, Scope: scope}); fault.CodeOf(err) != fault.StaleReference {
			t.Errorf("a second card: %v", err)
		}
		for status := ""; status != "completed"; {
			s := ask(t, v, "bridge_status", `{"request":"`+id+`"}`)
			if status = s["status"].(string); status != "pending" && status != "completed" {
				t.Fatalf("%v", s)
			}
		}
		if mined := p.events(t, `"eventType":"bridge.tx.mined"`, `"step":"deposit"`, `"actionId":"act_1"`, id); len(mined) != 1 || mined[0]["traceId"] != "trace_turn" {
			t.Errorf("%v", mined)
		}
	}
}
