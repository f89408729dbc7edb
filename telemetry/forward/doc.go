// Package forward sends the events of this machine to a remote serve, and loses none
// on the way: an [Outbox] is a cursor over the event log, so that what could not be
// sent now is sent later, by whichever process comes next.
//
// An event goes out as its line of the log with an eventId, <outbox>/<position after
// it>, which is the same at every attempt: the receiver takes each once. The file
// outbox.json beside the log has the cursor; it moves only after the receiver has
// answered for the events before it. Whoever is killed between the two sends them
// again under the same ids.
//
// Each agent has a lane of its own in the file: its cursor, what went wrong last and
// until when nothing is tried. Events are sent under the agent that they name, since
// the receiver believes the credentials and not the line. Events of names that no
// receiver knows agents by (the default name, those of models) go with the agent
// that forwarded first.
package forward
