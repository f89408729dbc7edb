// Package agents holds the identities that may send events to this machine:
// registered agents with hashed tokens, and the invites that admit new ones.
package agents
