package chain

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// endpoint is a node's URL as it may be shown. Providers put keys into the user
// part, the query and the path, so only scheme and host are ever shown.
type endpoint struct {
	shown   string
	secrets *strings.Replacer
}

func parseEndpoint(raw string) (endpoint, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return endpoint{}, fault.New(fault.Usage, "the RPC URL is not a URL; expected http(s)://host[:port][/path]").
			Hintf("set it with --rpc-url or RPC_URL_<chain id>")
	}
	at := endpoint{shown: u.Scheme + "://" + u.Host}
	if u.Scheme != "http" && u.Scheme != "https" {
		return endpoint{}, fault.New(fault.Usage, "the RPC URL %s has the scheme %q; expected http or https", at.shown, u.Scheme).
			Hintf("use the node's HTTP endpoint, for example https://rpc.apechain.com/http")
	}
	// What a node or a library echoes is searched for the parts that may be keys.
	var parts []string
	add := func(s string) {
		if len(s) >= 6 {
			parts = append(parts, s, "***")
		}
	}
	add(raw)
	if u.User != nil {
		password, _ := u.User.Password()
		add(password)
		add(u.User.Username())
	}
	add(u.RawQuery)
	for _, values := range u.Query() {
		for _, v := range values {
			add(v)
		}
	}
	for _, s := range strings.Split(u.Path, "/") {
		// Short path elements (http, v2, rpc) are words, long ones keys.
		if len(s) >= 12 {
			add(s)
		}
	}
	at.secrets = strings.NewReplacer(parts...)
	return at, nil
}

// hide replaces what may be a secret of the URL in a text of others.
func (e endpoint) hide(s string) string {
	if e.secrets == nil {
		return s
	}
	return e.secrets.Replace(s)
}

// withoutURL drops the URL that net/http puts around a transport's error, so
// that the cause may be logged.
func withoutURL(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}

// reasonOf says in a few words why a request failed, without addresses.
func reasonOf(err error) string {
	err = withoutURL(err)
	var dns *net.DNSError
	var timeout net.Error
	var errno syscall.Errno
	switch {
	case errors.Is(err, errGarbage):
		return err.Error()
	case isEOF(err):
		return "the connection was closed"
	case errors.As(err, &dns):
		return "the host name does not resolve"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time"
	case notJSON(err):
		return "not valid JSON"
	}
	return printable(err.Error())
}

// neverSent reports whether a request failed at making its connection: at the
// name, the dialling or the TLS handshake. That none of it left follows only if
// there was no other connection before, which sendRaw watches.
func neverSent(err error) bool {
	var dns *net.DNSError
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial" ||
		errors.As(err, &cert) || errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch)
}

// isEOF reports whether the answer ended early.
func isEOF(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// isHexError reports whether err is hexutil's: a result that is no hex number.
func isHexError(err error) bool {
	for _, known := range []error{
		hexutil.ErrEmptyString, hexutil.ErrSyntax, hexutil.ErrMissingPrefix, hexutil.ErrOddLength,
		hexutil.ErrEmptyNumber, hexutil.ErrLeadingZero, hexutil.ErrUint64Range, hexutil.ErrUintRange, hexutil.ErrBig256Range,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// errGarbage marks an answer that the guard refused to pass on.
var errGarbage = errors.New("unusable answer")

// guard is the transport beneath the rpc package, which reads whatever it gets:
// it refuses pages and caps the size of an answer.
type guard struct {
	next http.RoundTripper
	most int64
}

func newGuard(next http.RoundTripper, most int64) *guard {
	if next == nil {
		next = &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			ForceAttemptHTTP2:     true,
			MaxIdleConnsPerHost:   4,
			IdleConnTimeout:       30 * time.Second,
			TLSHandshakeTimeout:   5 * time.Second,
			ResponseHeaderTimeout: 30 * time.Second,
		}
	}
	return &guard{next: next, most: most}
}

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode < 300 && strings.HasPrefix(kind, "text/html") {
		return nil, errors.Join(fmt.Errorf("%w: a web page (%s)", errGarbage, printable(kind)), resp.Body.Close())
	}
	resp.Body = &capped{ReadCloser: resp.Body, left: g.most, most: g.most}
	return resp, nil
}

func (g *guard) closeIdle() {
	if c, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// capped fails a body that is longer than it may be: cut off silently, a part
// of an answer could be taken for the whole.
type capped struct {
	io.ReadCloser
	left, most int64
}

// Read implements io.Reader.
func (c *capped) Read(p []byte) (int, error) {
	if c.left < 0 {
		return 0, fmt.Errorf("%w: more than %d bytes", errGarbage, c.most)
	}
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.ReadCloser.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return n, fmt.Errorf("%w: more than %d bytes", errGarbage, c.most)
	}
	return n, err
}
