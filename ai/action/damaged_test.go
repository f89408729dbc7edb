package action_test

import (
	"encoding/json"
	"testing"

	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// A row that something else wrote keeps no other from being listed, proposed, rejected
// and cancelled, and nobody can approve it.
func TestDamagedRow(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"document": `UPDATE ai_actions SET doc = '{' WHERE id = ?`,
		"nothing":  `UPDATE ai_actions SET doc = '' WHERE id = ?`,
		"outcome":  `UPDATE ai_actions SET state = 'failed', outcome = '{' WHERE id = ?`,
		"times":    `UPDATE ai_actions SET created_at = 9223372036854775807, expires_at = 9223372036854775807 WHERE id = ?`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := w.service(t)
			id := propose(t, s, w.proposal("nft_buy", "q_1"))
			w.sql(t, damage, id)
			if name == "document" || name == "nothing" {
				_, err := s.Challenge(t.Context(), id, "session")
				wantCode(t, err, fault.StateUnusable)
			}
			other := propose(t, s, w.proposal("nft_buy", "q_2"))
			all, err := s.List(t.Context(), action.Filter{})
			if err != nil || len(all) != 2 {
				t.Fatalf("%d actions, %v", len(all), err)
			}
			if _, err := json.Marshal(all); err != nil {
				t.Error(err)
			}
			show(t, s, id)
			if name != "outcome" {
				if a, err := s.Reject(t.Context(), id, "operator", "unknown"); err != nil || a.State != action.Rejected {
					t.Errorf("%s, %v", a.State, err)
				}
			}
			if n, err := s.CancelAll(t.Context(), "kill", "stop"); err != nil || n != 1 || show(t, s, other).State != action.Cancelled {
				t.Errorf("%d cancelled, %v", n, err)
			}
		})
	}
}
