// Package chat keeps conversations with a model and runs their turns: a message of
// a person, or the outcome of an action, then steps of the model with the tool
// calls that it asks for, until it answers.
//
// What a model writes is data. It is stored, shown and sent back to it, and never
// read as a command, a path or a format. Commands that begin with a slash are read
// from what a person typed alone (Parse). Everything is stored as it happens, so
// that a process that is killed loses at most the step it was in, and no tool is
// run a second time for it.
package chat
