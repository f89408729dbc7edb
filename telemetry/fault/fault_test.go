package fault_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// want is the published table, written out by hand: a change of an exit status
// must fail here.
var want = map[fault.Code]int{
	"internal": 1, "policy_blocked": 3, "halted": 3, "policy_invalid": 3, "currency_not_allowed": 3, "collection_not_allowed": 3,
	"outside_window": 3, "contract_not_allowed": 3, "contract_mismatch": 3, "contract_missing": 11, "fee_over_limit": 3, "route_not_allowed": 3, "minimum_not_met": 3,
	"collection_ambiguous": 3, "price_over_limit": 3, "quote_expired": 3, "simulation_required": 3, "simulation_failed": 3,
	"confirmation_mismatch": 3, "cap_exceeded": 3, "unsafe_transaction": 3, "approval_required": 4, "auth": 5, "upstream": 6,
	"chain_mismatch": 6, "tx_unknown": 7, "tx_reverted": 8, "partial": 9, "conflict": 10, "quote_used": 10, "not_found": 11,
	"state_unusable": 12, "not_durable": 12, "checks_failed": 13, "usage": 64, "canceled": 130,
	"killed": 3, "tool_disabled": 3, "permission_denied": 3, "action_stale": 3, "action_expired": 3, "stale_reference": 3, "cost_cap_reached": 3,
	"tool_budget_exhausted": 3, "self_approval_forbidden": 4, "reauth_required": 4, "locked_out": 4, "tty_required": 4, "no_connection": 5,
	"connection_inactive": 5, "provider_auth": 5, "provider_error": 6, "rate_limited": 6, "timeout": 6, "outcome_unknown": 7,
	"action_not_pending": 10, "name_taken": 10, "invalid_arguments": 64, "unknown_tool": 64, "unknown_permission": 64, "permission_mismatch": 64,
	"permission_missing": 64, "permission_excess": 64, "limit_invalid": 64, "model_unavailable": 64,
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	if len(fault.Table) != len(want) {
		t.Errorf("the table has %d codes, want %d", len(fault.Table), len(want))
	}
	for _, e := range fault.Table {
		w, ok := want[e.Code]
		if !ok || e.Exit != w {
			t.Errorf("%s exits %d, want %d (listed: %v)", e.Code, e.Exit, w, ok)
		}
		if e.Means == "" || e.Retry == "" {
			t.Errorf("%s has no meaning or no retry advice", e.Code)
		}
		if got := fault.ExitCode(fmt.Errorf("wrapped: %w", fault.New(e.Code, "x"))); got != w {
			t.Errorf("a wrapped %s exits %d", e.Code, got)
		}
		if e.Gate != fault.IsGate(e.Code) || (e.Gate && e.Exit != 3) {
			t.Errorf("%s: a gate exits 3", e.Code)
		}
	}
	for _, c := range []struct {
		err  error
		want int
	}{{nil, 0}, {errors.New("foreign"), 1}, {context.Canceled, 130}, {fault.New("unheard_of", "x"), 1}, {context.DeadlineExceeded, 1}} {
		if got := fault.ExitCode(c.err); got != c.want {
			t.Errorf("ExitCode(%v) = %d, want %d", c.err, got, c.want)
		}
	}
}

func TestForeignErrorsAreNotShown(t *testing.T) {
	t.Parallel()
	e := fault.From(errors.New("dial: key=hunter2"))
	b, err := json.Marshal(e)
	if err != nil || strings.Contains(string(b), "hunter2") || e.Code != fault.Internal || e.Sent != fault.SentMaybe {
		t.Errorf("%s, %v", b, err)
	}
}

func TestJSONStartsWithOK(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(fault.New(fault.Usage, "no %q", "x").Hintf("try").With("n", 1))
	if err != nil || string(b) != `{"ok":false,"code":"usage","error":"no \"x\"","hint":"try","details":{"n":1}}` {
		t.Errorf("%s, %v", b, err)
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("buy: %w", fault.New(fault.QuoteUsed, "used"))
	if !errors.Is(err, &fault.Error{Code: fault.QuoteUsed}) || errors.Is(err, &fault.Error{Code: fault.Usage}) {
		t.Error("Is compares the code")
	}
}

// A suggestion that leaves the profile out would look at another home.
func TestSuggest(t *testing.T) {
	t.Parallel()
	const cli = "ape-claw --profile sandbox"
	for text, want := range map[string]string{
		"remove the cause, then lift the halt: ape-claw policy unhalt": "remove the cause, then lift the halt: ape-claw --profile sandbox policy unhalt",
		"ape-claw nft buy --help":                                      "ape-claw --profile sandbox nft buy --help",
		"ape-claw --profile sandbox nft resume":                        "ape-claw --profile sandbox nft resume",
		"ape-claw sandbox up --detach":                                 "ape-claw sandbox up --detach",
		"ape-claw demo, or ape-claw doctor":                            "ape-claw demo, or ape-claw --profile sandbox doctor",
		"it is in ~/.ape-claw/policy.json":                             "it is in ~/.ape-claw/policy.json",
		"wait for the other ape-claw to end":                           "wait for the other ape-claw to end",
		"use the newer ape-claw that wrote it, or ape-claw doctor":     "use the newer ape-claw that wrote it, or ape-claw --profile sandbox doctor",
		"something else than ape-claw wrote it":                        "something else than ape-claw wrote it",
		"choose a cheaper token":                                       "choose a cheaper token",
		"":                                                             "",
	} {
		if got := fault.Suggest(cli, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := fault.Suggest("ape-claw", text); got != text {
			t.Errorf("without a profile %q became %q", text, got)
		}
	}
}
