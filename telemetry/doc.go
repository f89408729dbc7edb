// Package telemetry is the record of what every command did: the event
// envelope, the catalogue of event types with their schemas, the redaction of
// secrets, and the append-only event log that many processes write and many
// readers follow.
//
// A command makes one [Recorder] and records [Draft] values with it. Each one
// becomes one line of JSON in the log of the state directory. Readers use
// [Log.Last], [Log.ReadAfter] and [Log.Watch]; their place in the log is a
// [Cursor], which stays valid over restarts.
//
// Reading never writes: a reader creates no file, takes no exclusive lock and
// works on a read-only file system.
package telemetry
