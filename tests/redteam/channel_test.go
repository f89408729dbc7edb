package redteam_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/commands"
)

// patience bounds every wait: nothing here depends on speed.
const patience = 90 * time.Second

// call is one tool call of a model, with what it got.
type call struct {
	tool, args string
	text       string
	failed     bool
}

// code is the code of a refusal.
func (c call) code() string {
	var doc struct{ Code string }
	_ = json.Unmarshal([]byte(c.text), &doc) // no code then
	return doc.Code
}

// caller is a model with its tools, by one of the channels.
type caller interface {
	// say gives the model a person's message and lets it work.
	say(text string)
	// calls are all it made so far.
	calls() []call
	// agent is whom its actions are of.
	agent() string
}

// chatter is a conversation.
type chatter struct {
	p     *place
	model string
	conn  string
	bin   string // run the program instead of this process
	plain bool   // for people, not as JSON

	room string
	made []call
	exit int
	last string // stdout
}

func (c *chatter) agent() string { return "conn:" + c.conn }
func (c *chatter) calls() []call { return c.made }

func (c *chatter) say(text string) {
	t := c.p.t
	t.Helper()
	args := []string{"ai", "chat", "--connection", c.conn, "--model", c.model}
	if c.room != "" {
		args = append(args, "--conversation", c.room)
	}
	if !c.plain {
		args = append(args, "--json")
	}
	args = append(args, text)
	if c.bin != "" {
		c.last, _, c.exit = c.p.exec(c.bin, args...)
	} else {
		c.last, _, c.exit = c.p.run(nil, args...)
	}
	if c.plain {
		return
	}
	open := map[string]call{}
	for line := range strings.Lines(c.last) {
		var l struct {
			Type, State, CallID, Tool, Args, Conversation string
		}
		if json.Unmarshal([]byte(line), &l) != nil {
			continue
		}
		switch {
		case l.Type == "turn":
			c.room = l.Conversation
		case l.Type == "tool" && l.State == "running":
			open[l.CallID] = call{tool: l.Tool, args: l.Args}
		}
	}
	c.made = append(c.made, c.results(open)...)
}

// results reads what the model was given out of its next request.
func (c *chatter) results(open map[string]call) (out []call) {
	c.p.t.Helper()
	db := c.p.database("ape-claw.db")
	if db == nil {
		return nil
	}
	rows, err := db.QueryContext(c.p.t.Context(), `SELECT m.blocks FROM ai_messages m WHERE m.room_id = ? AND m.role = 'tool' ORDER BY m.seq`, c.room)
	if err != nil {
		c.p.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		var blocks []struct{ Type, CallID, Text, Outcome string }
		if err := rows.Scan(&text); err != nil {
			c.p.t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &blocks); err != nil {
			c.p.t.Fatal(err)
		}
		for _, b := range blocks {
			made, ok := open[b.CallID]
			if !ok || b.Type != "tool_result" {
				continue
			}
			delete(open, b.CallID)
			made.text, made.failed = b.Text, b.Outcome != "ok" && b.Outcome != "proposed"
			c.p.saw(shown{what: "result of " + made.tool, text: b.Text, tool: true})
			out = append(out, made)
		}
	}
	if err := rows.Err(); err != nil {
		c.p.t.Fatal(err)
	}
	return out
}

// session is an MCP client with an obedient model.
type session struct {
	p     *place
	cs    *sdk.ClientSession
	model ai.Model
	name  string // of the model
	who   string
	base  string // of the server, over HTTP
	tools []ai.ToolDecl
	msgs  []ai.Message
	made  []call
}

func (s *session) agent() string { return "mcp:" + s.who }
func (s *session) calls() []call { return s.made }

// steps is how many a model makes before its client stops it.
const steps = 14

func (s *session) say(text string) {
	t := s.p.t
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	s.msgs = append(s.msgs, ai.Message{Role: ai.RoleUser, Text: text})
	for range steps {
		reply, err := s.model.Step(ctx, ai.Request{Model: s.name, Messages: s.msgs, Tools: s.tools}, nil)
		if err != nil {
			t.Logf("the model: %v", err)
			return
		}
		s.msgs = append(s.msgs, ai.Message{Role: ai.RoleAssistant, Text: reply.Text, Calls: reply.Calls})
		if len(reply.Calls) == 0 {
			return
		}
		for _, c := range reply.Calls {
			made := s.use(ctx, c.Name, c.Args)
			s.msgs = append(s.msgs, ai.Message{Role: ai.RoleTool, CallID: c.ID, Text: made.text})
		}
	}
}

