package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Current is what a running sandbox tells the sandbox profile, by way of
// current.json. It holds throwaway secrets and shows none of them.
type Current struct {
	PID       int
	Instance  string // changes with every start
	Home      string // the profile's home: keys, policy, money
	RPCURL    string
	MarketURL string
	ChainID   int64

	// The second chain, and the bridge between the two. They start when they are
	// first asked for. Empty when the sandbox is of a version without them.
	EthereumRPCURL  string
	EthereumChainID int64
	RelayURL        string

	Seed    string
	DataDir string // "": in memory
	Started time.Time
	Buyer   string // address of the profile's account

	BuyerKey  string // throwaway private key, hex
	MarketKey string // the marketplace takes any; this one is the profile's
	token     string // for the control routes
}

// currentJSON is Current as the file has it.
type currentJSON struct {
	PID       int              `json:"pid"`
	Instance  string           `json:"instance"`
	Home      string           `json:"home"`
	RPCURL    string           `json:"rpcUrl"`
	MarketURL string           `json:"marketUrl"`
	ChainID   int64            `json:"chainId"`
	ChainIDs  map[string]int64 `json:"chainIds"`
	Ethereum  string           `json:"ethereumRpcUrl,omitempty"`
	RelayURL  string           `json:"relayUrl,omitempty"`
	Seed      string           `json:"seed"`
	DataDir   string           `json:"dataDir,omitempty"`
	Started   time.Time        `json:"started"`
	Buyer     string           `json:"buyer"`
	BuyerKey  string           `json:"buyerKey"`
	MarketKey string           `json:"marketKey"`
	Token     string           `json:"token"`
}

// String names the sandbox without its secrets.
func (c Current) String() string {
	return fmt.Sprintf("sandbox of pid %d at %s", c.PID, c.MarketURL)
}

// GoString is String, for %#v.
func (c Current) GoString() string { return c.String() }

// LogValue is String, for slog.
func (c Current) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON leaves the secrets out.
func (c Current) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		PID       int       `json:"pid"`
		RPCURL    string    `json:"rpcUrl"`
		MarketURL string    `json:"marketUrl"`
		ChainID   int64     `json:"chainId"`
		Ethereum  string    `json:"ethereumRpcUrl,omitempty"`
		OtherID   int64     `json:"ethereumChainId,omitempty"`
		RelayURL  string    `json:"relayUrl,omitempty"`
		Seed      string    `json:"seed"`
		Home      string    `json:"home"`
		DataDir   string    `json:"dataDir,omitempty"`
		Started   time.Time `json:"started"`
		Buyer     string    `json:"buyer"`
	}{c.PID, c.RPCURL, c.MarketURL, c.ChainID, c.EthereumRPCURL, c.EthereumChainID, c.RelayURL, c.Seed, store.Display(c.Home), display(c.DataDir), c.Started, c.Buyer})
}

func display(path string) string {
	if path == "" {
		return ""
	}
	return store.Display(path)
}

// Files of a home.
func currentPath(home string) string { return filepath.Join(home, "sandbox", "current.json") }
func lockPath(home string) string    { return filepath.Join(home, "sandbox", "lock") }
func logPath(home string) string     { return filepath.Join(home, "sandbox", "sandbox.log") }

// Load returns the sandbox that runs for a home, from its current.json. None
// running, or one that was killed, is fault.Upstream. It asks the system about
// the process and nobody about the chain: whoever connects checks the chain id.
func Load(home string) (*Current, error) {
	c, err := read(home)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, fault.New(fault.Upstream, "no sandbox is running").Hintf("ape-claw sandbox up --detach").WithSent(fault.SentNo)
	}
	// A process that was killed and not yet reaped still has its pid; its lock is free.
	if !alive(c.PID) || !(Control{Home: home}).held() {
		return nil, fault.New(fault.Upstream, "the sandbox of pid %d is gone: it was killed, or the machine restarted", c.PID).
			Hintf("ape-claw sandbox up --detach").WithSent(fault.SentNo)
	}
	return c, nil
}

// read returns what current.json says; nil when there is none.
func read(home string) (*Current, error) {
	path := currentPath(home)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.StateUnusable, "can't read %s", store.Display(path))
	}
	var j currentJSON
	if err := json.Unmarshal(b, &j); err != nil || j.PID <= 0 {
		return nil, fault.Wrap(err, fault.StateUnusable, "%s is damaged", store.Display(path)).
			Hintf("delete it, and start again: ape-claw sandbox up")
	}
	return &Current{
		PID: j.PID, Instance: j.Instance, Home: j.Home, RPCURL: j.RPCURL, MarketURL: j.MarketURL, ChainID: j.ChainID,
		EthereumRPCURL: j.Ethereum, EthereumChainID: j.ChainIDs["ethereum"], RelayURL: j.RelayURL,
		Seed: j.Seed, DataDir: j.DataDir, Started: j.Started, Buyer: j.Buyer,
		BuyerKey: j.BuyerKey, MarketKey: j.MarketKey, token: j.Token,
	}, nil
}

// write puts c where Load finds it.
func (c *Current) write(home string) error {
	b, err := json.MarshalIndent(currentJSON{
		PID: c.PID, Instance: c.Instance, Home: c.Home, RPCURL: c.RPCURL, MarketURL: c.MarketURL,
		ChainID: c.ChainID, ChainIDs: map[string]int64{"apechain": c.ChainID, "ethereum": c.EthereumChainID},
		Ethereum: c.EthereumRPCURL, RelayURL: c.RelayURL,
		Seed: c.Seed, DataDir: c.DataDir, Started: c.Started, Buyer: c.Buyer,
		BuyerKey: c.BuyerKey, MarketKey: c.MarketKey, Token: c.token,
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("current.json: %w", err)
	}
	return store.WriteFile(currentPath(home), append(b, '\n'))
}

// alive reports whether a process exists; another user's does too.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
