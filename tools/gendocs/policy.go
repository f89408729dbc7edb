package main

import (
	"bytes"
	"encoding/json"

	"github.com/ape-claw/ape-claw/policy"
)

// policySchema is the JSON Schema of the policy file, for editors and other
// programs.
func policySchema() (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(policy.Schema())
	return b.String(), err
}
