package mcp_test

//lint:file-ignore SA1019 the suite asks for what newer protocols give up: logging and sampling

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/mcp"
)

// What the conformance suite expects a server to have. Two of its tools go the way
// of every tool of ours, through an invocation; the others do what ours never do,
// and show that the constructor leaves the rest of the protocol whole.

// suite is the invocation of the two.
type suite struct{}

func (suite) Call(_ context.Context, name, _ string) ai.Result {
	if name == "test_error_handling" {
		return ai.Result{Text: `{"error":"this tool fails on purpose","code":"upstream"}`, IsError: true, Code: "upstream"}
	}
	return ai.Result{Text: "This is a simple text response for testing."}
}

func suiteOptions() mcp.Options {
	any := json.RawMessage(`{"type":"object"}`)
	return mcp.Options{
		Begin: func(context.Context, mcp.Session) (mcp.Invocation, error) { return suite{}, nil },
		Tools: func(ai.Preset) []ai.Tool {
			return []ai.Tool{{Name: "test_error_handling", Description: "fails", Grade: ai.GradeRead, Schema: any}, {Name: "test_simple_text", Description: "answers", Grade: ai.GradeRead, Schema: any}}
		},
		Version: "0", Docs: mcp.Docs{Guide: "# Guide", API: "# API"},
		NewID: func() string { return "s" }, Now: time.Now,
		Extend: &mcp.Extension{
			Options: func(o *sdk.ServerOptions) {
				o.CompletionHandler = func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
					return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
				}
				o.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error { return nil }
				o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
			},
			Server: func(s *sdk.Server) { suiteTools(s); suiteResources(s); suitePrompts(s) },
		},
	}
}

const (
	pngBase64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	wavBase64 = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

func data(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func text(s string) sdk.Content { return &sdk.TextContent{Text: s} }

func picture() sdk.Content { return &sdk.ImageContent{Data: data(pngBase64), MIMEType: "image/png"} }

func embedded(uri, s string) sdk.Content {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: s}}
}

// pause waits as long as the suite wants to see time pass.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// argument is one string argument of a call.
func argument(r *sdk.CallToolRequest, name string) string {
	var args map[string]any
	if json.Unmarshal(r.Params.Arguments, &args) != nil {
		return ""
	}
	s, _ := args[name].(string)
	return s
}

func suiteTools(s *sdk.Server) {
	add := func(name, schema string, do func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error)) {
		s.AddTool(&sdk.Tool{Name: name, Description: "of the conformance suite", InputSchema: json.RawMessage(schema)},
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				content, err := do(ctx, r)
				return &sdk.CallToolResult{Content: content}, err
			})
	}
	always := func(content ...sdk.Content) func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) {
		return func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) { return content, nil }
	}
	const object = `{"type":"object"}`
	add("test_image_content", object, always(picture()))
	add("test_audio_content", object, always(&sdk.AudioContent{Data: data(wavBase64), MIMEType: "audio/wav"}))
	add("test_embedded_resource", object, always(embedded("test://embedded-resource", "This is an embedded resource content.")))
	add("test_multiple_content_types", object, always(text("Multiple content types test:"), picture(), embedded("test://mixed-content-resource", "{}")))
	add("json_schema_2020_12_tool", schema2020, always(text("called")))
	add("test_tool_with_logging", object, func(ctx context.Context, r *sdk.CallToolRequest) ([]sdk.Content, error) {
		for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: line}); err != nil {
				return nil, err
			}
			pause(ctx, 50*time.Millisecond)
		}
		return []sdk.Content{text("logged")}, nil
	})
	add("test_tool_with_progress", object, func(ctx context.Context, r *sdk.CallToolRequest) ([]sdk.Content, error) {
		for _, at := range []float64{0, 50, 100} {
			if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: at, Total: 100}); err != nil {
				return nil, err
			}
			pause(ctx, 50*time.Millisecond)
		}
		return []sdk.Content{text(fmt.Sprint(r.Params.GetProgressToken()))}, nil
	})
	add("test_reconnection", object, func(ctx context.Context, r *sdk.CallToolRequest) ([]sdk.Content, error) {
		if r.Extra != nil && r.Extra.CloseSSEStream != nil {
			r.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
		pause(ctx, 100*time.Millisecond)
		return []sdk.Content{text("reconnected")}, nil
	})
	add("test_sampling", `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`, func(ctx context.Context, r *sdk.CallToolRequest) ([]sdk.Content, error) {
		out, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 100,
			Messages: []*sdk.SamplingMessage{{Role: "user", Content: text(argument(r, "prompt"))}}})
		if err != nil {
			return nil, err
		}
		said, ok := out.Content.(*sdk.TextContent)
		if !ok {
			return nil, fmt.Errorf("content %T", out.Content)
		}
		return []sdk.Content{text("LLM response: " + said.Text)}, nil
	})
	asks := func(name, message, schema string) {
		add(name, object, func(ctx context.Context, r *sdk.CallToolRequest) ([]sdk.Content, error) {
			if given := argument(r, "message"); given != "" {
				message = given
			}
			out, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)})
			if err != nil {
				return nil, err
			}
			return []sdk.Content{text(fmt.Sprintf("Elicitation completed: action=%s, content=%v", out.Action, out.Content))}, nil
		})
	}
	asks("test_elicitation", "Who are you?", `{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`)
	asks("test_elicitation_sep1034_defaults", "Defaults", `{"type":"object","properties":{
		"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`)
	asks("test_elicitation_sep1330_enums", "Enums", `{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`)
}

const schema2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
	"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
	"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
	"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
	"additionalProperties":false}`

func suiteResources(s *sdk.Server) {
	add := func(uri string, c sdk.ResourceContents) {
		c.URI = uri
		s.AddResource(&sdk.Resource{URI: uri, Name: strings.TrimPrefix(uri, "test://"), MIMEType: c.MIMEType},
			func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
			})
	}
	add("test://static-text", sdk.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."})
	add("test://static-binary", sdk.ResourceContents{MIMEType: "image/png", Blob: data(pngBase64)})
	add("test://watched-resource", sdk.ResourceContents{MIMEType: "text/plain", Text: "Watched resource content"})
	s.AddResourceTemplate(&sdk.ResourceTemplate{Name: "template", MIMEType: "application/json", URITemplate: "test://template/{id}/data"},
		func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json",
				Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)}}}, nil
		})
}

func suitePrompts(s *sdk.Server) {
	add := func(name string, args []string, write func(args map[string]string) []sdk.Content) {
		p := &sdk.Prompt{Name: name, Description: "of the conformance suite"}
		for _, a := range args {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a, Description: a, Required: true})
		}
		s.AddPrompt(p, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			out := &sdk.GetPromptResult{Description: p.Description}
			for _, c := range write(r.Params.Arguments) {
				out.Messages = append(out.Messages, &sdk.PromptMessage{Role: "user", Content: c})
			}
			return out, nil
		})
	}
	add("test_simple_prompt", nil, func(map[string]string) []sdk.Content {
		return []sdk.Content{text("This is a simple prompt for testing.")}
	})
	add("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(a map[string]string) []sdk.Content {
		return []sdk.Content{text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))}
	})
	add("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(a map[string]string) []sdk.Content {
		return []sdk.Content{embedded(a["resourceUri"], "Embedded resource content for testing."), text("Please process the embedded resource above.")}
	})
	add("test_prompt_with_image", nil, func(map[string]string) []sdk.Content {
		return []sdk.Content{picture(), text("Please analyze the image above.")}
	})
}
