package provider

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// wire is a request as it is sent, and what goes with it.
type wire struct {
	request openai.ChatCompletionRequest
	seed    string            // of the ids of calls that come without one
	ids     map[string]bool   // of the calls that the request holds
	extras  map[string][]byte // by the ids of calls
}

// reasons reports whether the model names its limit max_completion_tokens.
func reasons(model string) bool {
	for _, p := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, p) {
			return true
		}
	}
	return false
}

// wire makes the request. Equal requests are equal byte for byte.
func (c *client) wire(r ai.Request) (wire, error) {
	if r.Model == "" {
		return wire{}, fault.New(fault.ModelUnavailable, "no model is chosen for %s", c.name).
			Hintf("list what it has: ape-claw ai connections verify %s, and choose one: ape-claw ai connections set %s --model <model>", c.name, c.name)
	}
	w := wire{ids: map[string]bool{}}
	q := openai.ChatCompletionRequest{Model: r.Model, Stream: !c.noStream.Load()}
	if q.Stream && !c.noOptions.Load() {
		q.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if c.prefer(r.Model) {
		q.MaxCompletionTokens = r.MaxTokens
	} else {
		//lint:ignore SA1019 most services know the old name alone
		q.MaxTokens = r.MaxTokens
	}
	if r.System != "" {
		q.Messages = append(q.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: r.System})
	}
	for _, m := range paired(r.Messages) {
		for _, call := range m.Calls {
			w.ids[call.ID] = true
		}
		q.Messages = append(q.Messages, message(m))
	}
	tools := slices.Clone(r.Tools)
	slices.SortStableFunc(tools, func(a, b ai.ToolDecl) int { return cmp.Compare(a.Name, b.Name) })
	for _, t := range tools {
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		q.Tools = append(q.Tools, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: schema}})
	}
	check := openai.NewReasoningValidator()
	err := check.Validate(q)
	if errors.Is(err, openai.ErrReasoningToolsRequireResponses) {
		// Such a model takes tools here only while it does not reason.
		q.ReasoningEffort = openai.ReasoningEffortNone
		err = check.Validate(q)
	}
	if err != nil {
		return wire{}, fault.Wrap(err, fault.ModelUnavailable, "the model %s can't be used with tools over the chat API", fault.Excerpt(r.Model, 80)).
			Hintf("choose another model of %s", c.name)
	}
	b, err := json.Marshal(q)
	if err != nil {
		return wire{}, fault.Wrap(err, fault.Internal, "the request to %s can't be written", c.name)
	}
	sum := sha256.Sum256(b)
	w.request, w.seed = q, base36(sum[:])
	w.extras = c.known(w.ids)
	return w, nil
}

func base36(b []byte) string { return new(big.Int).SetBytes(b).Text(36) }

// paired is the conversation in which every call has one result, and every result
// a call: services refuse one that was cut anywhere else.
func paired(in []ai.Message) []ai.Message {
	var out []ai.Message
	for i := 0; i < len(in); i++ {
		m := in[i]
		switch {
		case m.Role == ai.RoleTool: // of no call before it
		case len(m.Calls) == 0 && m.Text == "":
		case len(m.Calls) == 0:
			out = append(out, m)
		default:
			out = append(out, m)
			results := map[string]ai.Message{}
			for ; i+1 < len(in) && in[i+1].Role == ai.RoleTool; i++ {
				results[in[i+1].CallID] = in[i+1]
			}
			for _, call := range m.Calls {
				r, ok := results[call.ID]
				if !ok || r.Text == "" {
					r = ai.Message{Role: ai.RoleTool, CallID: call.ID, Text: `{"error":"there is no result: the turn was cut off","code":"interrupted"}`}
				}
				out = append(out, r)
			}
		}
	}
	return out
}

// named is what services take as the name of a function.
var named = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func message(m ai.Message) openai.ChatCompletionMessage {
	w := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Text}
	if m.Role == ai.RoleTool {
		w.ToolCallID = m.CallID
	}
	for _, call := range m.Calls {
		name := call.Name
		if !named.MatchString(name) {
			name = "unknown" // it was refused then; sent as it is, it would be refused for ever
		}
		w.ToolCalls = append(w.ToolCalls, openai.ToolCall{ID: call.ID, Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: name, Arguments: recalled(call.Args)}})
	}
	return w
}

// recalled is how a model is told of arguments that it wrote before. Services
// read them again and refuse the conversation for ever if they are no JSON, so
// those stand in a string. This is what is remembered, never what is run.
func recalled(args string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) == nil && object != nil {
		return args
	}
	if strings.TrimSpace(args) == "" {
		return "{}"
	}
	b, err := json.Marshal(map[string]string{"notJSON": args})
	if err != nil {
		return "{}"
	}
	return string(b)
}
