package serve

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// answerError makes an error of an answer that is not what was asked for. One that
// is not of our form is a proxy's, or of a server that is none of ours.
func answerError(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var e errorBody
	if err == nil && json.Unmarshal(body, &e) == nil && e.Error != "" && e.Code != "" {
		f := fault.New(e.Code, "%s", e.Error)
		f.Hint, f.Details = e.Hint, e.Details
		return f
	}
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusProxyAuthRequired:
		return fault.New(fault.Auth, "the server, or a proxy before it, answered %d: it asks who you are, or does not let you in", status).
			Hintf("the answer is not of ape-claw serve: ask whoever runs that address what lets you in")
	case status == http.StatusBadRequest && resp.TLS == nil && strings.Contains(string(body), "HTTPS"):
		return fault.New(fault.Upstream, "the server speaks TLS, and was asked without").Hintf("give its address with https://")
	}
	return fault.New(fault.Upstream, "the server answered %d, not an event stream", resp.StatusCode).
		Hintf("give the address that ape-claw serve printed")
}

// unreachable says in words why no answer came.
func unreachable(target string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	shown, host := showURL(target), ""
	if u, err := url.Parse(target); err == nil {
		host = u.Hostname()
	}
	here := loopbackHost(hostOf(host))
	var (
		dns   *net.DNSError
		cert  *tls.CertificateVerificationError
		plain tls.RecordHeaderError
		late  net.Error
	)
	say := func(format string, args ...any) *fault.Error {
		return fault.Wrap(err, fault.Upstream, "no event stream at "+strings.ReplaceAll(shown, "%", "%%")+": "+format, args...)
	}
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return say("no host is called %q", dns.Name).Hintf("check the name, or give an address in digits")
	case errors.As(err, &dns):
		return say("the name %q can't be looked up now", dns.Name).Hintf("check this machine's network, and try again")
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &plain):
		return say("the server does not speak TLS there").Hintf("give its address with http://, or the port of the proxy that has the certificate")
	case errors.As(err, &cert):
		return say("its certificate is not accepted").Hintf("call it by the name that the certificate is for; a certificate of your own has to be known to this machine")
	case errors.Is(err, syscall.ECONNREFUSED) && here:
		return say("nothing listens there").Hintf("start one: ape-claw serve")
	case errors.Is(err, syscall.ECONNREFUSED):
		return say("nothing listens there").Hintf("check the port; on that machine, ape-claw serve listens on loopback unless --addr says otherwise")
	case errors.As(err, &late) && late.Timeout():
		return say("no answer came in time").Hintf("check the address, and whether a firewall is in between")
	case here:
		return say("the connection failed").Hintf("start one: ape-claw serve")
	}
	return say("the connection failed").Hintf("check the address, and that ape-claw serve runs there")
}

// showURL is target without what may be secret in it.
func showURL(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return "the given URL"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
