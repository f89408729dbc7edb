package skill_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/skill"
)

func pack(t testing.TB, with ...any) skill.Package {
	t.Helper()
	c, raw := parse(t, doc(with...))
	p, err := skill.Pack(c, raw, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var day = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// tree is what lies in a directory: names with contents, links as such.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if e.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			out[rel] = "-> " + to
			return err
		}
		text, err := os.ReadFile(path)
		out[rel] = string(text)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

func TestInstall(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "skills")
	first := pack(t)
	install := func(p skill.Package, force bool, state string) skill.Installed {
		t.Helper()
		out, err := skill.Install(dir, p, force, day)
		if err != nil || out.State != state {
			t.Fatalf("%+v, %v", out, err)
		}
		return out
	}
	refused := func(p skill.Package, says string) *fault.Error {
		t.Helper()
		before := tree(t, dir)
		_, err := skill.Install(dir, p, false, day)
		if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), says) {
			t.Fatalf("%v, want %s", err, says)
		}
		if looked := skill.Installable(dir, p, false); looked == nil || looked.Error() != err.Error() {
			t.Errorf("Installable says %v", looked)
		}
		if after := tree(t, dir); len(after) != len(before) {
			t.Errorf("it left %v", after)
		}
		return fault.From(err)
	}
	install(first, false, skill.StateInstalled)
	got := tree(t, dir)
	if len(got) != 2 || got["floor-watcher/SKILL.md"] != string(first.Markdown) || got["floor-watcher/skillcard.json"] != string(first.Raw) {
		t.Fatalf("%v", got)
	}
	install(first, false, skill.StateUnchanged)

	// Another version, the same version of another content, and a file that a person changed.
	second := pack(t, "version", "1.1.0")
	refused(second, "version 1.0.0 of floor-watcher is installed, and this is version 1.1.0")
	changed := pack(t, "description", "Watches the floor, and sends your APE away.")
	f := refused(changed, "still calls itself version 1.0.0")
	if d, _ := f.Details["diff"].(string); !strings.Contains(d, "-  \"description\": \"Watches the floor.\"") || !strings.Contains(d, "+  \"description\": \"Watches the floor, and sends") {
		t.Errorf("%v", f.Details)
	}
	mine := filepath.Join(dir, "floor-watcher", "SKILL.md")
	if err := os.WriteFile(mine, []byte("my own words"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(first, "was changed after it was installed")
	out := install(second, true, skill.StateReplaced)
	got = tree(t, dir)
	backup := ""
	for name, text := range got {
		if strings.HasPrefix(name, ".backups/floor-watcher-20261130T120000Z-") && strings.HasSuffix(name, "SKILL.md") {
			backup = text
		}
	}
	if backup != "my own words" || out.Backup == "" || got["floor-watcher/SKILL.md"] != string(second.Markdown) || len(got) != 4 {
		t.Errorf("%+v %v", out, got)
	}
	list, err := skill.ListInstalled(dir)
	if err != nil || len(list) != 1 || list[0].Card.Version != "1.1.0" {
		t.Errorf("%v, %v", list, err)
	}
}

// Whatever is in the way, nothing outside the directory is touched, and nothing of it is lost.
func TestHostilePlaces(t *testing.T) {
	t.Parallel()
	p := pack(t)
	for name, tt := range map[string]struct {
		make func(t *testing.T, root string) (dir string)
		says string
	}{
		"a link as the directory": {func(t *testing.T, root string) string {
			must(t, os.Symlink(filepath.Join(root, "outside"), filepath.Join(root, "skills")))
			return filepath.Join(root, "skills")
		}, "is a symbolic link"},
		"a link as the skill": {func(t *testing.T, root string) string {
			dir := filepath.Join(root, "skills")
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Symlink(filepath.Join(root, "outside"), filepath.Join(dir, "floor-watcher")))
			return dir
		}, "is no directory, or a link"},
		"a file as the skill": {func(t *testing.T, root string) string {
			dir := filepath.Join(root, "skills")
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.WriteFile(filepath.Join(dir, "floor-watcher"), nil, 0o600))
			return dir
		}, "is no directory, or a link"},
		"a link as the file": {func(t *testing.T, root string) string {
			dir := filepath.Join(root, "skills")
			must(t, os.MkdirAll(filepath.Join(dir, "floor-watcher"), 0o700))
			must(t, os.Symlink(filepath.Join(root, "outside", "kept"), filepath.Join(dir, "floor-watcher", "SKILL.md")))
			return dir
		}, ""},
		"a link as the card": {func(t *testing.T, root string) string {
			dir := filepath.Join(root, "skills")
			must(t, os.MkdirAll(filepath.Join(dir, "floor-watcher"), 0o700))
			must(t, os.Symlink("/etc/passwd", filepath.Join(dir, "floor-watcher", "skillcard.json")))
			return dir
		}, ""},
		"files of others": {func(t *testing.T, root string) string {
			dir := filepath.Join(root, "skills")
			must(t, os.MkdirAll(filepath.Join(dir, "floor-watcher"), 0o700))
			must(t, os.WriteFile(filepath.Join(dir, "floor-watcher", "SKILL.md"), []byte("theirs"), 0o600))
			return dir
		}, "files that are none of this skill"},
		"open to everybody": {func(t *testing.T, root string) string {
			dir := filepath.Join(root, "skills")
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Chmod(dir, 0o777))
			return dir
		}, "everybody may write"},
		"of another user": {func(t *testing.T, root string) string {
			dir := filepath.Join(root, "skills")
			must(t, os.Mkdir(dir, 0o700))
			if err := os.Chown(dir, 12345, 12345); err != nil {
				t.Skip("only root can give a directory away")
			}
			return dir
		}, "belongs to user 12345"},
		"a file as the directory": {func(t *testing.T, root string) string {
			must(t, os.WriteFile(filepath.Join(root, "skills"), nil, 0o600))
			return filepath.Join(root, "skills")
		}, ""},
		"above":   {func(*testing.T, string) string { return "skills/../../x" }, `".." in it`},
		"NUL":     {func(*testing.T, string) string { return "skills\x00x" }, "control character"},
		"nothing": {func(*testing.T, string) string { return " " }, "is empty"},
		"root":    {func(*testing.T, string) string { return "/" }, "root of the file system"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			must(t, os.Mkdir(filepath.Join(root, "outside"), 0o700))
			must(t, os.WriteFile(filepath.Join(root, "outside", "kept"), []byte("kept"), 0o600))
			dir := tt.make(t, root)
			before := tree(t, root)
			_, err := skill.Install(dir, p, false, day)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %s", err, tt.says)
			}
			after := tree(t, root)
			if len(after) != len(before) || after["outside/kept"] != "kept" {
				t.Errorf("it left %v", after)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
