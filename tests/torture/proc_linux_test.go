package torture_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// dieWithUs makes the kernel end a child whose parent is gone.
func dieWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// memory returns a process's resident bytes, and the most it ever had.
func memory(pid int) (now, peak int64, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, false
	}
	return numberAfter(b, "VmRSS:") << 10, numberAfter(b, "VmHWM:") << 10, true
}

// descriptors counts a process's open files, and the sockets among them.
func descriptors(pid int) (files, sockets int, ok bool) {
	dir := fmt.Sprintf("/proc/%d/fd/", pid)
	list, err := os.ReadDir(dir)
	for _, e := range list {
		if to, err := os.Readlink(dir + e.Name()); err == nil && strings.HasPrefix(to, "socket:") {
			sockets++
		}
	}
	return len(list), sockets, err == nil
}

// openFiles names what a process has open; of its connections, also in which state
// they are.
func openFiles(pid int) string {
	dir := fmt.Sprintf("/proc/%d/fd/", pid)
	list, err := os.ReadDir(dir)
	if err != nil {
		return err.Error()
	}
	tcp, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", pid)) // as much as there is
	var out strings.Builder
	for _, e := range list {
		to, err := os.Readlink(dir + e.Name())
		if err != nil {
			continue // closed meanwhile
		}
		if inode, ok := strings.CutPrefix(to, "socket:["); ok {
			for line := range strings.Lines(string(tcp)) {
				if f := strings.Fields(line); len(f) > 9 && f[9] == strings.TrimSuffix(inode, "]") {
					to += " local, remote, state, queues: " + strings.Join(f[1:5], " ")
				}
			}
		}
		fmt.Fprintf(&out, "  %s %s\n", e.Name(), to)
	}
	return out.String()
}

// bytesRead is what a process has read so far, from files and sockets.
func bytesRead(pid int) (int64, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	return numberAfter(b, "rchar:"), err == nil
}

func numberAfter(b []byte, name string) int64 {
	_, rest, _ := bytes.Cut(b, []byte(name))
	f := strings.Fields(string(rest))
	if len(f) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(f[0], 10, 64)
	return n
}
