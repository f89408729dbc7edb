// Package contracts holds the v2 contracts: their Solidity sources, what
// `make contracts` compiled them to, and the Go bindings made from that.
package contracts
