package market

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"net"
	"strconv"
	"syscall"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// networkReason names the common ways to get no answer, "" for the others.
func networkReason(err error) string {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &dns):
		return ": its name has no address"
	case errors.Is(err, syscall.ECONNREFUSED):
		return ": connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return ": connection reset"
	case errors.As(err, &cert):
		return ": its TLS certificate is not valid"
	}
	return ""
}

// serverText is what a server said about its error, as a clause for a message:
// one short line, the key taken out. Nothing is ever decided by it.
func serverText(b []byte, key Key) string {
	var w struct {
		Errors  json.RawMessage `json:"errors"`
		Detail  json.RawMessage `json:"detail"`
		Message json.RawMessage `json:"message"`
		Error   json.RawMessage `json:"error"`
	}
	text := string(b)
	if json.Unmarshal(b, &w) == nil {
		text = firstText(w.Errors, w.Detail, w.Message, w.Error)
	}
	// Again after cleaning: characters that it drops may have parted the key.
	text = fault.Excerpt(key.hide(fault.Excerpt(text, 20*maxMessage)), maxMessage)
	if text == "" {
		return ""
	}
	return " and said " + strconv.Quote(text)
}

// firstText returns the first value as text: a string as it is, a list's first
// entry, anything else as JSON.
func firstText(values ...json.RawMessage) string {
	for _, v := range values {
		if len(v) == 0 || string(v) == "null" {
			continue
		}
		var list []json.RawMessage
		if json.Unmarshal(v, &list) == nil {
			if len(list) == 0 {
				continue
			}
			v = list[0]
		}
		var s string
		if json.Unmarshal(v, &s) == nil {
			return s
		}
		return string(v)
	}
	return ""
}
