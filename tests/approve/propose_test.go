package approve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is an MCP client over stdio, which proposes.
type client struct {
	*world
	cs *sdk.ClientSession
}

func (w *world) client(name string) client {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), w.bin, "mcp")
	cmd.Dir, cmd.Env = w.wd(), w.env()
	cs, err := sdk.NewClient(&sdk.Implementation{Name: name, Version: "1"}, nil).Connect(w.t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = cs.Close() }) // its process ends with it
	return client{w, cs}
}

// call calls a tool and returns what is in the fence.
func (c client) call(tool, args string) map[string]any {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	r, err := c.cs.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	var doc struct{ Data map[string]any }
	err = json.Unmarshal([]byte(text), &doc)
	if err == nil && doc.Data == nil { // what is of our own has no fence
		err = json.Unmarshal([]byte(text), &doc.Data)
	}
	if err != nil || r.IsError {
		c.t.Fatalf("%s %s: %s", tool, args, text)
	}
	return doc.Data
}

// quote quotes and simulates the i-th listing.
func (c client) quote(i int) string {
	c.t.Helper()
	q, _ := c.call("nft_quote", fmt.Sprintf(`{"collection":%q,"tokenId":%q,"maxPrice":"1"}`, slug, c.list[i].TokenID.String()))["quoteId"].(string)
	c.call("nft_simulate", fmt.Sprintf(`{"quote":%q}`, q))
	return q
}

// propose proposes to buy the i-th listing.
func (c client) propose(i int) purchase {
	c.t.Helper()
	b := purchase{quote: c.quote(i), token: c.list[i].TokenID}
	b.id, _ = c.call("nft_buy", fmt.Sprintf(`{"quote":%q}`, b.quote))["actionId"].(string)
	if !strings.HasPrefix(b.id, "act_") {
		c.t.Fatalf("no action of %s", b.quote)
	}
	return b
}

// status is what the model sees of an action.
func (c client) status(id string) map[string]any {
	c.t.Helper()
	return c.call("action_status", fmt.Sprintf(`{"actionId":%q}`, id))
}

// done withdraws what was refused, so that there is room for the next.
func (w *world) done(b purchase) {
	w.t.Helper()
	w.sql(w.stateDB(), `UPDATE ai_actions SET state = 'cancelled' WHERE id = ?`, b.id)
}
