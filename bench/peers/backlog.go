package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
)

// backlogHandler answers with the newest lines of the file.
func backlogHandler(file string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil || n < 1 {
			n = 300
		}
		b, err := backlog(file, n)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if _, err := w.Write(b); err != nil {
			return // the client is gone
		}
	}
}

// backlog reads a file backwards until it has limit lines.
func backlog(file string, limit int) (doc []byte, err error) {
	const piece = 256 << 10
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	pos, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	var have []byte
	for pos > 0 && bytes.Count(have, []byte{'\n'}) <= limit {
		n := min(piece, pos)
		pos -= n
		b := make([]byte, int(n)+len(have))
		if _, err := f.ReadAt(b[:n], pos); err != nil {
			return nil, err
		}
		copy(b[n:], have)
		have = b
	}
	have = have[:max(0, bytes.LastIndexByte(have, '\n'))] // an unfinished line is not there yet
	start := len(have)
	for k := 0; k < limit && start >= 0; k++ {
		start = bytes.LastIndexByte(have[:start], '\n')
	}
	have = have[start+1:]
	doc = append([]byte(`{"events":[`), bytes.ReplaceAll(have, []byte{'\n'}, []byte{','})...)
	return append(doc, "]}"...), nil
}
