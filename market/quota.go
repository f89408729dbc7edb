package market

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// quota is what an answer's headers say about the rate limit. Negative is "not
// said".
type quota struct {
	after     time.Duration // Retry-After, at most maxHold
	absurd    bool          // Retry-After was longer than that
	limit     int64         // X-RateLimit-Limit: requests in one window
	remaining int64         // X-RateLimit-Remaining: of them
	reset     time.Duration // X-RateLimit-Reset: until the next window, at most maxHold
}

// readQuota reads the headers. None of them is believed further than maxHold: a
// server must not be able to switch this client off for good.
func readQuota(h http.Header, now time.Time) quota {
	// A date is by the server's clock, and so is what it is held against.
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	q := quota{after: retryAfter(h, now), limit: count(h.Get("X-RateLimit-Limit")), remaining: count(h.Get("X-RateLimit-Remaining")),
		reset: resetIn(h.Get("X-RateLimit-Reset"), now)}
	if q.after > maxHold {
		q.after, q.absurd = maxHold, true
	}
	return q
}

// wait is how long an answer that says "too many" asks to wait.
func (q quota) wait() time.Duration {
	if q.after < 0 && q.remaining == 0 && q.reset >= 0 {
		return q.reset
	}
	return q.after
}

// retryAfter reads Retry-After: seconds, or an HTTP date. Negative means there
// was none that can be read.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if n := count(v); n >= 0 {
		return time.Duration(n) * time.Second
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return -1
	}
	return max(0, at.Sub(now))
}

// resetIn reads X-RateLimit-Reset, which services write as seconds from now, or
// as Unix time in seconds or milliseconds.
func resetIn(v string, now time.Time) time.Duration {
	whole, _, _ := strings.Cut(strings.TrimSpace(v), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	const year2001 = 1_000_000_000 // as seconds; nobody waits for that long
	d := time.Duration(min(n, year2001)) * time.Second
	switch {
	case n >= 1000*year2001:
		d = time.UnixMilli(n).Sub(now)
	case n >= year2001:
		d = time.Unix(n, 0).Sub(now)
	}
	return min(max(d, 0), maxHold)
}

// count reads a number of decimal digits; -1 is none. Too many digits are a very
// large number, not none.
func count(v string) int64 {
	v = strings.TrimSpace(v)
	if v == "" || !isDecimal(v) {
		return -1
	}
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil {
		return 1<<31 - 1
	}
	return n
}
