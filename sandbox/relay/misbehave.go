package relay

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"

	"github.com/ape-claw/ape-claw/sandbox/contracts"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// stranger is an address that nothing here belongs to.
var stranger = common.HexToAddress("0x0000bad0000000000000000000000000000bad00")

// endless is where an answer that does not end ends.
const endless = 64 << 20

// misbehave applies the faults of the server as a whole.
func (s *Server) misbehave(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if value, on := s.faults.On(faults.RelayWait); on && !pause(r, value) {
			return
		}
		if _, on := s.faults.On(faults.RelayReset); on {
			panic(http.ErrAbortHandler) // net/http's way to drop a connection
		}
		if _, on := s.faults.On(faults.RelayBadKey); on {
			s.fail(w, http.StatusUnauthorized, "UNAUTHORIZED", "Invalid API key")
			return
		}
		if value, on := s.faults.On(faults.RelayRateLimit); on {
			w.Header().Set("Retry-After", value)
			s.fail(w, http.StatusTooManyRequests, "RATE_LIMITED", "Too many requests")
			return
		}
		if value, on := s.faults.On(faults.RelayHTTP); on {
			status, err := strconv.Atoi(value)
			if err != nil || status < 200 || status > 599 {
				status = http.StatusInternalServerError
			}
			s.fail(w, status, "UNKNOWN_ERROR", "Something went wrong")
			return
		}
		if _, on := s.faults.On(faults.RelayRedirect); on {
			w.Header().Set("Location", "http://api.relay.example"+r.URL.RequestURI())
			s.fail(w, http.StatusTemporaryRedirect, "MOVED", "Moved")
			return
		}
		if _, on := s.faults.On(faults.RelayHTML); on {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			s.write(w, []byte("<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Checking your browser</body></html>"))
			return
		}
		if _, on := s.faults.On(faults.RelayEndless); on {
			s.endless(w)
			return
		}
		if _, on := s.faults.On(faults.RelayTruncated); on {
			rec := recorder{header: w.Header(), status: http.StatusOK}
			next.ServeHTTP(&rec, r)
			w.WriteHeader(rec.status)
			s.write(w, rec.body.Bytes()[:rec.body.Len()/2])
			return
		}
		next.ServeHTTP(w, r)
	})
}

// endless answers with a document of one very long string.
func (s *Server) endless(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	s.write(w, []byte(`{"details":"`))
	part := bytes.Repeat([]byte("a"), 64<<10)
	for range endless / len(part) {
		if _, err := w.Write(part); err != nil {
			return // the client has had enough
		}
	}
	s.write(w, []byte(`"}`))
}

// pause waits, unless the client leaves first.
func pause(r *http.Request, value string) bool {
	d, err := time.ParseDuration(value)
	if err != nil {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-t.C:
		return true
	}
}

// recorder keeps an answer back.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }

// frauds change a route each. They are tried in this order; several may be in
// force.
var frauds = []struct {
	name   faults.Name
	change func(s *Server, rt *route)
}{
	{faults.RelayApproveTwice, func(_ *Server, rt *route) {
		if len(rt.approvals) > 0 {
			rt.approvals = append([]*big.Int{{}}, rt.approvals...)
		}
	}},
	{faults.RelayTamperAmount, func(_ *Server, rt *route) {
		rt.amountIn = new(big.Int).Lsh(rt.amountIn, 1)
		rt.deposited = rt.amountIn
		for i := range rt.approvals {
			rt.approvals[i] = new(big.Int).Lsh(rt.approvals[i], 1)
		}
	}},
	{faults.RelayTamperContract, func(_ *Server, rt *route) { rt.to = stranger }},
	{faults.RelayTamperSpender, func(_ *Server, rt *route) { rt.spender = stranger }},
	{faults.RelayTamperUnlimited, func(_ *Server, rt *route) {
		for i := range rt.approvals {
			rt.approvals[i] = math.MaxBig256
		}
	}},
	{faults.RelayTamperToken, func(s *Server, rt *route) {
		for _, c := range s.world.Currencies() {
			if c.ChainID == rt.in.ChainID && !c.Native() && c.Address != rt.in.Address {
				rt.token = c.Address
			}
		}
	}},
	{faults.RelayTamperSender, func(_ *Server, rt *route) { rt.sender = stranger }},
	{faults.RelayTamperChain, func(_ *Server, rt *route) { rt.chainID = rt.out.ChainID }},
	{faults.RelayTamperValue, func(_ *Server, rt *route) { rt.deposited = new(big.Int).Add(rt.deposited, big.NewInt(1)) }},
	{faults.RelayTamperRecipient, func(_ *Server, rt *route) { rt.recipient = stranger }},
	{faults.RelayTamperCurrency, func(s *Server, rt *route) {
		for _, c := range s.world.Currencies() {
			if c.ChainID == rt.out.ChainID && c.Address != rt.out.Address {
				rt.asOut = c
			}
		}
	}},
	{faults.RelayTamperDestination, func(_ *Server, rt *route) { rt.asOut.ChainID = rt.in.ChainID }},
	{faults.RelayTamperSelector, func(_ *Server, rt *route) {
		rt.edit = func(b []byte) []byte { return append([]byte{0x00, 0xfa, 0xd6, 0x11}, b[4:]...) }
	}},
	{faults.RelayTamperSuffix, func(_ *Server, rt *route) {
		rt.edit = func(b []byte) []byte { return append(b, 0x36, 0x0c, 0x6e, 0xbe) }
	}},
	{faults.RelayTamperEncoding, func(_ *Server, rt *route) {
		rt.edit = func(b []byte) []byte { b[4] = 0x01; return b } // above the depositor's twenty bytes
	}},
	{faults.RelayTamperDepositor, func(_ *Server, rt *route) { rt.depositor = stranger }},
	{faults.RelayTamperID, func(_ *Server, rt *route) { rt.depositID = common.HexToHash("0xbad") }},
	{faults.RelayTamperMinimum, func(_ *Server, rt *route) { rt.minimum = new(big.Int).Rsh(rt.minimum, 1) }},
	{faults.RelayTamperDecimals, func(_ *Server, rt *route) {
		for _, c := range []*demo.Currency{&rt.asIn, &rt.asOut} {
			c.Decimals = 24 - c.Decimals // six for eighteen, eighteen for six
		}
	}},
}

