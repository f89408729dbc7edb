package commands

import (
	"strconv"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// EventsSelectIn chooses events of the log.
type EventsSelectIn struct {
	Type    []string `json:"type" complete:"globs" help:"event types, with * as a wildcard; comma-separated"`
	Agent   string   `json:"agent" help:"only this agent's"`
	Trace   string   `json:"trace" help:"only this trace's"`
	Session string   `json:"session" help:"only this session's"`
	OK      string   `json:"ok" enum:"true,false" help:"only successes, or only failures"`
	Since   string   `json:"since" help:"not before this: a time (2026-02-18T12:00:00Z), a day (UTC), or how long ago (90s, 2h, 7d)"`
	Until   string   `json:"until" help:"before this time, or to the end of this day"`
}

// selection reads what was asked for, at the time now.
func (in EventsSelectIn) selection(now time.Time) (s telemetry.Selection, err error) {
	if s.Filter, err = telemetry.ParseFilter(in.Type, in.Agent, in.Trace, okFlag(in.OK)); err != nil {
		return s, err
	}
	if err := telemetry.CheckID("session id", in.Session); err != nil {
		return s, err
	}
	s.Session = in.Session
	if s.Since, err = parseMoment("since", in.Since, now, false); err != nil {
		return s, err
	}
	if s.Until, err = parseMoment("until", in.Until, now, true); err != nil {
		return s, err
	}
	if !s.Since.IsZero() && !s.Until.IsZero() && !s.Since.Before(s.Until) {
		return s, fault.New(fault.Usage, "--since %s is not before --until %s: nothing can be in between", shownArg(in.Since), shownArg(in.Until)).
			Hintf("--since is where the period begins")
	}
	return s, nil
}

// okFlag is the condition of --ok; nil for none.
func okFlag(s string) *bool {
	if s == "" {
		return nil
	}
	return new(s == "true")
}

// parseMoment reads a time, a day or how long ago. A day is a whole one: --until
// it means to its end.
func parseMoment(flag, s string, now time.Time, end bool) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		if end {
			t = t.AddDate(0, 0, 1)
		}
		return t, nil
	}
	if ago, ok := parseAgo(s); ok {
		return now.Add(-ago), nil
	}
	return time.Time{}, fault.New(fault.Usage, "--%s %q is neither a time (RFC 3339), nor a day, nor how long ago", flag, shownArg(s)).
		Hintf("--%s 2026-02-18T12:00:00Z, --%s 2026-02-18, or --%s 2h", flag, flag, flag)
}

const day = 24 * time.Hour

// parseAgo reads a duration, also in days and weeks: 90s, 2h30m, 7d, 2w.
func parseAgo(s string) (time.Duration, bool) {
	for unit, long := range map[string]time.Duration{"d": day, "w": 7 * day} {
		if digits, ok := strings.CutSuffix(s, unit); ok {
			n, err := strconv.ParseUint(digits, 10, 16)
			return time.Duration(n) * long, err == nil
		}
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0
}

// parseAfter reads --after; the zero Cursor when it is not given.
func parseAfter(s string) (telemetry.Cursor, error) {
	if s == "" {
		return telemetry.Cursor{}, nil
	}
	return telemetry.ParseCursor(s)
}
