// Package binding holds the Go bindings of the v2 contracts, one file each, as
// `make contracts` wrote them.
package binding
