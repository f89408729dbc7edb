package approve_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/tests/program"
)

// refusal is something that happens to an action between its proposal and its
// approval, and the code that refuses it from then on.
type refusal struct {
	name   string
	change func(c client, b purchase)
	code   string
	exit   int
	status int            // over HTTP
	back   func(c client) // makes it as it was, for the next
}

// row changes the action's row.
func row(set string, args ...any) func(client, purchase) {
	return func(c client, b purchase) {
		c.t.Helper()
		if n := c.sql(c.stateDB(), `UPDATE ai_actions SET `+set+` WHERE id = ?`, append(args, b.id)...); n != 1 {
			c.t.Fatalf("%s changed %d rows", set, n)
		}
	}
}

// line writes the home's HALT.
func line(text string) func(client, purchase) {
	return func(c client, _ purchase) {
		c.t.Helper()
		if err := os.WriteFile(filepath.Join(c.home(), "HALT"), []byte(text+"\n"), 0o600); err != nil {
			c.t.Fatal(err)
		}
	}
}

func unhalt(c client) {
	c.t.Helper()
	if err := os.Remove(filepath.Join(c.home(), "HALT")); err != nil {
		c.t.Fatal(err)
	}
}

// edit changes a member of a JSON file of the home.
func edit(c client, name string, change func(doc map[string]any)) {
	c.t.Helper()
	path := filepath.Join(c.home(), name)
	b, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil {
		c.t.Fatal(err)
	}
	change(doc)
	if b, err = json.Marshal(doc); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func order(c client, b purchase) demo.Order {
	c.t.Helper()
	for _, o := range c.Demo().Orders {
		if o.Slug == slug && o.TokenID.Cmp(b.token) == 0 {
			return o
		}
	}
	c.t.Fatalf("no order of %s", b.token)
	return demo.Order{}
}

func refusals() []refusal {
	stale := func(name string, change func(client, purchase)) refusal {
		return refusal{name: name, change: change, code: "action_stale", exit: 3, status: 409}
	}
	// A quote is sealed: what was written into it is seen as that.
	altered := func(name string, change func(client, purchase)) refusal {
		return refusal{name: name, change: change, code: "state_unusable", exit: 12, status: 503}
	}
	capOf := func(limit any) func(c client) {
		return func(c client) {
			edit(c, "policy.json", func(doc map[string]any) { doc["execution"].(map[string]any)["dailySpendCap"] = limit })
		}
	}
	var was any
	return []refusal{
		stale("the listing is gone", func(c client, b purchase) {
			if err := c.Cancel(c.t.Context(), order(c, b)); err != nil {
				c.t.Fatal(err)
			}
		}),
		stale("the price moved", func(c client, b purchase) {
			o := order(c, b)
			if _, err := c.List(slug, demo.Terms{TokenID: o.TokenID.Uint64(), Price: ape(c.t, "2")}); err != nil {
				c.t.Fatal(err)
			}
			if err := c.Cancel(c.t.Context(), o); err != nil {
				c.t.Fatal(err)
			}
		}),
		stale("the token went to somebody else", func(c client, b purchase) {
			if err := c.Transfer(c.t.Context(), slug, b.token, c.Demo().Faucet.Address()); err != nil {
				c.t.Fatal(err)
			}
		}),
		altered("the quote ends at another time", func(c client, b purchase) {
			past := time.Now().Add(-time.Minute)
			c.sql(c.stateDB(), `UPDATE quotes SET expires_at = ?, doc = json_set(doc, '$.expiresAt', ?) WHERE id = ?`, past.UnixMilli(), past.UTC().Format(time.RFC3339Nano), b.quote)
		}),
		stale("the quote is another token's", func(c client, b purchase) {
			other := c.quote(len(c.list) - 1)
			if n := c.sql(c.stateDB(), `UPDATE quotes SET doc = (SELECT json_set(doc, '$.quoteId', ?) FROM quotes WHERE id = ?) WHERE id = ?`, b.quote, other, b.quote); n != 1 {
				c.t.Fatal("no quote was changed")
			}
		}),
		altered("the quote has another price", func(c client, b purchase) {
			c.sql(c.stateDB(), `UPDATE quotes SET doc = json_set(doc, '$.priceWei', '500000000000000000') WHERE id = ?`, b.quote)
		}),
		{name: "the card expired", change: row(`expires_at = 1`), code: "action_expired", exit: 3, status: 410},
		stale("its arguments name another quote", func(c client, b purchase) {
			row(`doc = json_set(doc, '$.args.quote', ?)`, c.quote(len(c.list)-1))(c, b)
		}),
		stale("what runs names another quote", func(c client, b purchase) {
			row(`doc = json_set(doc, '$.run.quote', ?, '$.args.quote', ?)`, c.quote(len(c.list)-1), b.quote)(c, b)
		}),
		stale("what runs names another order", row(`doc = json_set(doc, '$.run.orderHash', ?)`, "0x"+strings.Repeat("ab", 32))),
		stale("a fact is another", row(`doc = json_set(doc, '$.facts[0].value', 'other-apes')`)),
		stale("a fact is hidden", row(`doc = json_remove(doc, '$.facts[2]')`)),
		stale("a fact is said to move", row(`doc = json_set(doc, '$.facts[0].volatile', json('true'))`)),
		stale("an identifier is another", row(`doc = json_set(doc, '$.identifiers.tokenId', '1')`)),
		stale("an identifier is not asked for", row(`doc = json_remove(doc, '$.identifiers.tokenId')`)),
		stale("the phrase is another", row(`doc = json_set(doc, '$.phrase', 'ok')`)),
		stale("the impact is another", row(`doc = json_set(doc, '$.impact', 'Nothing happens.')`)),
		stale("the title is another", row(`doc = json_set(doc, '$.title', 'Look at a token')`)),
		stale("the binding is another", row(`doc = json_set(doc, '$.binding.from', '0x0000000000000000000000000000000000000001')`)),
		stale("the permission is another", row(`doc = json_set(doc, '$.permission', 'market:read')`)),
		stale("the grade is write", row(`grade = 'write'`)),
		stale("the tool is another", row(`tool = 'policy_halt'`)),
		stale("the tool is another, of its grade", row(`tool = 'policy_halt', grade = 'write'`)),
		stale("the hash of the facts is another", row(`facts_hash = ?`, strings.Repeat("0", 64))),
		stale("the hash of the arguments is another", row(`args_hash = ?`, strings.Repeat("0", 64))),
		{name: "a tool that there is not", change: row(`tool = 'nft_sell'`), code: "unknown_tool", exit: 64, status: 400},
		{name: "no JSON", change: row(`doc = 'x'`), code: "state_unusable", exit: 12, status: 503},
		{name: "it is approved already", change: row(`state = 'executing', beat_at = 9999999999999`), code: "action_not_pending", exit: 10, status: 409},
		{name: "it was rejected", change: func(c client, b purchase) { c.must("ai", "actions", "reject", b.id, "--reason", "no") }, code: "action_not_pending", exit: 10, status: 409},
		{name: "the policy is another", code: "action_stale", exit: 3, status: 409,
			change: func(c client, _ purchase) {
				edit(c, "policy.json", func(doc map[string]any) { was = doc["execution"].(map[string]any)["dailySpendCap"] })
				capOf(499)(c)
			}, back: func(c client) { capOf(was)(c) }},
		{name: "the policy forbids it", code: "price_over_limit", exit: 3, status: 403,
			change: func(c client, _ purchase) {
				edit(c, "policy.json", func(doc map[string]any) {
					was = doc["nftBuy"].(map[string]any)["maxPricePerTx"]
					doc["nftBuy"].(map[string]any)["maxPricePerTx"] = 0.5
				})
			}, back: func(c client) {
				edit(c, "policy.json", func(doc map[string]any) { doc["nftBuy"].(map[string]any)["maxPricePerTx"] = was })
			}},
		{name: "the kill switch is on", change: line("ai: enough"), back: unhalt, code: "killed", exit: 3, status: 409},
		{name: "spending is halted", change: line("policy: enough"), back: unhalt, code: "halted", exit: 3, status: 403},
	}
}

// TestChangedActions changes what an action is about, or its row, after a person has
// seen the card and given everything but the last answer, and once more before the
// card is asked for: each time it is refused, with the code of why, at a terminal and
// over HTTP, and nothing was approved.
func TestChangedActions(t *testing.T) {
	t.Parallel()
	all := refusals()
	w := newWorld(t, program.Plain.For(t), len(all)+2)
	clients := []client{w.client("one"), w.client("two"), w.client("three")} // each has a number of calls in a minute
	var pages []browser
	for range clients {
		pages = append(pages, w.serve().person())
	}
	for i, r := range all {
		t.Run(r.name, func(t *testing.T) {
			c, at, own := clients[i%len(clients)], pages[i%len(pages)], *w
			own.t, c.world = t, &own
			b := c.propose(i)
			// The short form takes one of the two ways, in turn.
			terminal, page := *full || i%2 == 0, *full || i%2 == 1
			var person person
			if terminal {
				person = own.sit(b.id)
				person.steps(answers{})
			}
			var conf confirmation
			if page {
				var card answer
				if card, conf = at.challenge(b.id); card.status != 200 {
					t.Fatalf("the card: %d %s", card.status, card.text)
				}
			}
			r.change(c, b)
			if terminal {
				person.Send(passphrase)
				wantExit(t, "with the card at the terminal", person.end(), r.exit, r.code)
				wantExit(t, "at a terminal", own.refused(b.id), r.exit, r.code)
			}
			if page {
				wantAnswer(t, "with the card of the page", at.approve(b.id, conf), r.status, r.code)
				a, _ := at.challenge(b.id)
				wantAnswer(t, "the card", a, r.status, r.code)
			}
			if r.back != nil {
				r.back(c)
			}
			own.nothing(t, b)
			own.done(b)
		})
	}
}

func wantExit(t *testing.T, what string, o outcome, exit int, code string) {
	t.Helper()
	if o.exit != exit || o.Code != code || o.Sent != "no" {
		t.Errorf("%s: exit %d, %s, sent %v, want %d %s; %s", what, o.exit, o.Code, o.Sent, exit, code, o)
	}
}

func wantAnswer(t *testing.T, what string, a answer, status int, code string) {
	t.Helper()
	if a.status != status || a.Code != code {
		t.Errorf("%s: %d %s, want %d %s", what, a.status, a.text, status, code)
	}
}
