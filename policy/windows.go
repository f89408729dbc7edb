package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// TimeWindow is a part of the day, by the clock on a wall somewhere, on some
// days of the week: from From until before To, which is on the next day when it
// is not after From. What the clock shows counts: an hour that summer time skips
// is never, one that it repeats is twice.
type TimeWindow struct {
	Days     []time.Weekday // on which it begins; never empty
	From, To int            // minutes after midnight; To may be 24*60
	Zone     string         // as the file spells it
	loc      *time.Location
}

const day = 24 * 60 // minutes

// Contains reports whether t is in the window.
func (w TimeWindow) Contains(t time.Time) bool {
	local := t.In(w.loc)
	minute := 60*local.Hour() + local.Minute()
	today := slices.Contains(w.Days, local.Weekday())
	if w.From < w.To {
		return today && w.From <= minute && minute < w.To
	}
	yesterday := slices.Contains(w.Days, (local.Weekday()+6)%7)
	return today && minute >= w.From || yesterday && minute < w.To
}

var dayNames = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

func weekday(name string) time.Weekday { return time.Weekday((slices.Index(dayNames, name) + 1) % 7) }

// dayName is the inverse of weekday.
func dayName(d time.Weekday) string { return dayNames[(d+6)%7] }

func clockText(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// String is the window for people: "mon-fri 08:00-18:00 Europe/Berlin".
func (w TimeWindow) String() string {
	days := ""
	if len(w.Days) < 7 {
		names := make([]string, len(w.Days))
		for i, d := range w.Days {
			names[i] = dayName(d)
		}
		days = strings.Join(names, ",") + " "
	}
	return days + clockText(w.From) + "-" + clockText(w.To) + " " + w.Zone
}

func (w TimeWindow) json() any {
	names := make([]string, len(w.Days))
	for i, d := range w.Days {
		names[i] = dayName(d)
	}
	return map[string]any{"days": names, "from": clockText(w.From), "to": clockText(w.To), "timeZone": w.Zone}
}

// inWindows reports whether t is in one window of each list.
func inWindows(lists [][]TimeWindow, t time.Time) bool {
	for _, list := range lists {
		if !slices.ContainsFunc(list, func(w TimeWindow) bool { return w.Contains(t) }) {
			return false
		}
	}
	return true
}

// nextIn returns the first minute after t that is in the windows; ok is false
// when none is within the eight days that hold every turn of a week.
func nextIn(lists [][]TimeWindow, t time.Time) (next time.Time, ok bool) {
	for _, list := range lists {
		if len(list) == 0 {
			return next, false
		}
	}
	next = t.Truncate(time.Minute)
	for range 8 * day {
		if next = next.Add(time.Minute); inWindows(lists, next) {
			return next, true
		}
	}
	return next, false
}

// windowsText is the windows for people.
func windowsText(lists [][]TimeWindow) string {
	var all []string
	for _, list := range lists {
		var one []string
		for _, w := range list {
			one = append(one, w.String())
		}
		if one == nil {
			one = []string{"never"}
		}
		all = append(all, strings.Join(one, " or "))
	}
	return strings.Join(all, "; and ")
}

// windowLayer is a window as a file writes it.
type windowLayer struct {
	days           *at[[]time.Weekday]
	from, to, zone *at[string]
}

func windowFields() []rule[windowLayer] {
	return []rule[windowLayer]{
		field("days", "days of the week on which it begins; absent: all", daysKind, func(w *windowLayer) **at[[]time.Weekday] { return &w.days }),
		field("from", "when it begins", textKind("a time such as 08:00", regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)), func(w *windowLayer) **at[string] { return &w.from }),
		field("to", "when it ends, on the next day if that is before it begins; 24:00 is midnight",
			textKind("a time such as 18:00", regexp.MustCompile(`^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$`)), func(w *windowLayer) **at[string] { return &w.to }),
		field("timeZone", "where the clock hangs, such as Europe/Berlin; absent: UTC",
			textKind("a time zone such as Europe/Berlin", regexp.MustCompile(`^[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$`)), func(w *windowLayer) **at[string] { return &w.zone }),
	}
}

