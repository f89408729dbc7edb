package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// ExternalOptions configure an External.
type ExternalOptions struct {
	Transport http.RoundTripper // nil: one of its own, past any proxy
	Ask       time.Duration     // how long a question may take; 0: 10 s
	Sign      time.Duration     // how long a signature may take, for which a person may be asked; 0: two minutes
}

// External is a signer in another process on this machine, which speaks clef's
// protocol (account_list, account_signTransaction) over http or a unix socket. Nothing
// of what it returns is believed. An External may be used by several goroutines.
type External struct {
	shown string
	opt   ExternalOptions
	url   string // over http, else
	path  string // of the socket
}

// maxSigned is the largest answer that is read from a signer, in bytes.
const maxSigned = 1 << 20

// NewExternal prepares a client of the signer at rawURL: http(s) to this machine,
// unix:PATH, or the PATH of a socket. It connects to nothing. A URL that can't be used
// is a fault.Usage, which does not show it.
func NewExternal(rawURL string, opt ExternalOptions) (*External, error) {
	bad := func(says string) (*External, error) {
		return nil, fault.New(fault.Usage, "the signer's URL %s", says).
			Hintf("export APE_CLAW_SIGNER_URL=http://127.0.0.1:8550, or the path of its socket").WithSent(fault.SentNo)
	}
	if opt.Ask <= 0 {
		opt.Ask = 10 * time.Second
	}
	if opt.Sign <= 0 {
		opt.Sign = 2 * time.Minute
	}
	e := &External{opt: opt}
	if path, ok := socketPath(rawURL); ok {
		if !filepath.IsAbs(path) {
			return bad("names a socket by a path that is not absolute")
		}
		e.path, e.shown = path, store.Display(path)
		return e, nil
	}
	u, err := url.Parse(rawURL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return bad("is neither http(s) nor the path of a socket")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return bad("has a user, a query or a fragment, which it may not")
	case !thisMachine(u.Hostname()):
		return bad("is not of this machine: keys are not asked for across a network")
	}
	if e.opt.Transport == nil {
		e.opt.Transport = &http.Transport{DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext, DisableKeepAlives: true}
	}
	e.url, e.shown = rawURL, u.Scheme+"://"+u.Host
	return e, nil
}

func socketPath(raw string) (string, bool) {
	if path, ok := strings.CutPrefix(raw, "unix:"); ok {
		return strings.TrimPrefix(path, "//"), true
	}
	return raw, strings.HasPrefix(raw, "/")
}

