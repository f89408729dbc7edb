// Package dashboard is the page that shows the event stream: plain HTML, CSS
// and JavaScript, embedded, with nothing to build and nothing fetched from
// elsewhere.
package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed assets
var assets embed.FS

// file is one embedded file, ready to be answered.
type file struct {
	body        []byte
	contentType string
	etag        string
}

// contentTypes is the closed set of what is embedded: the machine's own table of
// types must not change what a browser is told.
var contentTypes = map[string]string{
	".html":  "text/html; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
	".txt":   "text/plain; charset=utf-8",
}

// page is the file served at /. It says which build it is of, and is tagged with
// that, so that a page that is open can tell when another one is served, and
// pages of two builds never share a worker.
const page = "assets/index.html"

// files is read on the first request, not at start-up. Its keys are URL paths.
var files = sync.OnceValue(func() map[string]file {
	all := map[string]file{}
	whole := sha256.New()
	err := fs.WalkDir(assets, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := assets.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		all["/"+name] = file{body: body, contentType: contentTypes[path.Ext(name)], etag: tag(sum[:])}
		_, err = whole.Write(append(sum[:], name...))
		return err
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	html, build := all["/"+page], tag(whole.Sum(nil))
	html.body = bytes.ReplaceAll(html.body, []byte("{{build}}"), []byte(strings.Trim(build, `"`)))
	html.etag = build
	all["/"+page], all["/"] = html, html
	all["/favicon.ico"] = all["/assets/icon.svg"]
	return all
})

// tag makes an entity tag of a digest.
func tag(sum []byte) string {
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// Handler serves the page at / and its files under /assets/. It knows only the
// embedded files by their exact names and never touches the disk.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files()[r.URL.Path]
		h := w.Header()
		if !ok {
			h.Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(http.StatusNotFound)
			// An error here is the client's going away.
			_, _ = w.Write([]byte(`{"error":"no such file","code":"not_found","hint":"the page is at /"}` + "\n"))
			return
		}
		h.Set("Content-Type", f.contentType)
		h.Set("ETag", f.etag)
		h.Set("Cache-Control", "no-cache") // asked again each time, answered 304: a new binary shows its own page
		if strings.Contains(r.Header.Get("If-None-Match"), f.etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(f.body) // as above
	})
}
