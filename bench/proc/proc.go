// Package proc reads what a process and the machine have used, from /proc. Where
// there is none, as on macOS, it says so and nothing is measured.
package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tick is the unit of CPU times in /proc: USER_HZ is 100 on every Linux that Go
// runs on.
const tick = 10 * time.Millisecond

// Usage is CPU time, user and system.
type Usage struct {
	Self    time.Duration // of the calling process
	Process time.Duration // of the one asked about
	Machine time.Duration // of all cores, whoever used them; a hypervisor that took them counts too
	OK      bool          // Process and Machine are known
}

// Now reads the counters; pid 0 asks about no process.
func Now(pid int) Usage {
	var u Usage
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) == nil {
		u.Self = time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	}
	process, err := processCPU(pid)
	if err != nil {
		return u
	}
	machine, err := machineCPU()
	if err != nil {
		return u
	}
	u.Process, u.Machine, u.OK = process, machine, true
	return u
}

var errFormat = errors.New("not as expected")

func processCPU(pid int) (time.Duration, error) {
	if pid <= 0 {
		return 0, os.ErrNotExist
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name in parentheses may hold anything; after it, utime and stime are
	// the 12th and 13th field: proc_pid_stat(5).
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 13 {
		return 0, errFormat
	}
	return ticks(f[11:13])
}

func machineCPU() (time.Duration, error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(b), "\n")
	f := strings.Fields(first) // cpu user nice system idle iowait irq softirq steal
	if len(f) < 9 || f[0] != "cpu" {
		return 0, errFormat
	}
	return ticks(append(f[1:4:4], f[6:9]...))
}

func ticks(fields []string) (time.Duration, error) {
	var sum int64
	for _, f := range fields {
		v, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += v
	}
	return time.Duration(sum) * tick, nil
}

// Mem is resident memory in bytes.
type Mem struct{ RSS, Peak int64 }

// Memory reads a process's resident memory, and the most it has been since it
// started or since ResetPeak.
func Memory(pid int) (Mem, error) {
	if pid <= 0 {
		return Mem{}, os.ErrNotExist
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return Mem{}, err
	}
	var m Mem
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[2] != "kB" {
			continue
		}
		v, err := strconv.ParseInt(f[1], 10, 64)
		switch {
		case err != nil:
			return Mem{}, err
		case f[0] == "VmRSS:":
			m.RSS = v << 10
		case f[0] == "VmHWM:":
			m.Peak = v << 10
		}
	}
	if m.RSS == 0 {
		return Mem{}, errFormat
	}
	return m, nil
}

// ResetPeak makes Mem.Peak count from now on: 5 is the word for it in
// proc_pid_clear_refs(5). Where that can't be written the peak stays that of the
// whole life, which is never too small.
func ResetPeak(pid int) {
	if pid > 0 {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
	}
}