// thisMachine reports whether a host can only be this machine.
func thisMachine(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// String is where the signer is.
func (e *External) String() string { return e.shown }

// Accounts asks the signer which accounts it has.
func (e *External) Accounts(ctx context.Context) ([]common.Address, error) {
	var out []common.Address
	if err := e.call(ctx, e.opt.Ask, &out, "account_list"); err != nil {
		return nil, err
	}
	if len(out) > mostKeys {
		return nil, e.nonsense("account_list", fmt.Errorf("%d accounts", len(out)))
	}
	return out, nil
}

// Of is the signer of one of its accounts. It asks nothing.
func (e *External) Of(account common.Address) Signer { return &externalSigner{e, account} }

type externalSigner struct {
	*External
	account common.Address
}

// Address implements Signer.
func (s *externalSigner) Address() common.Address { return s.account }

// SignTx implements Signer. What comes back is held against what was asked for,
// field by field, and its sender is recovered.
func (s *externalSigner) SignTx(ctx context.Context, tx *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
	const method = "account_signTransaction"
	if tx.Type() != types.DynamicFeeTxType || tx.To() == nil || tx.ChainId().Cmp(chainID) != 0 || len(tx.AccessList()) != 0 {
		return nil, fault.New(fault.Internal, "a transaction of a kind that is not sent").WithSent(fault.SentNo)
	}
	var out struct {
		Raw hexutil.Bytes `json:"raw"`
	}
	if err := s.call(ctx, s.opt.Sign, &out, method, map[string]any{
		"from": s.account.Hex(), "to": tx.To().Hex(), "gas": hexutil.Uint64(tx.Gas()), "nonce": hexutil.Uint64(tx.Nonce()),
		"maxFeePerGas": (*hexutil.Big)(tx.GasFeeCap()), "maxPriorityFeePerGas": (*hexutil.Big)(tx.GasTipCap()),
		"value": (*hexutil.Big)(tx.Value()), "input": hexutil.Bytes(tx.Data()), "chainId": (*hexutil.Big)(chainID), "accessList": []any{},
	}); err != nil {
		return nil, err
	}
	signed := new(types.Transaction)
	if err := signed.UnmarshalBinary(out.Raw); err != nil {
		return nil, s.nonsense(method, err)
	}
	if signed.ChainId().Cmp(chainID) != 0 {
		return nil, fault.New(fault.ChainMismatch, "the signer at %s signed for chain %s, not for chain %s: it is not used", s.shown, signed.ChainId(), chainID).
			Hintf("start the signer for chain %s (clef --chainid %s)", chainID, chainID).WithSent(fault.SentNo)
	}
	if field := changed(tx, signed); field != "" {
		return nil, s.unsafe("changed the " + field)
	}
	if from, err := types.Sender(types.LatestSignerForChainID(chainID), signed); err != nil || from != s.account {
		return nil, s.unsafe("signed with the key of another account")
	}
	return signed, nil
}

// changed names the first field in which two transactions differ; "": none does.
func changed(a, b *types.Transaction) string {
	switch {
	case a.Type() != b.Type():
		return "type"
	case a.Nonce() != b.Nonce():
		return "nonce"
	case b.To() == nil || *a.To() != *b.To():
		return "target"
	case a.Value().Cmp(b.Value()) != 0:
		return "value"
	case !bytes.Equal(a.Data(), b.Data()):
		return "data"
	case a.Gas() != b.Gas():
		return "gas limit"
	case a.GasFeeCap().Cmp(b.GasFeeCap()) != 0:
		return "fee cap"
	case a.GasTipCap().Cmp(b.GasTipCap()) != 0:
		return "tip"
	case len(b.AccessList()) != 0:
		return "access list"
	}
	return ""
}

func (e *External) unsafe(did string) error {
	return fault.New(fault.UnsafeTransaction, "the signer at %s %s: what it signed was thrown away", e.shown, did).
		Hintf("find out why before it is used again").WithSent(fault.SentNo)
}

func (e *External) nonsense(method string, cause error) error {
	return fault.Wrap(cause, fault.Upstream, "the signer at %s answered %s with something that makes no sense", e.shown, method).
		Hintf("check that APE_CLAW_SIGNER_URL is a signer's, such as clef's").WithSent(fault.SentNo)
}

// call asks one question on a connection of its own.
func (e *External) call(ctx context.Context, limit time.Duration, result any, method string, args ...any) error {
	if args == nil {
		args = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": args})
	if err != nil {
		return err
	}
	asked, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answer, err := e.exchange(asked, body)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case asked.Err() != nil:
		return fault.Wrap(asked.Err(), fault.Upstream, "the signer at %s did not answer %s within %s", e.shown, method, limit).
			Hintf("look whether it waits for a person to agree").WithSent(fault.SentNo)
	case fault.CodeOf(err) == fault.StateUnusable:
		return err
	case err != nil:
		return fault.Wrap(withoutURL(err), fault.Upstream, "the signer at %s can't be asked: %s", e.shown, reasonOf(err)).
			Hintf("start it, or check APE_CLAW_SIGNER_URL").WithSent(fault.SentNo)
	}
	if answer.Error != nil {
		return fault.New(fault.ApprovalRequired, "the signer at %s refused %s: %s", e.shown, method, printable(answer.Error.Message)).
			Hintf("agree there, or look at its rules").WithSent(fault.SentNo)
	}
	if string(answer.ID) != "1" || len(answer.Result) == 0 || string(answer.Result) == "null" {
		return e.nonsense(method, errGarbage)
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return e.nonsense(method, err)
	}
	return nil
}

type signerAnswer struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

func (e *External) exchange(ctx context.Context, body []byte) (a signerAnswer, err error) {
	if e.path != "" {
		return a, e.overSocket(ctx, body, &a)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := e.opt.Transport.RoundTrip(req)
	if err != nil {
		return a, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode != http.StatusOK {
		return a, fmt.Errorf("HTTP status %d", resp.StatusCode)
	}
	return a, json.NewDecoder(io.LimitReader(resp.Body, maxSigned)).Decode(&a)
}

// overSocket asks at a socket that this user or root made: anybody could put one in a
// folder that all may write to.
func (e *External) overSocket(ctx context.Context, body []byte, a *signerAnswer) (err error) {
	fi, err := os.Stat(e.path)
	if err != nil {
		return withoutPath(err)
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if fi.Mode()&os.ModeSocket == 0 || !ok || st.Uid != 0 && int64(st.Uid) != int64(os.Geteuid()) {
		return fault.New(fault.StateUnusable, "%s is no socket of this user", e.shown).
			Hintf("set APE_CLAW_SIGNER_URL to the signer's own").WithSent(fault.SentNo)
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", e.path)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // everything was read
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if _, err := conn.Write(append(body, '\n')); err != nil {
		return err
	}
	return json.NewDecoder(io.LimitReader(conn, maxSigned)).Decode(a)
}

// withoutPath drops the path from an error of the file system.
func withoutPath(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
