package commands

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
)

// Where a setting came from, in order of precedence.
const (
	FromFlag    = "flag"
	FromEnv     = "env"
	FromProfile = "local-auth" // the original's word for the auth profile
	FromFile    = "config"
	FromDefault = "default"
	FromSandbox = "sandbox"
)

// Setting is a value and where it came from.
type Setting struct {
	Value  string
	Source string
}

// Secret is a Setting that never shows its value.
type Secret struct {
	value  string
	Source string
}

// Set reports whether there is a value.
func (s Secret) Set() bool { return s.value != "" }

// Reveal returns the value, for the one place that uses it.
func (s Secret) Reveal() string { return s.value }

// String hides the value.
func (s Secret) String() string {
	if s.value == "" {
		return ""
	}
	return "***"
}

// GoString hides the value from %#v too.
func (s Secret) GoString() string { return s.String() }

// MarshalJSON hides the value.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"***"`), nil }

// Config is what flags, environment, auth profile, config file and defaults say,
// read once.
type Config struct {
	Profile    string // "apechain" or "sandbox"
	Home       string // of the profile: keys, policy, money
	UserHome   string // APE_CLAW_HOME itself; the sandbox's home lies beneath it
	places     string // flags that say where this run has its files
	StateDir   string
	WorkDir    string
	PolicyFile string
	Agent      Setting
	ownAgent   string // of the auth profile, whatever flag or environment say
	AgentToken Secret
	TraceID    Setting
	SessionID  Setting
	PrivateKey Secret
	// Account is the one to act with, in the form of EIP-55; empty: not named.
	// SignerURL is a signer in another process. PasswordFile and PasswordFD are where
	// the password of the keystore's key comes from, if nobody is asked.
	Account, SignerURL, PasswordFile, PasswordFD Setting

	OpenSeaKey Secret
	RelayKey   Secret
	RPC        Setting // empty: the policy's
	MarketURL  Setting
	// RelayURL is the bridge; Nodes are the RPC URLs of other chains than the policy's.
	RelayURL Setting
	Nodes    map[int64]Setting
	// MarketProxy is a serve that asks the marketplace for this machine; empty: none.
	MarketProxy Setting
	Addr        Setting
	DataSource  Setting
	PodDir      Setting
	LogLevel    string
	// V2Key and V2RPC are those of v2 commands, before PrivateKey and RPC; V2 are the
	// addresses of the contracts.
	V2Key Secret
	V2RPC Setting
	V2    map[v2.Name]Setting
	// TelemetryURL is a remote serve that events are forwarded to; empty: none. With
	// RemoteOnly they stay in no log here. TelemetryInsecure lets the token go over http.
	TelemetryURL      Setting
	RemoteOnly        bool
	TelemetryInsecure bool
	// RotateBytes and KeepBytes are as in telemetry.LogOptions.
	RotateBytes, KeepBytes int64
	// Sandbox is the running sandbox when Profile is "sandbox".
	Sandbox *sandbox.Current
	// SandboxErr says why there is none although the profile asks for it. Commands
	// that need no chain work all the same.
	SandboxErr error
	// Notices are told on stderr: a key that is ignored, a key on a command line.
	Notices []string
}

// agents are the ids whose policy overlays apply (policy.Sources): the home's own
// agent does not leave its overlay by calling itself something else.
func (c *Config) agents() []string {
	if c.ownAgent == "" {
		return []string{c.Agent.Value}
	}
	return []string{c.ownAgent, c.Agent.Value}
}

// IsSandbox reports whether the sandbox profile is in use.
func (c *Config) IsSandbox() bool { return c.Profile == ProfileSandbox }

// The profiles.
const (
	ProfileApeChain = "apechain"
	ProfileSandbox  = "sandbox"
)

// loadConfig reads every source once. Precedence: flag, environment, auth profile,
// config file, default.
func loadConfig(h *Host, flags *pflag.FlagSet) (*Config, error) {
	r := &resolver{host: h, flags: flags, byKey: map[string]option{}}
	for _, o := range options() {
		r.byKey[strings.ToLower(o.key)] = o
	}
	wd, err := os.Getwd()
	if err != nil {
		return nil, fault.Wrap(err, fault.StateUnusable, "the working directory is gone")
	}
	home, err := r.homeDir()
	if err != nil {
		return nil, err
	}
	if fi, err := os.Stat(home); err == nil && !fi.IsDir() {
		return nil, store.CheckDir(home)
	}
	if err := r.readFile(home); err != nil {
		return nil, err
	}
	c := &Config{places: placesOf(flags), UserHome: home, Home: home, WorkDir: wd, Profile: r.get("profile").Value, LogLevel: r.get("log-level").Value}
	switch c.Profile {
	case ProfileApeChain:
	case ProfileSandbox:
		c.useSandbox()
	default:
		o, from := r.option("profile"), r.get("profile").Source
		return nil, fault.New(fault.Usage, "%s %q is neither apechain nor sandbox", o.named(from), shownArg(c.Profile)).Hintf("%s", o.example(from, ProfileSandbox))
	}
	if r.profile, err = store.LoadProfile(c.Home); err != nil {
		return nil, err
	}
	return c, r.fill(c)
}

