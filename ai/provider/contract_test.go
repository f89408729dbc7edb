package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/sandbox/model"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	apes  = `{"collection":"demo-apes"}`
	moons = `{"collection":"moon-gorillas"}`
)

func two(f model.Fault) model.Step {
	return model.Step{Fault: f, Call: []model.Call{{Tool: "nft_quote", Args: []byte(apes)}, {Tool: "nft_quote", Args: []byte(moons)}}}
}

func one(f model.Fault) model.Step {
	return model.Step{Fault: f, Call: []model.Call{{Tool: "nft_quote", Args: []byte(apes)}}}
}

func words(f model.Fault) model.Step {
	return model.Step{Fault: f, Say: "one two three four five six"}
}

// outcome is what a step is to end as. Nothing else may become of it.
type outcome struct {
	text   string
	calls  []string // name and arguments
	finish string
	code   fault.Code
	says   string // in the error
	tries  int
	waits  []time.Duration
}

func said(text string) outcome { return outcome{text: text, finish: "stop", tries: 1} }

func called(calls ...string) outcome { return outcome{calls: calls, finish: "tool_calls", tries: 1} }

func failed(code fault.Code, tries int, says string) outcome {
	o := outcome{code: code, says: says, tries: tries, finish: "stop"}
	for n := range tries - 1 {
		o.waits = append(o.waits, time.Second<<n)
	}
	return o
}

func (o outcome) with(f func(*outcome)) outcome { f(&o); return o }

var eleven = func() (st model.Step) {
	for n := range 11 {
		st.Call = append(st.Call, model.Call{Tool: "nft_quote", Args: fmt.Appendf(nil, `{"n":%d}`, n)})
	}
	return st
}()

const all = "one two three four five six"

