// Package agents holds the identities that may call this machine: registered
// agents (clawbots) with hashed tokens, and the sessions of browsers that logged
// in as one.
package agents
