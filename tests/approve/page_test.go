package approve_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// page is a server of the product.
type page struct {
	t    *testing.T
	url  string
	dir  string
	home string
	cmd  *exec.Cmd
	done chan struct{}
}

// serve starts one. It is ended with the test, if it has not ended before.
func (w *world) serve(more ...string) *page {
	w.t.Helper()
	return w.serveIn(w.wd(), more...)
}

func (w *world) serveIn(dir string, more ...string) *page {
	w.t.Helper()
	p := &page{t: w.t, dir: dir, home: w.home(), cmd: exec.Command(w.bin, "serve", "--addr", "127.0.0.1:0", "--json"), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, append(w.env("MODEL_KEY=k-"+strings.Repeat("0", 20)), more...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var complaint strings.Builder
	p.cmd.Stderr = &complaint
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadBytes('\n')
	go func() {
		defer close(p.done)
		_, _ = io.Copy(io.Discard, lines) // its last line
		_ = p.cmd.Wait()                  // how it ended is looked at elsewhere
	}()
	w.t.Cleanup(p.stop)
	var ready struct{ URL string }
	if err != nil || json.Unmarshal(line, &ready) != nil {
		p.stop()
		w.t.Fatalf("serve: %v %s %s", err, line, complaint.String())
	}
	p.url = ready.URL
	return p
}

func (p *page) stop() {
	_ = p.cmd.Process.Signal(os.Interrupt) // it may have ended
	select {
	case <-p.done:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// answer is what the server said.
type answer struct {
	status int
	text   string

	Code   string `json:"code"`
	Action struct {
		act
		Identifiers map[string]string `json:"identifiers"`
		Phrase      string            `json:"phrase"`
		FactsHash   string            `json:"factsHash"`
		Challenge   *struct {
			ID string `json:"id"`
		} `json:"challenge"`
	} `json:"action"`
}

// ask calls with headers as pairs. An answer that never comes has status 0.
func (p *page) ask(method, path string, body any, header ...string) answer {
	p.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	for {
		req, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(string(b)))
		if err != nil {
			p.t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		tr := &http.Transport{DisableKeepAlives: true}
		resp, err := tr.RoundTrip(req)
		if err != nil {
			return answer{text: err.Error()}
		}
		text, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			return answer{text: err.Error()}
		}
		a := answer{status: resp.StatusCode, text: string(text)}
		if c := resp.Cookies(); len(c) == 1 {
			a.text = c[0].Name + "=" + c[0].Value
		}
		_ = json.Unmarshal(text, &a) // what is no object has no code
		if a.Code == "rate_limited" {
			wait, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
			time.Sleep(time.Duration(max(wait, 1)) * time.Second) // as a person is told to
			continue
		}
		return a
	}
}

// browser is a log-in of the operator.
type browser struct {
	*page
	cookie string
}

// login logs the operator in, without the passphrase.
func (p *page) login() browser {
	p.t.Helper()
	token, err := os.ReadFile(filepath.Join(p.home, "operator.token"))
	if err != nil {
		p.t.Fatal(err)
	}
	a := p.ask("POST", "/api/session", map[string]string{"agentId": "operator", "token": strings.TrimSpace(string(token))}, "Origin", p.url)
	if a.status != 200 {
		p.t.Fatalf("log-in: %d %s", a.status, a.text)
	}
	return browser{p, a.text}
}

// person is a log-in that was given the passphrase.
func (p *page) person() browser {
	p.t.Helper()
	b := p.login()
	if a := b.post("/api/ai/auth/reauth", map[string]string{"passphrase": passphrase}); a.status != 200 {
		p.t.Fatalf("the passphrase: %d %s", a.status, a.text)
	}
	return b
}

func (b browser) post(path string, body any) answer {
	b.t.Helper()
	return b.ask("POST", path, body, "Cookie", b.cookie, "Origin", b.url)
}

// confirmation is what the page sends to approve.
type confirmation struct {
	Challenge    string            `json:"challenge"`
	Acknowledged bool              `json:"acknowledged"`
	Mismatch     bool              `json:"mismatch"`
	Identifiers  map[string]string `json:"identifiers"`
	Phrase       string            `json:"phrase"`
	FactsHash    string            `json:"factsHash"`
}

// challenge asks for a card, and returns with it what approves that.
func (b browser) challenge(id string) (answer, confirmation) {
	b.t.Helper()
	a := b.post("/api/ai/actions/"+id+"/challenge", map[string]any{})
	c := confirmation{Acknowledged: true, Mismatch: true, Identifiers: a.Action.Identifiers, Phrase: a.Action.Phrase, FactsHash: a.Action.FactsHash}
	if a.Action.Challenge != nil {
		c.Challenge = a.Action.Challenge.ID
	}
	return a, c
}

func (b browser) approve(id string, c confirmation) answer {
	b.t.Helper()
	return b.post("/api/ai/actions/"+id+"/approve", c)
}

// dead waits for a server that killed itself.
func (p *page) dead() {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatal("the server was not killed")
	}
}
