package main

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ape-claw/ape-claw/tests/pty"
)

// nowhere fails the test if a file of the world holds a text.
func (w *world) nowhere(text string) {
	w.t.Helper()
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			w.t.Errorf("%s holds a secret", strings.TrimPrefix(path, w.dir))
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
}

// A provider that hands the key back, in whatever it says.
func echoing(t *testing.T) (url string, seen func() []string) {
	var mu sync.Mutex
	var auth []string
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		auth = append(auth, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		n := len(auth)
		mu.Unlock()
		key := r.Header.Get("Authorization")
		rw.Header().Set("Content-Type", "application/json")
		switch n {
		case 1:
			rw.WriteHeader(http.StatusUnauthorized)
			_, _ = rw.Write([]byte(`{"error":{"message":"Incorrect API key provided: ` + key + `\u001b[2J\u202e","code":"invalid_api_key"}}`))
		case 2:
			rw.WriteHeader(http.StatusTeapot)
			_, _ = rw.Write([]byte("<html>you sent " + key))
		default:
			_, _ = rw.Write([]byte(`{"object":"list","data":[{"id":"small","object":"model"},{"id":"big","object":"model"},{"id":"` + strings.TrimPrefix(key, "Bearer ") + `"}]}`))
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() []string { mu.Lock(); defer mu.Unlock(); return append([]string(nil), auth...) }
}

// A key is in no output, event, error or file, however it came and whatever a
// provider does with it; its sealed bytes are the only trace.
func TestProviderKeyIsNowhere(t *testing.T) {
	t.Parallel()
	for name, give := range map[string]func(w *world, url string) string{
		"typed": func(w *world, url string) string {
			s := w.at([]string{"ai", "connections", "add", "--preset", "other", "--name", "main", "--base-url", url, "--ask-key", "--log-level", "debug"})
			s.Expect("Connection main sends its key to " + url)
			s.Expect("key: ")
			if s.Echo() {
				w.t.Error("the key would be echoed")
			}
			s.Send(aKey)
			if exit := s.Wait(); exit != 0 {
				w.t.Errorf("exit status %d", exit)
			}
			return s.Screen()
		},
		"piped": func(w *world, url string) string {
			s := w.at([]string{"ai", "connections", "add", "--preset", "other", "--name", "main", "--base-url", url, "--key-stdin", "--log-level", "debug"},
				pty.NoTerminal(), pty.Stdin(aKey+"\n"))
			if exit := s.Wait(); exit != 0 {
				w.t.Errorf("exit status %d", exit)
			}
			return s.Stdout() + s.Stderr()
		},
		"in a variable": func(w *world, url string) string {
			w.env = append(w.env, "SOME_KEY="+aKey)
			return w.run("ai", "connections", "add", "--preset", "other", "--name", "main", "--base-url", url, "--key-env", "SOME_KEY", "--log-level", "debug")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			url, seen := echoing(t)
			out := give(w, url)
			for _, args := range [][]string{{"verify", "main", "--json"}, {"show", "main"}, {"verify", "main"}, {"list", "--json"}, {"verify", "main"}, {"show", "main", "--json"},
				{"set", "main", "--model", aKey}, {"set", "main", "--model", "small", "--json"}, {"set", "main", aKey}, {"list"}, {"show", aKey}} {
				b, _ := w.command(append([]string{"ai", "connections"}, append(args, "--log-level", "debug")...)...).CombinedOutput()
				out += string(b)
			}
			if got := seen(); len(got) != 3 || got[0] != "GET /models Bearer "+aKey || got[2] != got[0] {
				t.Errorf("the provider saw %d requests", len(got))
			}
			if !strings.Contains(out, `"hint":"wxyz"`) || !strings.Contains(out, `"status":"active"`) || !strings.Contains(out, "big") {
				t.Errorf("it did not work:\n%s", out)
			}
			for _, part := range []string{aKey, aKey[:16], "\x1b[2J", "\u202e"} {
				if strings.Contains(out, part) {
					t.Errorf("%q was shown:\n%s", part, out)
				}
			}
			w.nowhere(aKey)
			w.nowhere(aKey[:16])
			b, err := os.ReadFile(w.log())
			if err != nil || !bytes.Contains(b, []byte("ai.connection.verified")) || !bytes.Contains(b, []byte("ai.connection.changed")) {
				t.Errorf("the events are missing: %v", err)
			}
		})
	}
}
