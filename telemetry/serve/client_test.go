package serve_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// A server's backlog has what the local log would show.
func TestBacklogClient(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	all := events("a.b", 0, 2500)
	all[2498] = "  { \"spaced\" : [1, 2] , \"n\":\t3} \t\r"
	log.add(all...)
	s := start(t, serve.Options{Log: log})
	end := log.lines[2499].At
	no := false
	var failed []string
	for n := 1; n < 2500; n += 2 {
		failed = append(failed, all[n])
	}
	for _, tt := range []struct {
		name string
		opt  serve.TailOptions
		want []string
	}{
		{"none", serve.TailOptions{}, nil},
		{"less than none", serve.TailOptions{Backlog: -4}, nil},
		{"some", serve.TailOptions{Backlog: 3}, all[2497:]},
		{"a page", serve.TailOptions{Backlog: 1000}, all[1500:]},
		{"more than a page", serve.TailOptions{Backlog: 1001}, all[1499:]},
		{"more than there are", serve.TailOptions{Backlog: 5000}, all},
		{"filtered", serve.TailOptions{Backlog: 3, OK: &no, Types: []string{"a.*"}}, failed[len(failed)-3:]},
		{"many, filtered", serve.TailOptions{Backlog: 1100, OK: &no, Types: []string{"a.*"}}, failed[len(failed)-1100:]},
		{"after, whatever the number", serve.TailOptions{Backlog: 20, After: log.lines[99].At.String()}, all[100:]},
		{"after, filtered", serve.TailOptions{After: log.lines[99].At.String(), OK: &no}, failed[50:]},
		{"after the end", serve.TailOptions{Backlog: 20, After: end.String()}, nil},
		{"none at all", serve.TailOptions{Backlog: 20, Types: []string{"x.y"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.opt.URL = s.url
			var got []string
			at, err := serve.Backlog(t.Context(), tt.opt, func(line []byte) error {
				got = append(got, string(line))
				return nil
			})
			if err != nil || at != (serve.BacklogEnd{Cursor: end}) {
				t.Errorf("ended at %+v, %v", at, err)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%d events, want %d: %.200q", len(got), len(tt.want), got)
			}
		})
	}
	enough := errors.New("enough")
	for _, opt := range []serve.TailOptions{{Backlog: 5}, {Backlog: 2000}, {After: "0-0"}} {
		opt.URL = s.url
		if _, err := serve.Backlog(t.Context(), opt, func([]byte) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

func TestBacklogClientSaysWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	all, _ := padded(100, 200_000) // 20 MB
	log.add(all...)
	s := start(t, serve.Options{Log: log, RingBytes: 1})
	var got []string
	end, err := serve.Backlog(t.Context(), serve.TailOptions{URL: s.url, Backlog: 100}, func(line []byte) error {
		got = append(got, string(line))
		return nil
	})
	if err != nil || !end.Truncated || len(got) < 50 || got[len(got)-1] != all[99] {
		t.Errorf("%d events, %+v, %v", len(got), end, err)
	}
}

func TestTailOfALongBacklog(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	all := events("a.b", 0, 1600)
	log.add(all[:1500]...)
	s := start(t, serve.Options{Log: log})
	enough := errors.New("enough")
	var got []string
	err := serve.Tail(t.Context(), serve.TailOptions{URL: s.url, Backlog: 1200}, func(f serve.Frame) error {
		if got = append(got, string(f.Data)); len(got) == 1200 {
			if c, err := telemetry.ParseCursor(f.ID); err != nil || c != log.lines[1499].At {
				return fmt.Errorf("the last old event is at %q", f.ID)
			}
			log.add(all[1500:]...)
		}
		if len(got) == 1300 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || strings.Join(got, "\n") != strings.Join(all[300:], "\n") {
		t.Errorf("%d events, %v", len(got), err)
	}
}
