package proc_test

import (
	"os"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/bench/proc"
)

func TestOwnProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		if u := proc.Now(os.Getpid()); u.OK {
			t.Errorf("measured without /proc: %+v", u)
		}
		t.Skip("no /proc")
	}
	before := proc.Now(os.Getpid())
	for start := time.Now(); time.Since(start) < 60*time.Millisecond; { // some ticks of work
	}
	after := proc.Now(os.Getpid())
	if !after.OK || after.Self <= before.Self || after.Process < before.Process || after.Machine < before.Machine {
		t.Errorf("%+v then %+v", before, after)
	}
	m, err := proc.Memory(os.Getpid())
	if err != nil || m.RSS <= 0 || m.Peak < m.RSS {
		t.Errorf("%+v %v", m, err)
	}
	proc.ResetPeak(os.Getpid())
}

func TestNoProcess(t *testing.T) {
	t.Parallel()
	if u := proc.Now(0); u.OK {
		t.Errorf("%+v", u)
	}
	if m, err := proc.Memory(0); err == nil {
		t.Errorf("%+v", m)
	}
}
