package v2

import "github.com/ape-claw/ape-claw/v2/contracts"

// Name names one of the contracts, as the deployment record and events do.
type Name = contracts.Name

// Located is a contract whose address was found and whose code was looked at.
type Located struct {
	Name    Name   `json:"name"`
	Address string `json:"address"` // lower case
	From    string `json:"from"`    // where the address is from, for people
	// Known says that the code there is the one this program was built with. What is
	// not known may be called only where the policy lists it.
	Known bool `json:"known"`
}
