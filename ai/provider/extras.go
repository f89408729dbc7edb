package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Gemini 3 signs the thoughts behind a tool call, in extra_content, and refuses a
// conversation in which its signature is missing. The library has no field for it,
// so it is kept here by the call's id and put back into the request's bytes.

// How much is kept. After that the oldest conversations go on without.
const (
	maxExtra  = 16 << 10
	maxExtras = 1024
)

// unsigned is what Google documents for calls whose signature is not at hand, such
// as those of a conversation that another process began.
var unsigned = []byte(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`)

func digest(seed string, n int) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", seed, n))
	sum[0] |= 0x80 // so that it is never short
	return sum[:]
}

func (c *client) remember(id string, extra json.RawMessage) {
	if extra == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.extras) >= maxExtras {
		clear(c.extras)
	}
	c.extras[id] = extra
}

// known returns what is kept for these calls.
func (c *client) known(ids map[string]bool) map[string][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[string][]byte{}
	for id := range ids {
		if e, ok := c.extras[id]; ok {
			found[id] = e
		} else if c.signed.Load() {
			found[id] = unsigned
		}
	}
	return found
}

// remind puts what the service wants back into the calls of the request.
func remind(req *http.Request, extras map[string][]byte) error {
	if len(extras) == 0 || req.Body == nil {
		return nil
	}
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	var w map[string]json.RawMessage
	var messages []map[string]json.RawMessage
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	if err := json.Unmarshal(w["messages"], &messages); err != nil {
		return err
	}
	for _, m := range messages {
		var calls []map[string]json.RawMessage
		if len(m["tool_calls"]) == 0 {
			continue
		}
		if err := json.Unmarshal(m["tool_calls"], &calls); err != nil {
			return err
		}
		for _, call := range calls {
			if e, ok := extras[str(call["id"])]; ok {
				call["extra_content"] = e
			}
		}
		if m["tool_calls"], err = json.Marshal(calls); err != nil {
			return err
		}
	}
	if w["messages"], err = json.Marshal(messages); err != nil {
		return err
	}
	if b, err = json.Marshal(w); err != nil {
		return err
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
	return nil
}
