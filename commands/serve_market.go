package commands

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// marketMounts are the routes by which registered agents ask the marketplace without
// a key of their own; none unless the server's operator wants them.
func (d *Deps) marketMounts(flag bool) (map[string]http.Handler, error) {
	on, err := d.flagOrEnv(flag, "APE_CLAW_MARKET_PROXY")
	if err != nil || !on {
		return nil, err
	}
	client, err := d.proxiedMarket()
	if err != nil {
		return nil, err
	}
	out := map[string]http.Handler{}
	for pattern, h := range market.NewProxy(market.ProxyOptions{
		Client: client, Fail: serve.WriteError, Now: d.host.Now,
		Agent: func(r *http.Request) string {
			id := serve.AgentID(r)
			if id == agents.Operator { // a person, who is no agent
				return ""
			}
			return id
		},
		Log: func(route string, err error) {
			d.logger().Warn("ask the marketplace", "route", route, "cause", d.redactor().String(fault.From(err).Message))
		},
	}).Mounts() {
		out[pattern] = serve.Private(h)
	}
	return out, nil
}

// proxiedMarket is the marketplace that a proxy asks: the API, with this machine's key.
func (d *Deps) proxiedMarket() (*market.Client, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	if cfg.MarketProxy.Value != "" {
		return nil, fault.New(fault.Usage, "--market-proxy would ask another proxy: %s is set too", marketProxyOption().named(cfg.MarketProxy.Source)).
			Hintf("leave out one of the two")
	}
	key := d.marketKey(cfg)
	if !key.Set() {
		return nil, fault.New(fault.Auth, "--market-proxy needs an OpenSea API key, and there is none").
			Hintf("export OPENSEA_API_KEY=…, or ape-claw auth set --opensea-api-key -")
	}
	return market.New(market.Options{Rules: market.ApeChain(d.host.Now), BaseURL: cfg.MarketURL.Value, APIKey: market.Key(key.Reveal()),
		Transport: d.transport(), Rand: rand.Int64N, Pacer: d.marketPacer(cfg), MaxWait: 10 * time.Second})
}

// flagOrEnv is a switch by flag, else by environment.
func (d *Deps) flagOrEnv(flag bool, env string) (bool, error) {
	v := d.host.getenv(env)
	if flag || v == "" {
		return flag, nil
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		return false, fault.New(fault.Usage, "%s=%s is neither true nor false", env, shownArg(v))
	}
	return b, nil
}

func marketProxyOption() option {
	return option{key: "market.proxyUrl", env: "APE_CLAW_MARKET_PROXY_URL"}
}

// fillMarketProxy reads which server asks the marketplace in this machine's place. It is
// a setting of its own, not another value of market-url: an agent's token goes there, and
// where the marketplace's key goes no slip of a path may send the other.
func (r *resolver) fillMarketProxy(c *Config) error {
	c.MarketProxy = r.get("market.proxyUrl")
	if c.MarketProxy.Value == "" || c.IsSandbox() {
		c.MarketProxy = Setting{}
		return nil
	}
	o := r.option("market.proxyUrl")
	if !isServer(c.MarketProxy.Value) {
		return fault.New(fault.Usage, "%s is not the http or https URL of a server, without user, query and fragment", o.named(c.MarketProxy.Source)).
			Hintf("%s; APE_CLAW_AGENT_ID and APE_CLAW_AGENT_TOKEN hold the credentials", o.example(c.MarketProxy.Source, "https://HOST"))
	}
	if c.MarketURL.Source != FromDefault {
		return fault.New(fault.Usage, "%s and %s are both set: one of them is the marketplace", o.named(c.MarketProxy.Source), r.option("market-url").named(c.MarketURL.Source)).
			Hintf("leave out one of the two")
	}
	return nil
}
