package commands

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// option is one setting that is not a command's own: its flag, environment
// variable, config file key and default. docs/configuration.md is made from it.
type option struct {
	key, flag, env, def, help string
	alias                     string // a second environment variable, the original's
	secret, hidden            bool
	file                      bool // may stand in the config file
}

// options lists every global setting once.
func options() []option {
	return []option{
		{key: "profile", flag: "profile", env: "APE_CLAW_PROFILE", def: ProfileApeChain, help: "apechain, or sandbox for the local practice chain", file: true},
		{key: "home", flag: "home", env: "APE_CLAW_HOME", def: "~/.ape-claw", help: "`directory` of keys, policy and the spend ledger"},
		{key: "state-dir", flag: "state-dir", env: "APE_CLAW_STATE_DIR", def: "./state", help: "`directory` of events and quotes", file: true},
		{key: "root", env: "APE_CLAW_ROOT", help: "the original program's project `directory`: its `state` is the state directory, unless a flag or APE_CLAW_STATE_DIR names another"},
		{key: "config", flag: "config", env: "APE_CLAW_CONFIG", def: "<home>/config.yaml", help: "config `file` (YAML, JSON or TOML)"},
		{key: "policy", flag: "policy", env: "APE_CLAW_POLICY", help: "a policy `file` that narrows the home's"},
		{key: "agent-id", flag: "agent-id", env: "APE_CLAW_AGENT_ID", def: "local-cli", help: "who the events are from", file: true},
		{key: "agent-token", flag: "agent-token", env: "APE_CLAW_AGENT_TOKEN", help: "the agent's token (prefer the environment)", secret: true},
		{key: "api", env: "APE_CLAW_API_BASE", help: "base `url` of the serve that `clawbot register`, `list`, `verify` and `invite` ask instead of the state directory"},
		{key: "invite", env: "APE_CLAW_INVITE", help: "an invite, for `clawbot register --api`", secret: true},
		{key: "registration-key", env: "APE_CLAW_REGISTRATION_KEY", help: "the key by which a serve registers agents and makes invites: of one that runs here, and for `clawbot register` and `invite` at another", secret: true},
		{key: "trace-id", flag: "trace-id", env: "APE_CLAW_TRACE_ID", help: "joins commands into one story"},
		{key: "session-id", flag: "session-id", env: "APE_CLAW_SESSION_ID", def: "local-session", help: "groups the events of a session"},
		{key: "private-key", flag: "private-key", env: "APE_CLAW_PRIVATE_KEY", help: "hex key of the buyer (for compatibility: others can read a command line)", secret: true},
		{key: "account", flag: "account", env: "APE_CLAW_ACCOUNT", help: "`address` of the account to act with, where there are keys of several", file: true},
		{key: "signer.url", env: "APE_CLAW_SIGNER_URL", help: "`url` of a signer on this machine that speaks clef's protocol, or the path of its socket", file: true},
		{key: "password-file", flag: "password-file", env: "APE_CLAW_PASSWORD_FILE", help: "`file` (mode 0600) with the password of the keystore's key", file: true},
		{key: "password-fd", flag: "password-fd", help: "`number` of an open file descriptor to read that password from"},
		{key: "opensea-api-key", env: "OPENSEA_API_KEY", help: "key of the OpenSea API", secret: true},
		{key: "relay-api-key", env: "RELAY_API_KEY", help: "key of the Relay API", secret: true},
		{key: "bridge.url", env: "RELAY_API_BASE", def: bridge.RelayBase, help: "base `url` of the bridge", file: true},
		{key: "rpc", flag: "rpc", env: "RPC_URL_33139", alias: "APE_CLAW_RPC_URL", help: "RPC `url` of the chain, or several, separated by commas, tried in turn (default: the policy's)", file: true},
		{key: "market-url", flag: "market-url", env: "APE_CLAW_MARKET_URL", def: "https://api.opensea.io", help: "base `url` of the marketplace", file: true, hidden: true},
		{key: "market.proxyUrl", env: "APE_CLAW_MARKET_PROXY_URL", help: "base `url` of a serve with --market-proxy, which is asked with the agent's credentials in place of the marketplace", file: true},
		{key: "data-source", env: "APE_CLAW_DATA_SOURCE", help: "opensea, or file:PATH; also `--data-source` of market listings and nft quote (default: the policy's)", file: true},
		{key: "addr", env: "APE_CLAW_ADDR", def: "127.0.0.1:8787", help: "where `serve --addr` listens; `APE_CLAW_UI_PORT` and `APE_CLAW_BIND_HOST` change its port and host", file: true},
		{key: "telemetry.url", env: "APE_CLAW_TELEMETRY_URL", help: "base `url` of a remote serve: events are forwarded to it, and `events tail --remote` reads it", file: true},
		{key: "telemetry.remoteOnly", env: "APE_CLAW_TELEMETRY_REMOTE_ONLY", def: "false", help: "`true` keeps no local log: events wait in `state/outbox/` until the remote has them", file: true},
		{key: "telemetry.insecure", env: "APE_CLAW_TELEMETRY_INSECURE", def: "false", help: "`true` lets the agent's token go to another machine over http", file: true},
		{key: "telemetry.rotateBytes", env: "APE_CLAW_TELEMETRY_ROTATE_BYTES", def: "64MiB", help: "size from which `events.jsonl` becomes a segment and a new file is begun: bytes, or with KiB, MiB or GiB; `never`", file: true},
		{key: "telemetry.keepBytes", env: "APE_CLAW_TELEMETRY_KEEP_BYTES", def: "all", help: "how much of the log to keep: the oldest segments are removed while the rest has at least this size; `all` removes none", file: true},
		{key: "v2.rpc", env: "APE_CLAW_V2_RPC_URL", help: "RPC `url` of v2 commands, before RPC_URL_33139"},
		{key: "v2.private-key", env: "APE_CLAW_V2_PRIVATE_KEY", help: "hex key of v2 commands, before APE_CLAW_PRIVATE_KEY", secret: true},
		{key: "v2.skillNft", env: "APE_CLAW_V2_SKILL_NFT", help: "`address` of SkillNFT; this and those below: default, the deployment record's", file: true},
		{key: "v2.skillRegistry", env: "APE_CLAW_V2_SKILL_REGISTRY", help: "`address` of SkillRegistry", file: true},
		{key: "v2.intentRegistry", env: "APE_CLAW_V2_INTENT_REGISTRY", help: "`address` of IntentRegistry", file: true},
		{key: "v2.receiptRegistry", env: "APE_CLAW_V2_RECEIPT_REGISTRY", help: "`address` of ReceiptRegistry", file: true},
		{key: "v2.policyEngine", env: "APE_CLAW_V2_POLICY_ENGINE", help: "`address` of PolicyEngine", file: true},
		{key: "v2.agentAccount", env: "APE_CLAW_V2_AGENT_ACCOUNT", help: "`address` of AgentAccount", file: true},
		{key: "v2.podVault", env: "APE_CLAW_V2_POD_VAULT", help: "`address` of PodVault", file: true},
		{key: "v2.swapModule", env: "APE_CLAW_V2_SWAP_MODULE", help: "`address` of SwapModule", file: true},
		{key: "v2.bridgeModule", env: "APE_CLAW_V2_BRIDGE_MODULE", help: "`address` of BridgeModule", file: true},
		{key: "v2.nftBuyModule", env: "APE_CLAW_V2_NFT_BUY_MODULE", help: "`address` of NftBuyModule", file: true},
		{key: "rpc.ethereum", env: "RPC_URL_1", help: "RPC `url` of Ethereum, for the bridge; this and those below: several, separated by commas, are tried in turn", file: true},
		{key: "rpc.optimism", env: "RPC_URL_10", help: "RPC `url` of Optimism", file: true},
		{key: "rpc.polygon", env: "RPC_URL_137", help: "RPC `url` of Polygon", file: true},
		{key: "rpc.base", env: "RPC_URL_8453", help: "RPC `url` of Base", file: true},
		{key: "rpc.arbitrum", env: "RPC_URL_42161", help: "RPC `url` of Arbitrum", file: true},
		{key: "pod.dir", env: "APE_CLAW_POD_DIR", def: "./pod-workspace", help: "`directory` of the agent's workspace, for pod commands (also `--dir`) and `serve`", file: true},
		{key: "log-level", flag: "log-level", env: "APE_CLAW_LOG_LEVEL", def: "off", help: "off, error, warn, info or debug, on stderr", file: true},
	}
}

