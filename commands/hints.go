package commands

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/ape-claw/ape-claw/ai/mcp"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// cli is how a suggested command begins in this profile and these directories.
func (d *Deps) cli() string {
	if cfg, err := d.Config(); err == nil {
		return cfg.cli()
	}
	return "ape-claw"
}

func (c *Config) cli() string {
	out := "ape-claw"
	if c.IsSandbox() {
		out += " --profile " + ProfileSandbox
	}
	return out + c.places
}

// placesOf are the flags that said where this run has its home, state and policy: an
// MCP server's are in its client's settings, and no other command finds them by itself.
func placesOf(flags *pflag.FlagSet) string {
	var b strings.Builder
	for _, name := range []string{"home", "state-dir", "policy"} {
		if f := flags.Lookup(name); f != nil && f.Changed && f.Value.String() != "" {
			b.WriteString(" --" + name + " " + mcp.Shell(f.Value.String()))
		}
	}
	return b.String()
}

// inProfile is a suggestion with its commands in this profile. Without that they
// would look at another home, and say that all is well there. It reads nothing: to
// tell an error must not fail by what the error is about.
func (d *Deps) inProfile(text string) string {
	if cfg := d.loaded.Load(); cfg != nil && cfg.cli() != "ape-claw" {
		return fault.Suggest(cfg.cli(), text)
	}
	return text
}
