package commands

import (
	"os"
	"path/filepath"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
)

// DoctorFence is who could move it.
type DoctorFence struct {
	Home    bool `json:"homeWritable"` // by this user, and so by an agent that runs as it
	Machine bool `json:"machineFile"`  // there is an outer policy, beyond the home
}

// fence tells which files the policy is made of, and whether this user, and so an
// agent that runs as it, could change them.
func (r *checkup) fence(cfg *Config) {
	src, err := r.d.sources()
	if err != nil {
		return
	}
	r.out.State.PolicyFiles = append([]policy.FileReport{}, policy.LoadReport(src).Files...)
	f := &r.out.State.Fence
	f.Home = store.CheckDir(cfg.Home) == nil
	if etc := r.d.host.PolicyDir; etc != "" && !cfg.IsSandbox() {
		outer := filepath.Join(etc, "policy.json")
		_, err := os.Stat(outer)
		f.Machine = err == nil
		if f.Machine && store.CheckDir(etc) == nil {
			r.warn("%s can be changed by this user: it bounds nobody who runs as it", outer)
		}
	}
}