// useSandbox takes the home and the endpoints of the running sandbox.
func (c *Config) useSandbox() {
	c.Home = filepath.Join(c.UserHome, "sandbox")
	if c.Sandbox, c.SandboxErr = sandbox.Load(c.UserHome); c.SandboxErr == nil {
		c.Home = c.Sandbox.Home
	}
}

// resolver finds a setting in the sources.
type resolver struct {
	host    *Host
	flags   *pflag.FlagSet
	file    *viper.Viper
	profile store.Profile
	byKey   map[string]option
}

func (r *resolver) homeDir() (string, error) {
	s := r.get("home")
	if s.Source != FromDefault {
		return filepath.Abs(s.Value)
	}
	user := r.host.getenv("HOME")
	if user == "" {
		return "", fault.New(fault.StateUnusable, "neither APE_CLAW_HOME nor HOME is set").
			Hintf("export APE_CLAW_HOME=DIRECTORY")
	}
	return filepath.Join(user, ".ape-claw"), nil
}

// maxConfig is more than any config file needs, in bytes.
const maxConfig = 1 << 20

// readFile reads the config file, strictly: a key that nobody reads is an error.
func (r *resolver) readFile(home string) error {
	s := r.get("config")
	path := s.Value
	if s.Source == FromDefault {
		path = filepath.Join(home, "config.yaml")
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	f, err := store.OpenToRead(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fault.Wrap(err, fault.Usage, "config file %s does not exist", store.Display(path)).
				Hintf("name a file that is there, or leave --config and APE_CLAW_CONFIG out")
		}
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	v := viper.New()
	v.SetConfigType(strings.TrimPrefix(filepath.Ext(path), "."))
	if err := v.ReadConfig(io.LimitReader(f, maxConfig)); err != nil {
		return fault.Wrap(err, fault.Usage, "config file %s can't be read", store.Display(path)).
			Hintf("it must be YAML, JSON or TOML, and say so by its name; see docs/configuration.md")
	}
	for _, key := range v.AllKeys() {
		if o, ok := r.byKey[key]; !ok || !o.file {
			e := fault.New(fault.Usage, "config file %s: %q is no setting that can stand there", store.Display(path), key)
			if near := nearest(key, r.fileKeys()); near != "" {
				e = e.Hintf("did you mean %q", near)
			}
			return e
		}
		switch reflect.ValueOf(v.Get(key)).Kind() {
		case reflect.Slice, reflect.Map, reflect.Struct: // a list, a table, a date
			return fault.New(fault.Usage, "config file %s: %q is no single value", store.Display(path), key).
				Hintf("give it one text or number, in quotes if it looks like something else")
		}
	}
	r.file = v
	return nil
}

func (r *resolver) fileKeys() []string {
	var keys []string
	for _, o := range options() {
		if o.file {
			keys = append(keys, o.key)
		}
	}
	return keys
}

// option returns the declaration of a setting. Viper writes all keys small.
func (r *resolver) option(key string) option { return r.byKey[strings.ToLower(key)] }

// get returns a setting from the highest source that has it.
func (r *resolver) get(key string) Setting {
	o := r.option(key)
	if o.flag != "" {
		if f := r.flags.Lookup(o.flag); f != nil && f.Changed {
			return Setting{f.Value.String(), FromFlag}
		}
	}
	for _, name := range []string{o.env, o.alias} {
		if v, ok := r.host.Env(name); name != "" && ok && v != "" {
			return Setting{v, FromEnv}
		}
	}
	if v := r.fromProfile(key); v != "" {
		return Setting{v, FromProfile}
	}
	if r.file != nil && o.file && r.file.IsSet(key) {
		return Setting{r.file.GetString(key), FromFile}
	}
	return Setting{o.def, FromDefault}
}

func (r *resolver) fromProfile(key string) string {
	switch key {
	case "agent-id":
		return r.profile.AgentID
	case "agent-token":
		return r.profile.AgentToken
	case "opensea-api-key":
		return r.profile.OpenSeaAPIKey
	case "private-key":
		return r.profile.PrivateKey
	}
	return ""
}

func (r *resolver) secret(key string) Secret {
	s := r.get(key)
	return Secret{s.Value, s.Source}
}

const logOff = "off"

func logLevels() []string { return []string{logOff, "error", "warn", "info", "debug"} }

func (r *resolver) fill(c *Config) error {
	c.StateDir = r.stateDir(c.WorkDir)
	c.PolicyFile = r.get("policy").Value
	c.ownAgent = r.profile.AgentID
	c.Agent, c.TraceID, c.SessionID = r.get("agent-id"), r.get("trace-id"), r.get("session-id")
	if !validAgent(c.Agent.Value) {
		o := r.option("agent-id")
		return fault.New(fault.Usage, "%s %q: "+agentForm, o.named(c.Agent.Source), shownArg(c.Agent.Value)).Hintf("%s", o.example(c.Agent.Source, "my-agent-1"))
	}
	for name, s := range map[string]Setting{"trace-id": c.TraceID, "session-id": c.SessionID} {
		if s.Value != "" && !validID(s.Value) {
			o := r.option(name)
			return fault.New(fault.Usage, "%s %q: letters, digits and . _ : @ - only, at most 128", o.named(s.Source), shownArg(s.Value)).
				Hintf("%s", o.example(s.Source, "my-"+strings.TrimSuffix(name, "-id")+"-1"))
		}
	}
	if c.TraceID.Value == "" {
		c.TraceID = Setting{telemetry.NewTraceID(r.host.Now()), FromDefault}
	}
	c.AgentToken, c.PrivateKey = r.secret("agent-token"), r.secret("private-key")
	c.OpenSeaKey, c.RelayKey = r.secret("opensea-api-key"), r.secret("relay-api-key")
	c.RPC, c.MarketURL, c.Addr, c.DataSource, c.PodDir = r.get("rpc"), r.get("market-url"), r.get("addr"), r.get("data-source"), r.get("pod.dir")
	if err := r.fillMarketProxy(c); err != nil {
		return err
	}
	if !slices.Contains(logLevels(), c.LogLevel) {
		o, from := r.option("log-level"), r.get("log-level").Source
		return fault.New(fault.Usage, "%s %q is none of %s", o.named(from), shownArg(c.LogLevel), strings.Join(logLevels(), ", ")).
			Hintf("%s", o.example(from, "debug"))
	}
	if c.PrivateKey.Source == FromFlag {
		c.Notices = append(c.Notices, "a key on the command line shows itself to everyone who can list processes: prefer the environment (APE_CLAW_PRIVATE_KEY) or ape-claw auth set")
	}
	if err := r.fillKeys(c); err != nil {
		return err
	}
	r.fillV2(c)
	c.RelayURL, c.Nodes = r.get("bridge.url"), map[int64]Setting{}
	for name, id := range nodeSettings {
		c.Nodes[id] = r.get(name)
	}
	switch {
	case c.Sandbox != nil:
		c.overrideForSandbox()
	case c.IsSandbox():
		// Never a real key, nor a real chain, in place of the missing sandbox.
		c.PrivateKey, c.OpenSeaKey, c.RelayKey, c.RPC, c.V2Key, c.V2RPC, c.SignerURL = Secret{}, Secret{}, Secret{}, Setting{}, Secret{}, Setting{}, Setting{}
	}
	urls := map[string]Setting{"rpc": c.RPC, "market-url": c.MarketURL, "v2.rpc": c.V2RPC, "bridge.url": c.RelayURL}
	for name, id := range nodeSettings {
		urls[name] = c.Nodes[id]
	}
	for name, s := range urls {
		if s.Value != "" && slices.ContainsFunc(chain.SplitURLs(s.Value), func(u string) bool { return !isHTTP(u) }) {
			o := r.option(name)
			// The value may hold a provider's key: it is not shown.
			return fault.New(fault.Usage, "%s is not an http or https URL", o.named(s.Source)).Hintf("%s", o.example(s.Source, "https://HOST"))
		}
	}
	return r.fillTelemetry(c)
}

// nodeSettings are the settings that hold RPC URLs of other chains, by their ids.
var nodeSettings = map[string]int64{"rpc.ethereum": 1, "rpc.optimism": 10, "rpc.polygon": 137, "rpc.base": 8453, "rpc.arbitrum": 42161}

// flag reads a setting that is true or false.
func (r *resolver) flag(key string) (bool, error) {
	o, s := r.option(key), r.get(key)
	b, err := strconv.ParseBool(s.Value)
	if err != nil {
		return false, fault.New(fault.Usage, "%s %q is neither true nor false", o.named(s.Source), shownArg(s.Value)).Hintf("%s", o.example(s.Source, "true"))
	}
	return b, nil
}

// overrideForSandbox points everything at the running sandbox. Configured keys
// are ignored there, with a notice: they must never sign on a practice chain.
func (c *Config) overrideForSandbox() {
	if c.PrivateKey.Set() || c.OpenSeaKey.Set() || c.V2Key.Set() {
		c.Notices = append(c.Notices, "the sandbox profile ignores the configured keys and uses its own")
	}
	c.PrivateKey = Secret{c.Sandbox.BuyerKey, FromSandbox}
	c.OpenSeaKey = Secret{c.Sandbox.MarketKey, FromSandbox}
	c.RPC = Setting{c.Sandbox.RPCURL, FromSandbox}
	c.V2Key, c.V2RPC, c.SignerURL, c.RelayKey = Secret{}, Setting{}, Setting{}, Secret{}
	c.RelayURL = Setting{c.Sandbox.RelayURL, FromSandbox}
	if c.Account.Source != FromFlag {
		c.Account = Setting{}
	}
	c.MarketURL, c.MarketProxy = Setting{c.Sandbox.MarketURL, FromSandbox}, Setting{}
}
