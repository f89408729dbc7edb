package policy_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The test binary is its own child: with spenderHome set it spends from that
// home until the cap stops it, naming each reservation once it is committed.
const (
	spenderHome = "APE_CLAW_TEST_SPENDER_HOME"
	spenderName = "APE_CLAW_TEST_SPENDER_NAME"
	crashCap    = "60"
)

func TestMain(m *testing.M) {
	if home := os.Getenv(spenderHome); home != "" {
		if err := spend(context.Background(), home, os.Getenv(spenderName)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func spend(ctx context.Context, home, name string) error {
	db, err := store.OpenMoney(ctx, home)
	if err != nil {
		return err
	}
	one, most := units.FromUint64(1e18), units.Wei{}
	if most, err = units.Parse(crashCap, 18); err != nil {
		return err
	}
	l := policy.NewLedger(db, time.Now)
	limits := []policy.Limit{{Name: "cap", Asset: ape, Cap: policy.Cap{Max: most}}}
	for i := 0; ; i++ {
		r := reservation(fmt.Sprintf("%s-%d", name, i), one)
		err := inTx(ctx, db, func(tx *sql.Tx) error { return l.Reserve(ctx, tx, []policy.Reservation{r}, limits) })
		switch fault.CodeOf(err) {
		case "":
			fmt.Println(r.ID)
		case fault.CapExceeded:
			return db.Close()
		case fault.Conflict: // the lock was held for too long: try again
		default:
			return err
		}
	}
}

// Six processes spend against one cap and half of them are killed on the way.
// What was acknowledged is in the ledger, and its sum is the cap: never more,
// and nothing that a killed process began stays half done.
func TestKilledSpenders(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	db := openMoney(t, home)
	var mu sync.Mutex
	var acked []string
	var wg sync.WaitGroup
	for i := range 6 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), spenderHome+"="+home, fmt.Sprintf("%s=p%d", spenderName, i))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			lines := bufio.NewScanner(out)
			killed := false
			for n := 1; lines.Scan(); n++ {
				mu.Lock()
				acked = append(acked, lines.Text())
				mu.Unlock()
				if i%2 == 0 && n == 2+i {
					killed = true
					if err := cmd.Process.Kill(); err != nil {
						t.Error(err)
					}
				}
			}
			if err := cmd.Wait(); err != nil && !killed {
				t.Errorf("spender %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	u := usage(t, policy.NewLedger(db, time.Now), "")
	if u.Total != amount(t, crashCap) {
		t.Fatalf("%s is reserved, the cap is %s", u.Total.Decimal(18), crashCap)
	}
	for _, id := range acked {
		var n int
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM spend WHERE id = ?`, id).Scan(&n); err != nil || n != 1 {
			t.Errorf("%s was acknowledged and is in the ledger %d times: %v", id, n, err)
		}
	}
	if len(acked) > u.Open {
		t.Errorf("%d acknowledged, %d in the ledger", len(acked), u.Open)
	}
}
