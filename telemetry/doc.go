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
// cut by ours, or swallow ours, which is then reported as failed. And nobody removes
// events.lock: a process that finds its own gone takes the new one before it changes
// events.meta, but within one such change two may be at it.
//
// # Rotation
//
// An append that finds the active file at its size makes it a segment,
// events-<position of its first byte>.jsonl. Log ids and cursors do not change.
// Between any two of its system calls the process may be killed: the next writer, or
// a Settle, completes what it has left, and readers see one log meanwhile, without
// loss, double or reset. (rotate.go says how.) At most, lines that programs without the
// lock added just then are shown a little later.
//
// Programs that hold the old file open may go on adding to it: their whole lines are
// carried over to the active file, once, behind a line of blanks that marks them, by
// the next append (of the newest segment), by the next that opens or rotates the log
// (of the newest 64), and by Settle (of all; of more than 512 segments, in turns). A
// line that they complete later is carried over whole; one of more than MaxLine is
// left out. Only in one case can a line be missing: the process is killed inside the
// very write that carries over, at the end of one line, and another program adds the
// very line that follows, right there; then one of two equal lines is there.
//
// Old segments are removed whole, after what is late in them was carried over. The
// positions of what is left do not change; a cursor to what is gone is refused with
// [ResetGone] and the place where the log starts now. What a program adds to a file
// after it was removed is lost. A segment that others removed ends the log at what
// comes after it; one that has lost its end, as in a power cut, keeps the rest. What
// has a segment's name without being it (a link, another file) is neither read as one
// that was rotated, nor overwritten, nor removed: a rotation takes another name.
// When others replace the active file, a new log begins; the segments of the old one
// stay on disk, unlisted, until somebody removes them.
//
// # Identity
//
// events.meta names the log. When its file is cut, emptied, deleted or replaced by
// others, the log gets a new id and old cursors are refused rather than served
// wrongly. The id follows from the old id and the first bytes of the file, so that
// readers and writers agree on it without a word. What can't be noticed: a file
// rewritten in place, with the same first line, to no less than its old size; and, by
// a process that starts after it, a cut of less than 64 KiB below a writer that was
// killed; and a copy of the directory that is put in its place or goes on by itself:
// a cursor to lines that it has not is refused only while it is shorter, or where its
// lines end elsewhere. A program from before there were rotations refuses to append
// to a log that was rotated. A log that has segments and loses its events.meta starts anew with the
// active file.
package telemetry
