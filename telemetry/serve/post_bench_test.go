package serve_test

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// BenchmarkPost is one event on its way from the request's header to the answer,
// without the connection.
func BenchmarkPost(b *testing.B) {
	dir := b.TempDir()
	log := telemetry.NewLog(dir, telemetry.LogOptions{})
	defer log.Close()
	db, err := store.OpenState(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	r := agents.New(func(context.Context, bool) (*sql.DB, error) { return db, nil }, time.Now)
	_, token, err := r.Register(b.Context(), "bot-1", "")
	if err != nil {
		b.Fatal(err)
	}
	s, err := serve.New(serve.Options{Log: log, Auth: r, Now: time.Now,
		Ingest: telemetry.OpenIngest(log, telemetry.IngestOptions{Redactor: telemetry.NewRedactor(), Now: time.Now})})
	if err != nil {
		b.Fatal(err)
	}
	event := []byte(`{"eventType":"custom.tick","payload":{"n":1,"note":"lorem ipsum dolor sit amet consectetur adipiscing elit sed do"}}`)
	body := bytes.NewReader(event)
	req := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/api/events", io.NopCloser(body))
	req.ContentLength, req.RemoteAddr = int64(len(event)), "127.0.0.1:1"
	req.Header = http.Header{"Content-Type": {"application/json"}, "X-Agent-Id": {"bot-1"}, "X-Agent-Token": {token}}
	own := req.Body
	w := &sunk{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		body.Reset(event)
		req.Body, w.status = own, 0
		clear(w.header)
		if s.Handler().ServeHTTP(w, req); w.status != http.StatusOK {
			b.Fatal(w.status)
		}
	}
}

// sunk is an answer that nobody reads.
type sunk struct {
	header http.Header
	status int
}

func (s *sunk) Header() http.Header         { return s.header }
func (s *sunk) WriteHeader(status int)      { s.status = status }
func (s *sunk) Write(p []byte) (int, error) { return len(p), nil }
