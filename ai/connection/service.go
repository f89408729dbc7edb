package connection

import (
	"strings"

	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// service is a preset of addresses by its name.
func service(name string) (provider.Service, error) {
	if s, ok := provider.Lookup(name); ok {
		return s, nil
	}
	var names []string
	for _, s := range provider.Presets() {
		names = append(names, s.Name)
	}
	return provider.Service{}, fault.New(fault.Usage, "there is no such preset of a model's provider").
		Hintf("--preset is one of %s", strings.Join(names, ", "))
}
