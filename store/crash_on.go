//go:build crashpoints

package store

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// The variables of a build with the tag crashpoints, which is made for tests alone.
const (
	// CrashAtEnv names the crash point at which the process kills itself: "name", or
	// "name#2" for the second time that it is passed, or "#17" for the 17th of all.
	CrashAtEnv = "APE_CLAW_CRASH_AT"
	// CrashLogEnv is a file to which each crash point that is passed is appended.
	CrashLogEnv = "APE_CLAW_CRASH_LOG"
)

var crash struct {
	sync.Mutex
	all  int
	seen map[string]int
}

// CrashPoint kills the process, as kill -9 would, if this is the moment that the
// environment asks for.
func CrashPoint(name string) {
	crash.Lock()
	defer crash.Unlock()
	if crash.seen == nil {
		crash.seen = map[string]int{}
	}
	crash.all++
	crash.seen[name]++
	if path := os.Getenv(CrashLogEnv); path != "" {
		if f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, _ = f.WriteString(name + "\n") // a list for tests: what it lacks, they notice
			_ = f.Close()
		}
	}
	at, nth, numbered := strings.Cut(os.Getenv(CrashAtEnv), "#")
	want := 1
	if numbered {
		want, _ = strconv.Atoi(nth)
	}
	if at == name && crash.seen[name] == want || at == "" && numbered && crash.all == want {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}
