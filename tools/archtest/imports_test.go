package archtest_test

import (
	"slices"
	"testing"

	"github.com/ape-claw/ape-claw/tools/archtest"
)

const (
	module = "github.com/ape-claw/ape-claw"
	root   = "../.."
	geth   = "github.com/ethereum/go-ethereum"
)

// layers is the direction of imports: cmd -> commands -> {ai, sandbox} -> {nft,
// bridge, v2, pod} -> {market, chain} -> policy -> {telemetry, chain/units} ->
// {telemetry/fault, store}. Siblings do not know each other; what spans them is
// put together in commands.
var layers = []archtest.Layer{
	{Dir: "telemetry/fault", Why: "the error type is beneath everything"},
	{Dir: "store", May: []string{"telemetry/fault"},
		Why: "store knows paths, files and databases, and nothing of what is in them"},
	{Dir: "chain/units", May: []string{"telemetry/fault"},
		Why: "amounts are beneath policy, so they can't know chains"},
	{Dir: "telemetry", May: []string{"telemetry/fault", "store"},
		Why: "the log imports no domain package: each offers its own handler, and commands mounts it"},
	{Dir: "telemetry/dashboard",
		Why: "the page is static files"},
	{Dir: "telemetry/agents", May: []string{"telemetry/fault", "store", "telemetry"},
		Why: "identities know the log, not the domain"},
	{Dir: "telemetry/forward", May: []string{"telemetry/fault", "store", "telemetry"},
		Why: "the sender knows the log; who sends, and where to, it is told"},
	{Dir: "telemetry/serve", May: []string{"telemetry/fault", "store", "telemetry", "telemetry/dashboard", "telemetry/agents"},
		Why: "serve imports no domain package: commands mounts their handlers"},
	{Dir: "telemetry/telemetrytest", May: []string{"telemetry", "telemetry/fault"},
		Why: "what tests of any package check events with"},
	{Dir: "policy", May: []string{"telemetry/fault", "store", "telemetry", "chain/units"},
		Why: "policy judges facts that it is handed; it asks no chain and no marketplace"},
	{Dir: "market", May: []string{"telemetry/fault", "store", "telemetry", "chain/units", "policy"},
		Why: "a marketplace client is beside the chain, and beneath what is done with it"},
	{Dir: "chain", May: []string{"telemetry/fault", "store", "telemetry", "chain/units", "policy"},
		Why: "the sender takes transactions and grants, and does not know what they are for"},
	{Dir: "nft", May: []string{"telemetry/fault", "store", "telemetry", "chain/units", "policy", "market", "chain"},
		Why: "nft, bridge, v2 and pod are siblings"},
	{Dir: "bridge", May: []string{"telemetry/fault", "store", "telemetry", "chain/units", "policy", "market", "chain"},
		Why: "nft, bridge, v2 and pod are siblings"},
	{Dir: "v2", May: []string{"telemetry/fault", "store", "telemetry", "chain/units", "policy", "market", "chain", "v2/..."},
		Why: "nft, bridge, v2 and pod are siblings"},
	{Dir: "pod", May: []string{"telemetry/fault", "store", "telemetry", "chain/units", "policy", "market", "chain"},
		Why: "nft, bridge, v2 and pod are siblings; pod is handed a Stepper"},
	{Dir: "ai", May: []string{"telemetry/fault", "store", "telemetry", "telemetry/agents", "chain/units", "policy"},
		Why: "commands hands ai its tools; ai knows no domain and no sandbox"},
	{Dir: "sandbox", May: []string{"telemetry/fault", "store", "chain/units", "nft/seaport"},
		Why: "the sandbox plays the outside world: it shares the protocol with us, and none of our judgement"},
	{Dir: "commands", May: []string{"telemetry/...", "store", "chain/...", "policy", "market", "nft/...", "bridge", "v2/...", "pod", "ai/...", "sandbox/..."},
		Why: "commands composes everything beneath it"},
	{Dir: "cmd", May: []string{"commands"},
		Why: "main hands the machine to commands"},
	{Dir: "tools", May: []string{"telemetry/...", "commands", "policy", "sandbox/faults"},
		Why: "tools read declarations and write files"},
	{Dir: "tests", May: []string{"telemetry/...", "store", "ai/...", "v2/api"},
		Why: "programs that tests start are made of what is tested"},
	{Dir: "bench", May: []string{"telemetry"},
		Why: "benchmarks run the binary, and measure the log beside system calls"},
}