// use calls one tool.
func (s *session) use(ctx context.Context, name, args string) call {
	made := call{tool: name, args: args}
	var raw any = json.RawMessage(args)
	if !json.Valid([]byte(args)) {
		raw = args
	}
	r, err := s.cs.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: raw})
	switch {
	case err != nil:
		made.text, made.failed = `{"error":`+quoted(err.Error())+`,"code":"protocol"}`, true
	default:
		for _, c := range r.Content {
			if text, ok := c.(*sdk.TextContent); ok {
				made.text += text.Text
			}
		}
		made.failed = r.IsError
	}
	s.p.saw(shown{what: "result of " + name, text: made.text, tool: true})
	s.made = append(s.made, made)
	return made
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// open connects a client under a name to a transport.
func (p *place) open(transport sdk.Transport, clientName, who, modelName string) *session {
	p.t.Helper()
	ctx := context.WithoutCancel(p.t.Context())
	c := sdk.NewClient(&sdk.Implementation{Name: clientName, Version: "1"}, nil)
	cs, err := c.Connect(ctx, transport, nil)
	if err != nil {
		p.t.Fatalf("connect: %v", err)
	}
	p.t.Cleanup(func() { _ = cs.Close() })
	m, err := provider.New(provider.Options{Name: "script", BaseURL: p.s.models.URL + "/v1", Key: canaryModel, Transport: http.DefaultTransport, Now: time.Now})
	if err != nil {
		p.t.Fatal(err)
	}
	s := &session{p: p, cs: cs, model: m, name: modelName, who: who}
	list, err := cs.ListTools(ctx, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, tool := range list.Tools {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			p.t.Fatal(err)
		}
		s.tools = append(s.tools, ai.ToolDecl{Name: tool.Name, Description: tool.Description, Schema: schema})
	}
	return s
}

// stdio starts the MCP server in this process, as a client's child.
func (p *place) stdio(clientName, who, modelName string, args ...string) *session {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.t.Context()))
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	errs := &keeper{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = commands.Run(ctx, append([]string{"mcp"}, args...), p.host(inR, outW, errs, nil))
		_ = outW.Close()
		_ = inR.Close()
	}()
	p.t.Cleanup(func() {
		_ = inW.Close()
		cancel()
		<-done
		p.saw(shown{what: "mcp: stderr", text: errs.text(), terminal: true})
	})
	return p.open(&sdk.IOTransport{Reader: &tee{outR, p}, Writer: inW}, clientName, who, modelName)
}

// child starts the real program as a client's child.
func (p *place) child(bin, clientName, who, modelName string, args ...string) *session {
	p.t.Helper()
	cmd := exec.Command(bin, append([]string{"mcp"}, args...)...)
	cmd.Dir, cmd.Env = p.dir, p.environ()
	errs := &keeper{}
	cmd.Stderr = errs
	in, err := cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		p.childless(cmd.Process.Pid)
		_ = in.Close()
		_ = cmd.Wait()
		p.saw(shown{what: "mcp: stderr", text: errs.text(), terminal: true})
	})
	return p.open(&sdk.IOTransport{Reader: &tee{out, p}, Writer: in}, clientName, who, modelName)
}

// tee keeps every frame that a client was sent.
type tee struct {
	io.ReadCloser
	p *place
}

func (r *tee) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	if n > 0 {
		r.p.saw(shown{what: "a frame of MCP", text: string(b[:n])})
	}
	return n, err
}

// keeper is a stream that is kept.
type keeper struct {
	mu sync.Mutex
	b  strings.Builder
}

func (k *keeper) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.b.Write(b)
}

func (k *keeper) text() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.b.String()
}

// serve starts a server in this process, and returns its address.
func (p *place) serve() string {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.t.Context()))
	outR, outW := io.Pipe()
	errs := &keeper{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = commands.Run(ctx, []string{"serve", "--addr", "127.0.0.1:0", "--json"}, p.host(strings.NewReader(""), outW, errs, nil))
		_ = outW.Close()
	}()
	p.t.Cleanup(func() {
		cancel()
		<-done
		p.saw(shown{what: "serve: stderr", text: errs.text(), terminal: true})
	})
	return p.listening(outR, errs)
}

// served starts the real program as a server.
func (p *place) served(bin string) string {
	p.t.Helper()
	cmd := exec.Command(bin, "serve", "--addr", "127.0.0.1:0", "--json")
	cmd.Dir, cmd.Env = p.dir, p.environ()
	errs := &keeper{}
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		p.childless(cmd.Process.Pid)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		p.saw(shown{what: "serve: stderr", text: errs.text(), terminal: true})
	})
	return p.listening(out, errs)
}

func (p *place) listening(out io.Reader, errs *keeper) string {
	p.t.Helper()
	var ready struct{ URL string }
	if err := json.NewDecoder(out).Decode(&ready); err != nil || ready.URL == "" {
		p.t.Fatalf("serve: %v %s", err, errs.text())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return ready.URL
}

// overHTTP connects a client with a token to a server.
func (p *place) overHTTP(url, token, clientName, who, modelName string) *session {
	p.t.Helper()
	tr := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: bearer{token, tr, p}}
	s := p.open(&sdk.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true}, clientName, who, modelName)
	s.base = url
	return s
}

// bearer adds the token, and keeps what comes back.
type bearer struct {
	token string
	http.RoundTripper
	p *place
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &tee{resp.Body, b.p}
	}
	return resp, err
}

// http asks a server, with headers as pairs.
func (p *place) http(method, url, body string, header ...string) (int, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(context.WithoutCancel(p.t.Context()), method, url, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	p.saw(shown{what: method + " " + url, text: string(b)})
	return resp.StatusCode, string(b)
}

func (p *place) environ() []string {
	var out []string
	for k, v := range p.env {
		out = append(out, k+"="+v)
	}
	return out
}

// exec runs the real program, without a terminal.
func (p *place) exec(bin string, args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.Env = p.dir, p.environ()
	cmd.Stdin = strings.NewReader(p.stdin)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	what := strings.Join(args, " ")
	asJSON := strings.Contains(what, "--json")
	p.saw(shown{what: what + ": stdout", text: out.String(), terminal: !asJSON})
	p.saw(shown{what: what + ": stderr", text: errs.String(), terminal: !asJSON})
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