// TestContract holds that each way in which a service can answer ends in one
// clear way, against a real socket.
func TestContract(t *testing.T) {
	t.Parallel()
	apesCall, moonsCall := "nft_quote "+apes, "nft_quote "+moons
	again := func(o outcome, waits ...time.Duration) outcome {
		o.tries, o.waits = len(waits)+1, waits
		return o
	}
	tests := map[string]struct {
		script []model.Step
		want   outcome
	}{
		"plain text":         {[]model.Step{words("")}, said(all)},
		"one tool":           {[]model.Step{one("")}, called(apesCall)},
		"two parallel tools": {[]model.Step{two("")}, called(apesCall, moonsCall)},
		"text and a tool":    {[]model.Step{{Say: "so: ", Call: one("").Call}}, called(apesCall).with(func(o *outcome) { o.text = "so: " })},
		"unknown tool":       {[]model.Step{model.Use("no such tool!", `{}`)}, called("no such tool! {}")},
		"bad JSON arguments": {[]model.Step{one(model.BrokenArgs)}, called(`nft_quote {"collection":"demo-apes`)},
		"arguments as they stand": {[]model.Step{{Call: []model.Call{{Tool: "nft_quote", Args: []byte(`"{\"a\":1,}\u0000 \ud83e\udd8d <b>&"`)}}}},
			called("nft_quote {\"a\":1,}\x00 \U0001f98d <b>&")},
		"no arguments": {[]model.Step{{Call: []model.Call{{Tool: "nft_quote", Args: []byte(`""`)}}}}, called("nft_quote ")},
		"eleven tools": {[]model.Step{eleven}, called(slices.Collect(func(yield func(string) bool) {
			for n := range 11 {
				yield(fmt.Sprintf(`nft_quote {"n":%d}`, n))
			}
		})...)},
		"slow stream":    {[]model.Step{words(model.Slow)}, said(all)},
		"empty answer":   {[]model.Step{{Fault: model.Empty}}, failed(fault.ProviderError, 1, "answered with nothing")},
		"withheld":       {[]model.Step{{Fault: model.Withheld}}, failed(fault.ProviderError, 1, "content filter").with(func(o *outcome) { o.finish = "content_filter" })},
		"all in thought": {[]model.Step{{Fault: model.Spent}}, failed(fault.ProviderError, 1, "before its first word").with(func(o *outcome) { o.finish = "length" })},
		"no choices":     {[]model.Step{words(model.NoChoices)}, failed(fault.ProviderError, 1, "without an answer in it")},
		"cut at a limit": {[]model.Step{words(model.Length)}, said(all).with(func(o *outcome) { o.finish = "length" })},

		"stream cut":                  {[]model.Step{words(model.Cut)}, failed(fault.ProviderError, 1, "broke off after 14 bytes of text").with(func(o *outcome) { o.text = "one two three " })},
		"stream cut within a call":    {[]model.Step{one(model.Cut), one("")}, again(called(apesCall), time.Second)},
		"stream cut before anything":  {[]model.Step{words(model.CutEarly), words("")}, again(said(all), time.Second)},
		"stream cut each time":        {[]model.Step{words(model.CutEarly), words(model.CutEarly), words(model.CutEarly)}, failed(fault.ProviderError, 3, "broke off")},
		"error midway":                {[]model.Step{words(model.Midway)}, failed(fault.ProviderError, 1, "The service behind broke off.").with(func(o *outcome) { o.text = "one two three " })},
		"error in place of an answer": {[]model.Step{words(model.ErrorFirst), words("")}, again(said(all), time.Second)},
		"connection closed":           {[]model.Step{words(model.HangUp), words(model.HangUp), words(model.HangUp)}, failed(fault.ProviderError, 3, "ended the connection before its answer")},

		"400":                  {[]model.Step{words(model.Refused)}, failed(fault.ProviderError, 1, `answered 400 and said "This request is not valid."`)},
		"401":                  {[]model.Step{words(model.Unauth)}, failed(fault.ProviderAuth, 1, "refuses the key (401)")},
		"401 with the key":     {[]model.Step{words(model.EchoKey)}, failed(fault.ProviderAuth, 1, "[key]")},
		"402":                  {[]model.Step{words(model.Unpaid)}, failed(fault.ProviderError, 1, "not enough credit")},
		"403":                  {[]model.Step{words(model.Forbidden)}, failed(fault.ProviderAuth, 1, "refuses the key (403)")},
		"404":                  {[]model.Step{words(model.Unknown)}, failed(fault.ModelUnavailable, 1, "answered 404")},
		"408":                  {[]model.Step{words(model.Late), words("")}, again(said(all), time.Second)},
		"429":                  {[]model.Step{words(model.RateLimited), words(model.RateLimited), words(model.RateLimited)}, failed(fault.RateLimited, 3, "limits the rate")},
		"429 with Retry-After": {[]model.Step{{Fault: model.RateLimited, After: "7"}, words("")}, again(said(all), 7*time.Second)},
		"429 with a date":      {[]model.Step{{Fault: model.RateLimited, After: "Sun, 01 Mar 2026 12:00:09 GMT"}, words("")}, again(said(all), 9*time.Second)},
		"429 for too long":     {[]model.Step{{Fault: model.RateLimited, After: "31"}, words("")}, failed(fault.RateLimited, 1, "limits the rate")},
		"429 at the bound":     {[]model.Step{{Fault: model.RateLimited, After: "30"}, words("")}, again(said(all), 30*time.Second)},
		"429 nonsense":         {[]model.Step{{Fault: model.RateLimited, After: "-1"}, words("")}, again(said(all), time.Second)},
		"quota":                {[]model.Step{words(model.Quota), words("")}, failed(fault.ProviderError, 1, "used up its quota")},
		"500":                  {[]model.Step{words(model.Broken), words(model.Broken), words("")}, again(said(all), time.Second, 2*time.Second)},
		"503":                  {[]model.Step{{Fault: model.Unavailable, After: "3"}, words("")}, again(said(all), 3*time.Second)},
		"529":                  {[]model.Step{words(model.Overloaded), words("")}, again(said(all), time.Second)},
		"529 each time":        {[]model.Step{words(model.Overloaded), words(model.Overloaded), words(model.Overloaded), words("")}, failed(fault.ProviderError, 3, "answered 529")},
		"web page":             {[]model.Step{words(model.HTML)}, failed(fault.ProviderError, 1, "web page")},
		"redirect":             {[]model.Step{words(model.Redirect)}, failed(fault.ProviderError, 1, "answered 307")},
		"no JSON":              {[]model.Step{words(model.Garbage)}, failed(fault.ProviderError, 1, "no JSON")},
		"text without end":     {[]model.Step{words(model.Huge)}, failed(fault.ProviderError, 1, "larger than").with(anyText)},
		"line without end":     {[]model.Step{words(model.HugeLine)}, failed(fault.ProviderError, 1, "larger than")},

		"invalid UTF-8 in text":         {[]model.Step{{Say: "a", Fault: model.BadUTF8}}, said("a\ufffd\ufffd")},
		"half a character in text":      {[]model.Step{{Say: "a", Fault: model.Surrogate}}, said("a\ufffd")},
		"invalid UTF-8 in arguments":    {[]model.Step{one(model.BadUTF8)}, failed(fault.ProviderError, 1, "arguments of a tool call that are no text").with(anyText)},
		"half a character in arguments": {[]model.Step{one(model.Surrogate)}, failed(fault.ProviderError, 1, "arguments of a tool call that are no text").with(anyText)},
		"hostile text":                  {[]model.Step{{Say: "\x1b[31m\u202e<script>{{.}} %s \u200b"}}, said("\x1b[31m\u202e<script>{{.}} %s \u200b")},

		"no index":             {[]model.Step{two(model.NoIndex)}, called(apesCall, moonsCall)},
		"no index, in pieces":  {[]model.Step{two(model.SplitNoIdx)}, called(apesCall, moonsCall)},
		"the same index":       {[]model.Step{two(model.SameIndex)}, called(apesCall, moonsCall)},
		"no ids":               {[]model.Step{two(model.NoID)}, called(apesCall, moonsCall)},
		"the same id":          {[]model.Step{two(model.SameID)}, called(apesCall, moonsCall)},
		"an id for each piece": {[]model.Step{two(model.NewIDs)}, called(apesCall, moonsCall)},
		"null content":         {[]model.Step{one(model.NullContent)}, called(apesCall)},
		"null content alone":   {[]model.Step{words(model.NullContent)}, failed(fault.ProviderError, 1, "answered with nothing")},
		"arguments as object":  {[]model.Step{one(model.ArgsObject)}, called(apesCall)},
		"calls that stop":      {[]model.Step{one(model.StopCalls)}, called(apesCall)},
		"no finish":            {[]model.Step{one(model.NoFinish)}, called(apesCall)},
		"no end":               {[]model.Step{words(model.NoDone)}, said(all)},
		"content in parts":     {[]model.Step{words(model.Parts)}, said(all)},
		"comments":             {[]model.Step{words(model.Comments)}, said(all)},
		"no empty lines":       {[]model.Step{two(model.Unspaced)}, called(apesCall, moonsCall)},
		"errors of null":       {[]model.Step{words(model.NullError)}, said(all)},
		"not streamed":         {[]model.Step{two(model.Unstreamed)}, called(apesCall, moonsCall)},
		"signed":               {[]model.Step{two(model.Signed)}, called(apesCall, moonsCall)},
		"refuses the option":   {[]model.Step{words(model.NoOptions)}, said(all).with(func(o *outcome) { o.tries = 2 })},
		"refuses to stream":    {[]model.Step{two(model.NoStreaming)}, called(apesCall, moonsCall).with(func(o *outcome) { o.tries = 2 })},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := start(t, steps(tt.script...)), newClock()
			var h heard
			reply, err := dial(t, srv.URL, c).Step(t.Context(), ask("go"), h.on)
			check(t, tt.want, reply, err)
			if h.String() != reply.Text {
				t.Errorf("handed on %q, the reply has %q", h.String(), reply.Text)
			}
			if got := len(srv.Requests()); got != tt.want.tries {
				t.Errorf("%d requests, want %d", got, tt.want.tries)
			}
			if got := c.waited(); !slices.Equal(got, tt.want.waits) {
				t.Errorf("waited %v, want %v", got, tt.want.waits)
			}
		})
	}
}