var daysKind = kind[[]time.Weekday]{
	schema: map[string]any{"type": "array", "minItems": 1, "uniqueItems": true, "items": map[string]any{"enum": dayNames}},
	read: func(s source, key string, n node) ([]time.Weekday, error) {
		if n.kind != '[' || len(n.items) == 0 {
			return nil, s.errorf(n.at, `%s is %s; expected a list such as ["mon", "tue"]`, key, n.is())
		}
		var out []time.Weekday
		for _, item := range n.items {
			if item.kind != '"' || !slices.Contains(dayNames, item.text) {
				return nil, s.errorf(item.at, "%s has %s; expected one of %s", key, item.is(), strings.Join(dayNames, ", "))
			}
			d := weekday(item.text)
			if slices.Contains(out, d) {
				return nil, s.errorf(item.at, "%s has %q twice", key, item.text)
			}
			out = append(out, d)
		}
		// One order, so that equal rules are equal.
		slices.SortFunc(out, func(a, b time.Weekday) int { return int((a+6)%7) - int((b+6)%7) })
		return out, nil
	},
}

func windowsKind() kind[[][]TimeWindow] {
	one := object("", "a part of the day", windowFields()...)
	item := objectSchema(one)
	item["required"] = []string{"from", "to"}
	list := map[string]any{"type": "array", "items": item}
	return kind[[][]TimeWindow]{
		schema: map[string]any{"anyOf": []any{list, map[string]any{"type": "array", "items": list}}},
		read: func(s source, key string, n node) ([][]TimeWindow, error) {
			if n.kind != '[' {
				return nil, s.errorf(n.at, `%s is %s; expected a list of {days, from, to, timeZone}`, key, n.is())
			}
			lists := []node{n}
			if len(n.items) > 0 && n.items[0].kind == '[' {
				lists = n.items
			}
			var out [][]TimeWindow
			for _, l := range lists {
				if l.kind != '[' {
					return nil, s.errorf(l.at, "%s has %s between its lists", key, l.is())
				}
				windows := []TimeWindow{}
				for _, item := range l.items {
					w, err := readWindow(s, one, item)
					if err != nil {
						return nil, err
					}
					windows = append(windows, w)
				}
				out = append(out, windows)
			}
			return out, nil
		},
	}
}

func readWindow(s source, shape rule[windowLayer], n node) (TimeWindow, error) {
	var l windowLayer
	if mistakes := readObject(s, &l, shape, n, "a window"); len(mistakes) > 0 {
		return TimeWindow{}, mistakes[0]
	}
	if l.from == nil || l.to == nil {
		return TimeWindow{}, s.errorf(n.at, "a window needs from and to")
	}
	minutes := func(text string) int { // the pattern was checked
		h, m := int(text[0]-'0')*10+int(text[1]-'0'), int(text[3]-'0')*10+int(text[4]-'0')
		return 60*h + m
	}
	w := TimeWindow{From: minutes(l.from.v), To: minutes(l.to.v), Zone: or(l.zone, "UTC"), Days: or(l.days, nil)}
	if w.From == w.To {
		return w, s.errorf(l.to.pos, "the window ends when it begins; the whole day is from 00:00 to 24:00")
	}
	if w.Days == nil {
		for _, name := range dayNames {
			w.Days = append(w.Days, weekday(name))
		}
	}
	var err error
	// Local would be wherever the program happens to run.
	if w.loc, err = time.LoadLocation(w.Zone); err != nil || w.Zone == "Local" {
		return w, s.errorf(l.zone.pos, "timeZone %q is not known on this machine (its time zone data may not be installed; UTC always is)", w.Zone)
	}
	return w, nil
}
