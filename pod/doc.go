// Package pod is the workspace an agent lives in: its templates, status and
// heartbeat, the flag that stops it, and the runner that steps it.
package pod