func anyText(o *outcome) { o.text = "*" }

func check(t *testing.T, want outcome, reply ai.Reply, err error) {
	t.Helper()
	if code := fault.CodeOf(err); code != want.code {
		t.Fatalf("code %q, want %q: %v", code, want.code, err)
	}
	var calls []string
	ids := map[string]bool{}
	for _, c := range reply.Calls {
		calls = append(calls, c.Name+" "+c.Args)
		if c.ID == "" || ids[c.ID] {
			t.Errorf("the id %q is empty or given twice", c.ID)
		}
		ids[c.ID] = true
	}
	if err != nil {
		if !strings.Contains(err.Error(), want.says) {
			t.Errorf("error %q does not say %q", err, want.says)
		}
		noKey(t, err)
		if want.text == "*" || want.finish == "*" {
			want.text, want.finish = reply.Text, reply.Finish
		}
	}
	if reply.Text != want.text || !slices.Equal(calls, want.calls) || err == nil && reply.Finish != want.finish {
		t.Errorf("got %.200q %q %q,\nwant %q %q %q", reply.Text, calls, reply.Finish, want.text, want.calls, want.finish)
	}
}

// noKey holds that an error shows no eight characters of the key.
func noKey(t *testing.T, err error) {
	t.Helper()
	e := fault.From(err)
	text := fmt.Sprintf("%s %s %v %+v %v", e.Message, e.Hint, e.Details, err, e.Err)
	for i := 0; i+8 <= len(key); i++ {
		if strings.Contains(text, key[i:i+8]) {
			t.Errorf("a part of the key is in %q", text)
		}
	}
}
