// Package pod is the workspace an agent lives in: its templates, status and
// heartbeat, the flag that stops it, and the runner that steps it.
//
// A workspace is a directory that an agent writes, that may have been cloned from
// anywhere, and that is looked at by commands and by serve. So nothing in it is
// believed: every file is opened below the directory and nowhere else, links are
// refused, sizes are bounded, and what is shown is cleaned. What the runner itself has
// to find again after a crash it writes whole or not at all.
package pod
