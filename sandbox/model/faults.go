package model

import (
	"net/http"
	"slices"
)

// Fault is something that goes wrong in an answer.
type Fault string

// Faults that leave nothing but an error. after is their Retry-After.
const (
	Refused     Fault = "400"
	Unauth      Fault = "401"
	Unpaid      Fault = "402"
	Forbidden   Fault = "403"
	Unknown     Fault = "404" // the model is not there
	Late        Fault = "408"
	RateLimited Fault = "429"
	Broken      Fault = "500"
	BadGateway  Fault = "502"
	Unavailable Fault = "503"
	Overloaded  Fault = "529"
	Quota       Fault = "quota"       // 429 that no waiting mends: insufficient_quota
	EchoKey     Fault = "echo_key"    // 401 that repeats the key it was sent, whole and crossed out
	HTML        Fault = "html"        // 200 with a web page
	Redirect    Fault = "redirect"    // 307 to another host
	HangUp      Fault = "hang_up"     // the connection ends before an answer
	Garbage     Fault = "garbage"     // 200 with what is no JSON
	ErrorFirst  Fault = "error_first" // an error object in place of a stream, with status 200
	NoChoices   Fault = "no_choices"  // an answer with an empty list of choices
	Empty       Fault = "empty"       // an end without text or calls
	Withheld    Fault = "withheld"    // the same, by a content filter
	Spent       Fault = "spent"       // the same, since the limit of tokens was reached before
	Silent      Fault = "silent"      // no byte at all
	CutEarly    Fault = "cut_early"   // the stream breaks off before anything was said
	Huge        Fault = "huge"        // text without end
	HugeLine    Fault = "huge_line"   // one line without end
)

// Faults that leave a part of the answer.
const (
	Cut    Fault = "cut"    // the stream breaks off half-way
	Idle   Fault = "idle"   // a first piece, and then nothing more
	Midway Fault = "midway" // an error object in the middle of the stream
)

// Faults that bend the answer.
const (
	NoOptions   Fault = "no_stream_options" // refuses stream_options, and answers without
	NoStreaming Fault = "no_streaming"      // refuses to stream, and answers without
	Unsigned    Fault = "unsigned"          // refuses calls that have no thought signature, and answers with
	Signed      Fault = "signed"            // calls come with a thought signature
	Unstreamed  Fault = "unstreamed"        // plain JSON although a stream was asked for
	NoIndex     Fault = "no_index"          // calls come without their index, each whole
	SplitNoIdx  Fault = "split_no_index"    // the same, and arguments in pieces
	SameIndex   Fault = "same_index"        // all calls have index 0
	NoID        Fault = "no_id"             // calls have empty ids
	SameID      Fault = "same_id"           // calls share an id
	NewIDs      Fault = "new_ids"           // each piece of a call has another id
	NullContent Fault = "null_content"      // content is null
	BrokenArgs  Fault = "broken_args"       // arguments end early
	ArgsObject  Fault = "args_object"       // arguments are an object in place of a string
	BadUTF8     Fault = "bad_utf8"          // bytes that are no text, in text and arguments
	Surrogate   Fault = "surrogate"         // half a character as an escape, in text and arguments
	Slow        Fault = "slow"              // a second between two pieces
	Comments    Fault = "comments"          // comments, CRLF, event names, no space after data:
	Unspaced    Fault = "unspaced"          // no empty line between two frames
	NoDone      Fault = "no_done"           // no [DONE] at the end, nor a line end
	NoFinish    Fault = "no_finish"         // [DONE], but no finish_reason
	StopCalls   Fault = "stop_calls"        // calls that end with finish_reason stop
	Length      Fault = "length"            // cut at the limit of tokens
	Parts       Fault = "parts"             // content as a list of parts
	NullError   Fault = "null_error"        // frames begin with an error that is null
	NoUsage     Fault = "no_usage"          // usage is not told
	EachUsage   Fault = "each_usage"        // usage so far with each piece
	Lingering   Fault = "lingering"         // all is said, but the stream does not end
)

// failing faults count as played once they happened.
var failing = []Fault{
	Refused, Unauth, Unpaid, Forbidden, Unknown, Late, RateLimited, Broken, BadGateway, Unavailable, Overloaded, Quota, EchoKey,
	HTML, Redirect, HangUp, Garbage, ErrorFirst, NoChoices, Empty, Withheld, Spent, Silent, CutEarly, Huge, HugeLine, Cut, Idle, Midway,
}

var faults = append(slices.Clone(failing),
	NoOptions, NoStreaming, Unsigned, Signed, Unstreamed, NoIndex, SplitNoIdx, SameIndex, NoID, SameID, NewIDs, NullContent, BrokenArgs,
	ArgsObject, BadUTF8, Surrogate, Slow, Comments, Unspaced, NoDone, NoFinish, StopCalls, Length, Parts, NullError, NoUsage, EachUsage, Lingering)

// Faults lists all there are.
func Faults() []Fault { return slices.Clone(faults) }

func (f Fault) fails() bool { return slices.Contains(failing, f) }

// refusal is the status and the error object of a fault that is one.
func (f Fault) refusal(authorization string) (int, map[string]any, bool) {
	say := func(status int, kind, code, text string) (int, map[string]any, bool) {
		e := map[string]any{"message": text, "type": kind, "param": nil, "code": nil}
		if code != "" {
			e["code"] = code
		}
		return status, e, true
	}
	switch f {
	case Refused:
		return say(http.StatusBadRequest, "invalid_request_error", "", "This request is not valid.")
	case Unauth:
		return say(http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", "Incorrect API key provided.")
	case EchoKey:
		return say(http.StatusUnauthorized, "invalid_request_error", "invalid_api_key",
			"Incorrect API key provided: "+authorization+", that is "+crossed(authorization)+".")
	case Unpaid:
		return say(http.StatusPaymentRequired, "payment_required", "", "Insufficient credits.")
	case Forbidden:
		return say(http.StatusForbidden, "permission_error", "", "This key may not use this model.")
	case Unknown:
		return say(http.StatusNotFound, "invalid_request_error", "model_not_found", "The model does not exist.")
	case Late:
		return say(http.StatusRequestTimeout, "timeout", "", "The request took too long to arrive.")
	case RateLimited:
		return say(http.StatusTooManyRequests, "requests", "rate_limit_exceeded", "Rate limit reached for requests.")
	case Quota:
		return say(http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan.")
	case Broken:
		return say(http.StatusInternalServerError, "server_error", "", "The server had an error.")
	case BadGateway:
		return say(http.StatusBadGateway, "server_error", "", "Bad gateway.")
	case Unavailable:
		return say(http.StatusServiceUnavailable, "server_error", "", "No capacity.")
	case Overloaded:
		return say(529, "overloaded_error", "", "Overloaded.")
	}
	return 0, nil, false
}

// crossed is a key as services repeat it: its ends, and stars between them.
func crossed(key string) string {
	if len(key) < 16 {
		return "****"
	}
	return key[:10] + "*****" + key[len(key)-4:]
}
