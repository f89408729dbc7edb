package policy

import (
	"encoding/json"
	"log/slog"
	"net/url"
)

// Endpoint is a URL that may carry a credential in its user, path or query. It
// prints as scheme and host; string(e) is the whole of it, for dialling.
type Endpoint string

// String returns the scheme and the host only.
func (e Endpoint) String() string {
	u, err := url.Parse(string(e))
	if err != nil || u.Host == "" {
		return "***"
	}
	if u.User == nil && u.RawQuery == "" && (u.Path == "" || u.Path == "/" || u.Path == "/http") {
		return string(e) // nothing in it can be a key
	}
	return u.Scheme + "://" + u.Host + "/…"
}

// GoString, LogValue and MarshalJSON keep %#v, logs and JSON from showing more.
func (e Endpoint) GoString() string { return e.String() }

// LogValue redacts as String does.
func (e Endpoint) LogValue() slog.Value { return slog.StringValue(e.String()) }

// MarshalJSON redacts as String does.
func (e Endpoint) MarshalJSON() ([]byte, error) { return json.Marshal(e.String()) }
