package commands

import (
	"context"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// rpcURL is where the chain is reached and who said so: a setting, else the policy.
func (d *Deps) rpcURL() (Setting, error) {
	c, err := d.Config()
	if err != nil {
		return Setting{}, err
	}
	if c.SandboxErr != nil {
		return Setting{}, c.SandboxErr
	}
	if c.RPC.Value != "" {
		return c.RPC, nil
	}
	p, err := d.Policy()
	if err != nil {
		return Setting{}, err
	}
	if string(p.RPCURL) == builtinRPC {
		return Setting{string(p.RPCURL), FromDefault}, nil
	}
	return Setting{string(p.RPCURL), "policy"}, nil
}

// builtinRPC is ApeChain's public endpoint, what the embedded policy names: that
// it is out of reach is nobody's mistake.
const builtinRPC = "https://rpc.apechain.com/http"

// client dials the chain of the profile once; the chain id is checked on first use.
func (d *Deps) client(ctx context.Context) (*chain.Client, error) {
	p, err := d.Policy()
	if err != nil {
		return nil, err
	}
	url, err := d.rpcURL()
	if err != nil {
		return nil, err
	}
	owner := d
	if d.parent != nil {
		owner = d.parent
	}
	if c := owner.dialled(url.Value, p.ChainID); c != nil {
		return c, nil
	}
	c, err := chain.Dial(ctx, url.Value, chain.DialOptions{Transport: d.transport(), WantChainID: p.ChainID})
	if err != nil {
		return nil, err
	}
	return owner.keepClient(c, url.Value, p.ChainID), nil
}

// node is a connection to a chain, with what it was made for: a policy that is read
// anew may name another.
type node struct {
	*chain.Client
	url     string
	chainID int64
}

func (d *Deps) dialled(url string, chainID int64) *chain.Client {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range d.rpc {
		if n.url == url && n.chainID == chainID {
			return n.Client
		}
	}
	return nil
}

// keepClient keeps a new connection, unless another run within this one was faster.
func (d *Deps) keepClient(c *chain.Client, url string, chainID int64) *chain.Client {
	if first := d.dialled(url, chainID); first != nil {
		c.Close()
		return first
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rpc = append(d.rpc, node{c, url, chainID})
	d.closers = append(d.closers, func() error { c.Close(); return nil })
	return c
}

// errNoKey says what to do when a command needs the buyer's key and has none.
func errNoKey() error {
	return fault.New(fault.Auth, "no private key is set").
		Hintf("ape-claw auth set --private-key … at a terminal, or export APE_CLAW_PRIVATE_KEY")
}

// signer returns the signer of the profile's key; it names the source, never the key.
func (d *Deps) signer() (chain.Signer, error) {
	c, err := d.Config()
	if err != nil {
		return nil, err
	}
	if !c.PrivateKey.Set() {
		return nil, errNoKey()
	}
	if c.SandboxErr != nil {
		return nil, c.SandboxErr
	}
	if c.IsSandbox() {
		return chain.NewSandboxSigner(c.PrivateKey.Reveal())
	}
	return chain.NewKeySigner(c.PrivateKey.Reveal(), c.PrivateKey.Source)
}
