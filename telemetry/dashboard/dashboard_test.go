package dashboard

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, target string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	if len(header) == 2 {
		r.Header.Set(header[0], header[1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

// A page that is open compares its build with the tag of the page served now,
// and names its worker by it.
func TestPageKnowsItsBuild(t *testing.T) {
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	m := regexp.MustCompile(`<html lang="en" data-build="([\w-]{16})">`).FindStringSubmatch(w.Body.String())
	if m == nil {
		t.Fatal("the page does not say which build it is of")
	}
	if got := w.Header().Get("ETag"); got != `"`+m[1]+`"` {
		t.Errorf("the page's tag is %s, its build %s", got, m[1])
	}
	if strings.Contains(w.Body.String(), "{{") {
		t.Error("something in the page was not filled in")
	}
}

func TestFilesAreAskedAgainAndNotSentTwice(t *testing.T) {
	for _, name := range []string{"/", "/assets/app.js", "/assets/worker.js"} {
		first := get(t, name)
		if first.StatusCode != http.StatusOK || first.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d, Cache-Control %q", name, first.StatusCode, first.Header.Get("Cache-Control"))
		}
		if again := get(t, name, "If-None-Match", first.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s with its own tag: %d", name, again.StatusCode)
		}
	}
	for _, name := range []string{"/assets/", "/assets/../dashboard.go", "/assets/none.js", "/dashboard.go"} {
		if r := get(t, name); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
}

func TestEveryFileHasAType(t *testing.T) {
	err := fs.WalkDir(assets, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && contentTypes[path.Ext(name)] == "" {
			t.Errorf("%s has no content type", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
