// Package provider talks to models over the OpenAI chat API, which many services
// speak, each with an accent of its own.
//
// go-openai makes the requests and reads the stream. Around it stands what it
// leaves open: its HTTP client here turns every status into one failure, follows
// no redirect, bounds what is read, and hands it a stream of clean frames, because
// its own reader loses errors that follow a comment, a last line without an end,
// and chunks that begin with an error of null. What is in a frame is decoded here
// (chunk.go), since services leave out indexes, ids and content, or write them in
// other types.
//
// An answer is data. Arguments of tool calls are handed on as the model wrote
// them, byte for byte, or the step fails: nothing is completed, closed or
// unescaped twice. A step that broke off yields no call at all.
package provider