// SettingDoc describes one global setting, for docs/configuration.md.
type SettingDoc struct {
	Key, Flag, Env, Alias, Default, Help string
	InFile, Secret                       bool
}

// Settings lists every global setting.
func Settings() []SettingDoc {
	var out []SettingDoc
	for _, o := range options() {
		if !o.hidden {
			out = append(out, SettingDoc{o.key, o.flag, o.env, o.alias, o.def, o.help, o.file, o.secret})
		}
	}
	return out
}

// bindGlobals defines the global flags. --json is read before parsing (wantsJSON)
// and defined here only to be accepted and shown.
func bindGlobals(root *cobra.Command, d *Deps) {
	fl := root.PersistentFlags()
	fl.Bool("json", false, "one JSON document on stdout, errors included")
	for _, o := range options() {
		if o.flag == "" {
			continue
		}
		help := o.help
		if o.def != "" {
			help += fmt.Sprintf(" (default %s)", o.def)
		}
		if o.env != "" {
			help += " [$" + o.env + "]"
		}
		fl.VarPF(&onceValue{again: d.completing()}, o.flag, "", help)
		fl.Lookup(o.flag).Hidden = o.hidden
	}
	d.flags = fl
}

// onceValue is a string flag that may be given once: of two homes or keys, none
// may be the one that silently counts.
type onceValue struct {
	value string
	set   bool
	again bool
}

