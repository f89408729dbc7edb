package ai

import "slices"

// Preset says which tools a connection or an MCP client has.
type Preset struct {
	Name    string   `json:"preset"`            // all, read_write, read_only, none, custom
	Enabled []string `json:"enabled,omitempty"` // of custom: names of tools
}

// The presets. In all of them what is above read only proposes.
const (
	PresetAll       = "all"
	PresetReadWrite = "read_write" // no high grade
	PresetReadOnly  = "read_only"
	PresetNone      = "none"
	PresetCustom    = "custom"
)

// Allows reports whether the preset has the tool. A preset that is unknown has none.
func (p Preset) Allows(t Tool) bool {
	switch p.Name {
	case PresetAll:
		return true
	case PresetReadWrite:
		return t.Grade == GradeRead || t.Grade == GradeWrite
	case PresetReadOnly:
		return t.Grade == GradeRead
	case PresetCustom:
		return slices.Contains(p.Enabled, t.Name)
	}
	return false
}
