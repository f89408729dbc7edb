package bridge_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestClaims(t *testing.T) {
	t.Parallel()
	answer := ""
	c := relay(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "/base/intents/status/v3?requestId="+requestHex {
			t.Errorf("%s was asked", r.URL)
		}
		_, _ = io.WriteString(w, answer)
	})
	for word, want := range map[string]bridge.Outcome{
		"waiting": bridge.UnderWay, "depositing": bridge.UnderWay, "pending": bridge.UnderWay, "submitted": bridge.UnderWay, "delayed": bridge.UnderWay, "fallback": bridge.UnderWay,
		"Success": bridge.UnderWay, "refunded?": bridge.UnderWay, "something new": bridge.UnderWay,
		"success": bridge.SaysArrived, "refund": bridge.SaysRefunded, "failure": bridge.SaysFailed,
	} {
		answer = `{"status":"` + word + `","requestId":"0x` + strings.ToUpper(requestHex[2:]) + `","inTxHashes":["` + orderHex + `"],"txHashes":["` + otherHex + `","junk","` + otherHex + `"],"originChainId":"1","destinationChainId":33139}`
		got, err := c.Status(t.Context(), requestHex)
		if err != nil || got.Outcome != want || got.Word != word || len(got.OutTx) != 1 || got.InTx[0] != orderHex {
			t.Errorf("%s: %+v %v", word, got, err)
		}
		for _, about := range []struct {
			from, to int64
			deposit  string
			ok       bool
		}{{1, 33139, orderHex, true}, {1, 33139, "", true}, {10, 33139, orderHex, false}, {1, 10, orderHex, false}, {1, 33139, otherHex, false}} {
			if err := got.About(about.from, about.to, about.deposit); (err == nil) != about.ok {
				t.Errorf("%+v: %v", about, err)
			}
		}
	}
	for _, answer = range []string{`{"status":"success","requestId":"` + otherHex + `"}`, `{}`, `{"status":5}`, `[]`, `{"status":"success"`, ``} {
		if got, err := c.Status(t.Context(), requestHex); fault.CodeOf(err) != fault.Upstream {
			t.Errorf("%s: %+v %v", answer, got, err)
		}
	}
	if _, err := c.Status(t.Context(), "../../secrets"); fault.CodeOf(err) != fault.Usage {
		t.Errorf("%v", err)
	}
}

// An end is one only when the chain shows it.
func TestNext(t *testing.T) {
	t.Parallel()
	n := func(v uint64) *units.Wei { w := units.FromUint64(v); return &w }
	least := *n(900)
	none := bridge.Seen{}
	for name, c := range map[string]struct {
		status  string
		claim   bridge.Outcome
		seen    bridge.Seen
		next    string
		warning string
	}{
		"nothing was sent":           {bridge.StatusQuoted, bridge.SaysArrived, bridge.Seen{Arrived: n(1000)}, bridge.StatusQuoted, ""},
		"under way":                  {bridge.StatusPending, bridge.UnderWay, none, bridge.StatusPending, ""},
		"funds, and no word of them": {bridge.StatusPending, bridge.UnderWay, bridge.Seen{Arrived: n(1000)}, bridge.StatusPending, ""},
		"arrived":                    {bridge.StatusPending, bridge.SaysArrived, bridge.Seen{Arrived: n(900)}, bridge.StatusCompleted, ""},
		"said to have arrived":       {bridge.StatusPending, bridge.SaysArrived, none, bridge.StatusPending, "does not show them"},
		"nothing arrived":            {bridge.StatusPending, bridge.SaysArrived, bridge.Seen{Arrived: n(0)}, bridge.StatusPending, "does not show them"},
		"too little arrived":         {bridge.StatusPending, bridge.SaysArrived, bridge.Seen{Arrived: n(899)}, bridge.StatusFailed, "899 base units of at least 900"},
		"a refund under way":         {bridge.StatusPending, bridge.SaysRefunded, none, bridge.StatusPending, "does not show it yet"},
		"refunded":                   {bridge.StatusPending, bridge.SaysRefunded, bridge.Seen{Refunded: n(1)}, bridge.StatusRefunded, ""},
		"failed":                     {bridge.StatusPending, bridge.SaysFailed, none, bridge.StatusFailed, "no refund"},
		"failed and refunded":        {bridge.StatusPending, bridge.SaysFailed, bridge.Seen{Refunded: n(1)}, bridge.StatusRefunded, ""},
		"refunded after all":         {bridge.StatusFailed, bridge.SaysRefunded, bridge.Seen{Refunded: n(1)}, bridge.StatusRefunded, ""},
		"late":                       {bridge.StatusFailed, bridge.SaysArrived, bridge.Seen{Arrived: n(900)}, bridge.StatusCompleted, ""},
		"failed, and pending again":  {bridge.StatusFailed, bridge.UnderWay, none, bridge.StatusFailed, ""},
		"our deposit failed":         {bridge.StatusPending, bridge.SaysArrived, bridge.Seen{Reverted: true}, bridge.StatusFailed, ""},
		"completed is an end":        {bridge.StatusCompleted, bridge.SaysRefunded, bridge.Seen{Refunded: n(1)}, bridge.StatusCompleted, ""},
		"refunded is an end":         {bridge.StatusRefunded, bridge.SaysArrived, bridge.Seen{Arrived: n(1000)}, bridge.StatusRefunded, ""},
	} {
		next, warning := bridge.Next(c.status, least, bridge.Claim{Outcome: c.claim}, c.seen)
		if next != c.next || c.warning == "" != (warning == "") || !strings.Contains(warning, c.warning) {
			t.Errorf("%s: %s, %q; want %s, %q", name, next, warning, c.next, c.warning)
		}
	}
}
