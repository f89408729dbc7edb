package model

// Fault is something that goes wrong in an answer.
type Fault string

// Faults that leave nothing but an error. after is their Retry-After.
const (
	Refused     Fault = "400"
	Unauth      Fault = "401"
	Unpaid      Fault = "402"
	Forbidden   Fault = "403"
	Unknown     Fault = "404"
	Late        Fault = "408"
	RateLimited Fault = "429"
	Broken      Fault = "500"
	BadGateway  Fault = "502"
	Unavailable Fault = "503"
	Overloaded  Fault = "529"
	Quota       Fault = "quota"    // 429 that no waiting mends: insufficient_quota
	HTML        Fault = "html"     // 200 with a web page
	Redirect    Fault = "redirect" // 307 to another host
	HangUp      Fault = "hang_up"  // the connection ends before an answer
	Garbage     Fault = "garbage"  // 200 with what is no JSON
	NoOptions   Fault = "no_stream_options"
	NoStreaming Fault = "no_streaming" // refuses to stream, and answers without
)

// Faults that bend the answer.
const (
	NoIndex     Fault = "no_index"     // calls come without their index
	SameIndex   Fault = "same_index"   // all calls have index 0
	NoID        Fault = "no_id"        // calls have empty ids
	SameID      Fault = "same_id"      // calls share an id
	NoChoices   Fault = "no_choices"   // an answer with an empty list of choices
	NullContent Fault = "null_content" // content is null, calls or not
	BrokenArgs  Fault = "broken_args"  // arguments end early
	ArgsObject  Fault = "args_object"  // arguments are an object in place of a string
	Cut         Fault = "cut"          // the stream breaks off half-way
	CutEarly    Fault = "cut_early"    // it breaks off before anything was said
	Slow        Fault = "slow"         // a second between two pieces
	Idle        Fault = "idle"         // a first piece, and then nothing more
	Silent      Fault = "silent"       // no byte at all
	Empty       Fault = "empty"        // an end without text or calls
	Huge        Fault = "huge"         // text without end
	HugeLine    Fault = "huge_line"    // one line without end
	BadUTF8     Fault = "bad_utf8"     // bytes that are no text, in text and arguments
	Surrogate   Fault = "surrogate"    // half a character as an escape, in text and arguments
	Midway      Fault = "midway"       // an error object in the middle of the stream
	ErrorFirst  Fault = "error_first"  // an error object in place of a stream, with status 200
	Unstreamed  Fault = "unstreamed"   // plain JSON although a stream was asked for
	Comments    Fault = "comments"     // comments, CRLF, and no space after data:
	NoDone      Fault = "no_done"      // no [DONE] at the end
	NoFinish    Fault = "no_finish"    // [DONE], but no finish_reason
	StopCalls   Fault = "stop_calls"   // calls that end with finish_reason stop
	Length      Fault = "length"       // cut at the limit of tokens
	Filtered    Fault = "filtered"     // withheld by a content filter
	Parts       Fault = "parts"        // content as a list of parts
	NoUsage     Fault = "no_usage"     // usage is not told
	EachUsage   Fault = "each_usage"   // usage so far with each piece
	LateUsage   Fault = "late_usage"   // nothing after the finish, and no end of the stream
)
