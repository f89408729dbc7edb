package commands

import (
	"path/filepath"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// stateDir is the directory of events and quotes. The original program's project root
// holds one too: it counts for less than what names the directory itself, and, being of
// the environment, for more than the config file.
func (r *resolver) stateDir(wd string) string {
	state := r.get("state-dir")
	if root := r.get("root").Value; root != "" && (state.Source == FromDefault || state.Source == FromFile) {
		state.Value = filepath.Join(root, "state")
	}
	if filepath.IsAbs(state.Value) {
		return state.Value
	}
	return filepath.Join(wd, state.Value)
}

func (r *resolver) fillTelemetry(c *Config) (err error) {
	url, rotate, keep := "telemetry.url", "telemetry.rotateBytes", "telemetry.keepBytes"
	c.TelemetryURL = r.get(url)
	if o, s := r.option(url), c.TelemetryURL; s.Value != "" && !isServer(s.Value) {
		return fault.New(fault.Usage, "%s is not the http or https URL of a server, without user, query and fragment", o.named(s.Source)).
			Hintf("%s; APE_CLAW_AGENT_ID and APE_CLAW_AGENT_TOKEN hold the credentials", o.example(s.Source, "https://HOST"))
	}
	if c.RemoteOnly, err = r.flag("telemetry.remoteOnly"); err != nil {
		return err
	}
	if c.RemoteOnly && c.TelemetryURL.Value == "" {
		o := r.option("telemetry.remoteOnly")
		return fault.New(fault.Usage, "%s is set and APE_CLAW_TELEMETRY_URL is not: events would go nowhere", o.named(r.get(o.key).Source)).
			Hintf("export APE_CLAW_TELEMETRY_URL=https://HOST, or leave %s out", o.named(r.get(o.key).Source))
	}
	if c.TelemetryInsecure, err = r.flag("telemetry.insecure"); err != nil {
		return err
	}
	if c.RotateBytes, err = logSize(r.option(rotate), r.get(rotate), sizeNever, -1, minRotate); err != nil {
		return err
	}
	c.KeepBytes, err = logSize(r.option(keep), r.get(keep), sizeAll, 0, 1)
	return err
}