// tamper applies the faults of routes.
func (s *Server) tamper(rt *route) {
	for _, f := range frauds {
		if _, on := s.faults.On(f.name); on {
			f.change(s, rt)
		}
	}
}

// deface applies the faults of quotes that are in their writing.
func (s *Server) deface(doc *quoteJSON, rt *route) {
	last := len(doc.Steps) - 1
	if _, on := s.faults.On(faults.RelayTamperEndpoint); on {
		check := doc.Steps[last].Items[0].Check
		check.Endpoint = "http://api.relay.example" + check.Endpoint
	}
	if _, on := s.faults.On(faults.RelayTamperNoMinimum); on {
		doc.Details.CurrencyOut.MinimumAmount = ""
	}
	if _, on := s.faults.On(faults.RelayTamperNoFees); on {
		doc.Fees = nil
	}
	if _, on := s.faults.On(faults.RelayTamperTwice); on {
		doc.Steps[last].Items = append(doc.Steps[last].Items, doc.Steps[last].Items[0])
	}
	extra := doc.Steps[last]
	if _, on := s.faults.On(faults.RelayTamperStep); on {
		step := extra
		step.ID = "send"
		step.Items = []itemJSON{{Status: "incomplete", Data: rt.tx(stranger, big.NewInt(1), nil, approveGas)}}
		if !rt.in.Native() {
			data := contracts.NewDemoToken().PackTransfer(stranger, big.NewInt(1))
			step.Items[0].Data = rt.tx(rt.in.Address, new(big.Int), data, approveGas)
		}
		doc.Steps = append(doc.Steps, step)
	}
	if _, on := s.faults.On(faults.RelayTamperSignature); on {
		step := extra
		step.ID, step.Kind = "authorize", "signature"
		step.Items = []itemJSON{{Status: "incomplete", Data: map[string]any{
			"sign": map[string]any{"signatureKind": "eip191", "message": hexutil.Encode(rt.id[:])},
			"post": map[string]any{"endpoint": "/execute/permits", "method": http.MethodPost, "body": map[string]any{"kind": "eip3009", "requestId": hexutil.Encode(rt.id[:])}},
		}}}
		doc.Steps = slices.Insert(doc.Steps, 0, step)
	}
	if _, on := s.faults.On(faults.RelayTamperKind); on {
		step := extra
		step.ID = "delegate"
		doc.Steps = append(doc.Steps, step)
	}
}

// swapNumbers writes amounts as JSON numbers, and chain ids as strings.
func swapNumbers(body []byte) ([]byte, error) {
	var doc any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	walk(doc)
	return json.Marshal(doc)
}

var amounts = strings.Fields("amount minimumAmount value gas maxFeePerGas maxPriorityFeePerGas")

func walk(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			walk(e)
		}
	case map[string]any:
		for key, e := range v {
			switch e := e.(type) {
			case string:
				if slices.Contains(amounts, key) && e != "" {
					v[key] = json.Number(e)
				}
			case json.Number:
				if key == "chainId" || key == "decimals" {
					v[key] = e.String()
				}
			default:
				walk(e)
			}
		}
	}
}
