package commands

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/ape-claw/ape-claw/ai"
)

// Version is set by the build: -ldflags "-X …/commands.Version=1.2.3".
var Version = "0.1.0-dev"

// VersionIn has no flags.
type VersionIn struct{}

// VersionOut says what this binary is.
type VersionOut struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersion() Command {
	return define(Spec{Name: "version", Short: "Print the version", Risk: RiskRead, Permission: "system:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead}, Quiet: true, Anywhere: true},
		func(context.Context, *Deps, VersionIn) (VersionOut, error) {
			out := VersionOut{Version: Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						out.Revision = s.Value
					}
				}
			}
			return out, nil
		},
		func(p *Printer, out VersionOut) {
			p.Line("ape-claw %s (%s, %s)", out.Version, out.Go, out.Platform)
		})
}