// denied is about dependencies however deep.
var denied = []archtest.Deny{
	{Dir: ".", Deps: []string{"github.com/spf13/cobra", "github.com/spf13/viper", "github.com/spf13/pflag"},
		Except: []string{"commands", "cmd", "tools/gendocs", "bench/floor"},
		Why:    "commands alone knows Cobra and Viper: an operation runs without them"},
	{Dir: ".", Deps: []string{module + "/telemetry/telemetrytest"}, Except: []string{"telemetry/telemetrytest"},
		Why: "it is for tests"},
	{Dir: "telemetry", Deps: []string{geth, module + "/policy", module + "/market", module + "/chain", module + "/nft", module + "/sandbox"},
		Why: "the log is for every domain and is linked by programs that have no chain"},
	{Dir: "policy", Deps: []string{geth, "net/http"},
		Why: "policy asks nobody: no network, no chain client"},
	{Dir: "market", Deps: []string{geth},
		Why: "a marketplace client has no chain, and geth can't be raced cheaply"},
	{Dir: "store", Deps: []string{geth, "net/http"},
		Why: "store is files"},
	{Dir: "chain/units", Deps: []string{geth, "net/http"},
		Why: "an amount is arithmetic"},
	{Dir: "nft", Deps: []string{module + "/bridge", module + "/v2", module + "/pod", module + "/ai", module + "/sandbox", geth + "/eth", geth + "/node", geth + "/core/vm"},
		Why: "what buys must not link the practice world, nor a sibling"},
	{Dir: "ai", Deps: []string{module + "/nft", module + "/bridge", module + "/v2", module + "/pod", module + "/commands", module + "/sandbox"},
		Why: "commands hands ai its tools"},
	{Dir: "sandbox", Deps: []string{module + "/ai", module + "/commands", module + "/bridge", module + "/v2", module + "/pod"},
		Why: "the sandbox signs with its own keys and knows nothing of the user's"},
	{Dir: "chain", Deps: []string{geth + "/eth", geth + "/node", geth + "/core/vm"},
		Why: "a client of a chain links no node"},
}

func TestImports(t *testing.T) {
	t.Parallel()
	pkgs, err := archtest.List(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) < 10 {
		t.Fatalf("go list found %d packages: is %s the module's root?", len(pkgs), root)
	}
	bench, err := archtest.List(root + "/bench") // a module of its own: what only it needs is not in ours
	if err != nil {
		t.Fatal(err)
	}
	pkgs = append(pkgs, bench...)
	for _, problem := range archtest.CheckLayers(module, pkgs, layers) {
		t.Error(problem)
	}
	for _, problem := range archtest.CheckDenied(module, pkgs, denied) {
		t.Error(problem)
	}
}

func TestCheckLayers(t *testing.T) {
	t.Parallel()
	pkgs := []archtest.Package{
		{ImportPath: "m/a", Imports: []string{"fmt"}},
		{ImportPath: "m/a/b", Imports: []string{"m/a"}},
		{ImportPath: "m/c", Imports: []string{"m/a", "m/a/b"}},
		{ImportPath: "m/d"},
	}
	tests := map[string]struct {
		layers []archtest.Layer
		want   []string
	}{
		"fits": {
			[]archtest.Layer{{Dir: "a"}, {Dir: "c", May: []string{"a/..."}}, {Dir: "d"}}, nil,
		},
		"import of what is not named": {
			[]archtest.Layer{{Dir: "a"}, {Dir: "c", May: []string{"a"}, Why: "why c"}, {Dir: "d"}},
			[]string{"c imports a/b: why c"},
		},
		"up from a folder with a layer of its own": {
			[]archtest.Layer{{Dir: "a"}, {Dir: "a/b", Why: "why b"}, {Dir: "c", May: []string{"a/..."}}, {Dir: "d"}},
			[]string{"a/b imports a: why b"},
		},
		"package without a layer": {
			[]archtest.Layer{{Dir: "a"}, {Dir: "c", May: []string{"a/..."}}},
			[]string{"d: has no layer; add it to the table, with a reason"},
		},
		"layer without a package": {
			[]archtest.Layer{{Dir: "a"}, {Dir: "c", May: []string{"a/...", "gone"}}, {Dir: "d"}, {Dir: "e"}},
			[]string{"c may import gone, which does not exist", "e: a layer without a package"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := archtest.CheckLayers("m", pkgs, tt.layers); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCheckDenied(t *testing.T) {
	t.Parallel()
	pkgs := []archtest.Package{
		{ImportPath: "m/a", Deps: []string{"net/http", "net/http/internal", "x.example/httpish"}},
		{ImportPath: "m/a/b", Deps: []string{"net/http"}},
	}
	denied := []archtest.Deny{
		{Dir: "a", Deps: []string{"net/http"}, Except: []string{"a/b"}, Why: "no network"},
		{Dir: "gone", Deps: []string{"fmt"}, Why: "-"},
	}
	want := []string{
		"a depends on net/http: no network",
		"gone: a denial about no package",
	}
	if got := archtest.CheckDenied("m", pkgs, denied); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
