// Package bridge moves funds between chains through Relay: quotes, the steps a
// quote asks for, their status, refunds. It treats what the bridge answers as
// untrusted input, signs only what was quoted, and spends only what policy grants.
package bridge
