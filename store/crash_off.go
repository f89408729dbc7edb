//go:build !crashpoints

package store

// CrashPoint marks a moment at which a process may be killed by a test: between
// two steps that must be safe to end after. In this build it does nothing.
func CrashPoint(string) {}
