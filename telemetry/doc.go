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
// Reading never writes: a reader creates no file, takes no lock and works on a
// read-only file system.
//
// The files of the log are opened by names that anybody can guess, in a directory
// that may have come with a cloned repository. So nothing that is not a plain file
// is opened: no symbolic or hard link, no FIFO; what is written to must belong to
// this user (store.OpenPrivate), and a lock file that holds anything but our record
// stays as it is. The state directory itself may be a link to a directory of ours.
//
// # What the log promises, and what it assumes
//
// A line whose append returned is in the log once, whole, whatever happens to the
// process. A durable append also survives the machine. A failed append is never
// repeated; a part of its line may be there, and is a bad line by itself. Readers
// skip bad lines and count them.
//
// It assumes a local file system on which flock works and an appending write is
// atomic towards other appends. Programs that take no lock may append too: a line
// that they write with one call stays whole; one that they write in pieces may be
// cut by ours, or swallow ours, which is then reported as failed.
//
// events.meta names the log. When its file is cut, emptied, deleted or replaced by
// others, the log gets a new id and old cursors are refused rather than served
// wrongly. The id of a replaced file follows from the old id and the first bytes of
// the file, so that readers and writers agree on it without a word. What can't be
// noticed: a file rewritten in place, with the same first line, to no less than its
// old size; and, by a process that starts after it, a cut of less than 64 KiB below
// a writer that was killed.
package telemetry
