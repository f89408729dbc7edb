package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
	"github.com/ape-claw/ape-claw/v2/api"
)

// chain is a chain that says what a test says; the routes before it are the real ones.
type chain struct {
	mu   sync.Mutex // guards what follows
	says says
}

// says is a line of a test: answers, and codes of errors in place of them, by route.
type says struct {
	Config   api.Config
	Vault    api.Vault
	Skills   api.Skills
	Receipts map[string]api.Receipt // by trace
	Fail     map[string]fault.Code
	// Asked makes the answer to this line the traces that were asked about.
	Asked bool

	asked []string
}

func (c *chain) mounts() map[string]http.Handler {
	return map[string]http.Handler{"GET " + api.Prefix: api.New(api.Options{
		Open: func(context.Context) (api.Reads, func(), error) { return c, func() {}, nil },
		Fail: serve.WriteError, Now: time.Now, Log: func(string, error) {},
	})}
}

// listen does what a test says, and answers each line with one.
func (c *chain) listen(in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var next says
		out := map[string]any{}
		if err := json.Unmarshal(lines.Bytes(), &next); err != nil {
			out["error"] = err.Error()
		}
		c.mu.Lock()
		if next.Asked {
			out["asked"] = c.says.asked
		} else {
			next.asked = c.says.asked
			c.says = next
		}
		c.mu.Unlock()
		if say(out) != nil {
			os.Exit(1)
		}
	}
}

func (c *chain) now(route string) (says, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if code := c.says.Fail[route]; code != "" {
		return says{}, fault.New(code, "as the test says")
	}
	return c.says, nil
}

func (c *chain) Config(context.Context) (api.Config, error) {
	s, err := c.now("config")
	return s.Config, err
}

func (c *chain) Vault(context.Context) (api.Vault, error) {
	s, err := c.now("vault")
	return s.Vault, err
}

func (c *chain) Skills(context.Context) (api.Skills, error) {
	s, err := c.now("skills")
	return s.Skills, err
}

func (c *chain) Receipt(_ context.Context, traceID string) (api.Receipt, error) {
	c.mu.Lock()
	c.says.asked = append(c.says.asked, traceID)
	c.mu.Unlock()
	s, err := c.now("receipt")
	r := s.Receipts[traceID]
	r.OK, r.TraceID = true, traceID
	return r, err
}
