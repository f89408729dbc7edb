package approve_test

import (
	"testing"

	"github.com/ape-claw/ape-claw/sandbox/model"
	"github.com/ape-claw/ape-claw/tests/program"
)

// TestCrashWrite kills the process that carries an approved write on chain out. Once
// v2 resume has found out what became of the transaction, so has the action: with its
// own hash, also where another one mints in just the same way.
func TestCrashWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, program.Crashing.For(t), 2)
	w.must("v2", "deploy", "--execute", "--autonomous")
	kills := []string{"chain: persisted#1", "chain: broadcast#1"}
	if *full {
		kills = append(kills, "chain: intended#1", "chain: signed#1", "chain: mined#1", "chain: settled#1", "chain: logged#1", "v2: sent#1")
	}
	var script []model.Step
	for range kills {
		script = append(script, model.Use("v2_skill_mint", `{}`), model.Say("It waits for you."))
	}
	w.plays(script...)
	seen := map[string]bool{}
	for _, at := range kills {
		w.chat("mint a skill")
		id := w.proposed(nil).id
		p := w.sit(id, "APE_CLAW_CRASH_AT="+at)
		p.stepsOf(answers{}, "contentHash", "parentId")
		p.Send(passphrase)
		if o := p.end(); !o.killed {
			t.Fatalf("it was not killed at %s\n%s", at, o)
		}
		w.sql(w.stateDB(), `UPDATE ai_actions SET beat_at = beat_at - 60000 WHERE id = ?`, id) // time goes by
		sent := at != "chain: intended#1" && at != "chain: signed#1"
		if a := w.action(id); a.State != "failed" || a.Outcome.Outcome != "unknown" {
			if told := at == "chain: logged#1" || at == "v2: sent#1"; !told { // what the log has is known at once
				t.Errorf("killed at %s: %+v", at, a)
			}
		}
		w.must("v2", "resume")
		a := w.action(id)
		hash := a.Outcome.TxHash
		switch {
		case !sent && a.State == "failed" && a.Outcome.Outcome == "unknown": // as with a purchase: nothing tells of it
		case sent && a.State == "executed" && a.Outcome.Outcome == "" && a.Outcome.Reconciled && hash != "" && !seen[hash]:
			if n := w.count(w.moneyDB(), `SELECT count(*) FROM tx WHERE hash = ? AND state = 'confirmed' AND key LIKE 'v2.skill.mint:%'`, hash); n != 1 {
				t.Errorf("killed at %s: %d such transactions", at, n)
			}
		default:
			t.Errorf("killed at %s: %+v", at, a)
		}
		seen[hash] = true
	}
}