// Set implements pflag.Value.
func (v *onceValue) Set(s string) error {
	if v.set && !v.again {
		return errors.New("it is given twice")
	}
	if s == "" && !v.again {
		return errEmpty
	}
	if strings.HasPrefix(s, "--") {
		return errors.New("it looks like a flag: the value before it is missing")
	}
	v.value, v.set = s, true
	return nil
}

// String implements pflag.Value.
func (v *onceValue) String() string { return v.value }

// Type implements pflag.Value.
func (v *onceValue) Type() string { return "string" }

// The words that stand for a size.
const (
	sizeNever = "never" // of telemetry.rotateBytes
	sizeAll   = "all"   // of telemetry.keepBytes
)

// minRotate is the smallest file that may become a segment: a log of thousands of
// tiny files serves nobody.
const minRotate = 4 << 10

// sizeUnits are what may follow the number of a size. Only powers of two: a "MB"
// is two things to two people.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"b", 1}, {"", 1}}

// parseSize reads a number of bytes: 67108864, 64MiB, 64 MiB.
func parseSize(s string) (int64, bool) {
	digits := strings.TrimLeft(s, "0123456789")
	n, err := strconv.ParseInt(s[:len(s)-len(digits)], 10, 64)
	if err != nil {
		return 0, false
	}
	unit := strings.ToLower(strings.TrimSpace(digits))
	for _, u := range sizeUnits {
		if unit == u.name {
			return n * u.bytes, n <= math.MaxInt64/u.bytes
		}
	}
	return 0, false
}

// logSize reads the setting of a size of the log; word stands for wordMeans.
func logSize(o option, s Setting, word string, wordMeans, least int64) (int64, error) {
	if strings.EqualFold(s.Value, word) {
		return wordMeans, nil
	}
	n, ok := parseSize(s.Value)
	if !ok || n < least {
		return 0, fault.New(fault.Usage, "%s %q: a size is expected, from %d up, in bytes or with KiB, MiB or GiB, or %q", o.named(s.Source), shownArg(s.Value), least, word).
			Hintf("%s", o.example(s.Source, "64MiB"))
	}
	return n, nil
}

// named is what the person calls the setting that came from source.
func (o option) named(source string) string {
	switch {
	case source == FromFlag:
		return "--" + o.flag
	case source == FromEnv:
		return o.env
	}
	return o.key
}

// example is how the person gives the setting a value where it came from.
func (o option) example(source, value string) string {
	switch source {
	case FromFlag:
		return "--" + o.flag + " " + value
	case FromEnv:
		return "export " + o.env + "=" + value
	case FromProfile:
		return "ape-claw auth set --" + o.key + " " + value
	}
	if table, name, ok := strings.Cut(o.key, "."); ok {
		return name + ": " + value + " under " + table + " in the config file"
	}
	return o.key + ": " + value + " in the config file"
}
