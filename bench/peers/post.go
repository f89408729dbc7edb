package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
)

// taken is what a server answers that took one event.
const taken = `{"ok":true}`

// maxPost bounds a request's body.
const maxPost = 1 << 20

// appendPosts takes what is posted as a line of file, under the lock that writers of
// a shared log need: no credentials, nothing checked. What a server on net/http costs
// at least.
func appendPosts(mux *http.ServeMux, file string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	mux.HandleFunc("POST /api/events", func(w http.ResponseWriter, r *http.Request) {
		line, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPost))
		if err == nil {
			err = locked(f, func() error {
				_, err := f.Write(append(bytes.TrimRight(line, "\n"), '\n'))
				return err
			})
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, taken) // the client may be gone
	})
	return nil
}

// locked runs do while the file is locked against other processes.
func locked(f *os.File, do func() error) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	err := do()
	if unlock := syscall.Flock(int(f.Fd()), syscall.LOCK_UN); err == nil {
		err = unlock
	}
	return err
}

// answerPosts reads requests off l and answers them, and does nothing else: neither
// parsed nor written. What any server costs at least in Go, whatever it does.
func answerPosts(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer func() { _ = c.Close() }()
			in := bufio.NewReaderSize(c, 16<<10)
			answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n" + taken)
			for {
				if err := discardRequest(in); err != nil {
					return
				}
				if _, err := c.Write(answer); err != nil {
					return
				}
			}
		}()
	}
}

// discardRequest reads over one request of a known length.
func discardRequest(in *bufio.Reader) error {
	length := 0
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			_, err := in.Discard(length)
			return err
		}
		const name = "content-length: "
		if len(line) > len(name) && bytes.EqualFold(line[:len(name)], []byte(name)) {
			length = 0
			for _, c := range bytes.TrimSpace(line[len(name):]) {
				length = min(length*10+int(c-'0'), maxPost)
			}
		}
	}
}
