package main

import (
	"fmt"
	"syscall"
)

// enoughFiles says in words that so many connections can't be opened here.
func enoughFiles(clients int) error {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil {
		return err
	}
	// A server holds one file a client, the generator too, in another process;
	// both raise their soft limit to the hard one by themselves.
	if need := clients + 128; r.Max < uint64(need) {
		return fmt.Errorf("%d clients need %d open files a process, and the limit here is %d: raise it (ulimit -Hn %d, as root), or leave the row out with -row", clients, need, r.Max, need)
	}
	return nil
}
