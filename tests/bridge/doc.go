// Package bridge breaks the bridge from outside: the built binary as real processes
// against the sandbox's two chains and its bridge, which lies, gives back, pays short or
// does nothing, and processes that are killed after every step.
//
// What is right is read from both chains, past all faults, and from the files, by code
// that shares nothing with the product. Without -full each test is a short form of itself.
package bridge
