package mcp_test

//lint:file-ignore SA1019 logging is deprecated from protocol 2026-07-28 on, and what the clients of today show

import (
	"context"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/mcp"
)

func TestLogTellsOfProposals(t *testing.T) {
	t.Parallel()
	e := &engine{answer: func(_ context.Context, _ mcp.Session, name, _ string) ai.Result {
		if name == "nft_buy" {
			return ai.Result{Text: `{}`, ActionID: "act_1", Outcome: "proposed"}
		}
		return ai.Result{Text: `{}`, Outcome: "ok"}
	}}
	logged := make(chan *sdk.LoggingMessageParams, 9)
	cs := connect(t, e, e.options(), &sdk.ClientOptions{LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) { logged <- r.Params }})
	if cs.InitializeResult().ProtocolVersion < "2026" {
		if err := cs.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "notice"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"market_listings", "nft_buy"} {
		params := &sdk.CallToolParams{Name: name, Meta: sdk.Meta{"io.modelcontextprotocol/logLevel": "notice"}}
		if _, err := cs.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
	}
	got := <-logged
	if data, _ := got.Data.(map[string]any); got.Level != "notice" || data["approveWith"] != "ape-claw ai actions approve act_1" {
		t.Errorf("got %+v", got)
	}
}
