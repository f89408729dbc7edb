// Package model is a local model service that speaks the OpenAI chat API and plays
// a script: it stands in for a provider, faults included.
//
// # A script
//
// A script is one JSON object. Its steps are what the model answers, one step a
// request, in order:
//
//	{
//	  "about": "quote, simulate, propose a purchase, and report it",
//	  "steps": [
//	    {"call": [{"tool": "nft_quote", "args": {"collection": "demo-apes"}}]},
//	    {"call": [{"tool": "nft_simulate", "args": {"quote": "$.nft_quote.quoteId"}}]},
//	    {"call": [{"tool": "nft_buy", "args": {"quote": "$.nft_quote.quoteId"}}],
//	     "say": "I propose this one."},
//	    {"say": "Proposed as {$.nft_buy.actionId}: it waits for you."},
//	    {"when": {"result": "executed"}, "say": "Bought."}
//	  ]
//	}
//
// The fields of a script:
//
//	about      what it shows, for people
//	model      the name of its model; "scripted" if there is none
//	loop       true: after the last step comes the first again. A script of one
//	           step that loops calls its tool for ever
//	otherwise  a step for when no other is left; without it the model says that
//	           the script has no more to say
//	steps      the steps
//
// The fields of a step, all of them optional:
//
//	say    text, streamed word by word
//	call   tool calls, in order: tool, args, and id where the id matters. Two calls
//	       in one step are two parallel calls
//	obey   true: the model does what the newest text tells it. It looks for
//	       CALL tool {arguments} in the newest tool results and in what the user
//	       said, and calls that; say is what it answers if it finds none.
//	       References in those arguments are followed where they lead somewhere
//	when   the step is for some requests only, see below
//	fault  what goes wrong, see Faults
//	usage  what the step says it cost: {"input": 10, "output": 5, "cacheRead": 0,
//	       "cost": "0.0001"}. Without it, numbers that follow from the lengths.
//	       null: none are told
//
// args is an object, or a string, which is sent as it stands: a string holds what
// a model writes that can't write JSON.
//
// # References
//
// A string in args that is "$.nft_quote.quoteId" as a whole becomes the value
// quoteId of the newest result of nft_quote that the request holds, with its type;
// lists take an index ("$.market_listings.listings.0.tokenId"). Within longer
// strings, and in say, {$.nft_quote.quoteId} becomes text. References look through
// the fence around a result, and into the head of one that was cut, where the first
// value of the last name is taken. "$.user" is what the user said last. A reference
// that leads nowhere is answered with status 422, which says which one.
//
// # Which step is played
//
// The first step that was not played and whose when fits. What was played is read
// off the request: a step whose words or calls are in the conversation already was.
// So a conversation goes on in its script after the process has ended, and each
// conversation of a server is at its own place; two that are equal word for word
// are one. A step whose fault leaves nothing in the conversation counts as played
// once it happened, for the whole server; in a loop it happens once, unless nothing
// else is left.
//
// when has these, and all that are named must fit:
//
//	user    the user's last words hold this text (case does not matter)
//	tool    the request ends with a result of this tool
//	result  the tool results since the model's last words hold this text
//	last    "user" or "tool": what the request ends with
//
// A step that does not fit is passed over; with loop a script of such steps is a
// bot that answers by rules.
//
// # Faults
//
// See the constants of type Fault. A number is a status, with after as its
// Retry-After. Faults of the first list leave nothing but an error, those of the
// second a part of the answer, and those of the third bend how say and call are
// sent: {"fault": "no_index", "call": […]}. A dead port is a server that was closed;
// eleven calls are a step with eleven; an endless loop is a loop of one call.
//
// # A model without a server of its own
//
// Start serves a script on a local port, under URL, which is the base URL of a
// connection; with a Key it wants that as the bearer token. Requests returns what
// it was asked, byte for byte. Like the services, it refuses a conversation in which
// a call has no result, a result no call, or arguments are no JSON.
package model
