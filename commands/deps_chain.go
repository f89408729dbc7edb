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
	if c.V2RPC.Value != "" && c.RPC.Source != FromFlag && d.isV2() {
		return c.V2RPC, nil
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
	return d.dial(ctx, url.Value, p.ChainID)
}

// dial is a connection that is made once, to a chain that has to be the one of the id.
func (d *Deps) dial(ctx context.Context, url string, chainID int64) (*chain.Client, error) {
	owner := d
	if d.parent != nil {
		owner = d.parent
	}
	if c := owner.dialled(url, chainID); c != nil {
		return c, nil
	}
	c, err := chain.Dial(ctx, url, chain.DialOptions{Transport: d.transport(), WantChainID: chainID,
		Passed: func(from, to, why string) { owner.warn("%s; going on with %s", why, to) }})
	if err != nil {
		return nil, err
	}
	return owner.keepClient(c, url, chainID), nil
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
func (d *Deps) errNoKey(c *Config) error {
	from := "APE_CLAW_PRIVATE_KEY"
	if d.isV2() && !c.IsSandbox() {
		from += ", or APE_CLAW_V2_PRIVATE_KEY for v2 commands alone"
	}
	return fault.Wrap(errNoSigner, fault.Auth, "no private key is set").Hintf("ape-claw wallet new or ape-claw auth set --private-key - at a terminal, or export %s", from)
}

// signer returns who signs, and with what account. It opens no key.
func (d *Deps) signer(ctx context.Context) (chain.Signer, error) {
	s, err := d.chosenSigner(ctx)
	if err != nil {
		return nil, err
	}
	return s.Signer, nil
}

// unlocked is signer for what is about to sign: a person is asked for the password
// now, while nobody waits for a lock, and told what there is to know.
func (d *Deps) unlocked(ctx context.Context) (chain.Signer, error) {
	s, err := d.chosenSigner(ctx)
	if err != nil || !d.executes {
		return s.Signer, err
	}
	for _, w := range s.warnings {
		d.warn("%s", w)
	}
	if s.locked != nil {
		err = s.locked.Unlock(ctx)
	}
	return s.Signer, err
}
