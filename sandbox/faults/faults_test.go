package faults_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/ape-claw/ape-claw/sandbox/faults"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestSet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		spec  string
		name  faults.Name
		value string
		times int // 0: always
		bad   bool
	}{
		{spec: "rate-limit", name: faults.RateLimit, value: "1"},
		{spec: "rate-limit=7", name: faults.RateLimit, value: "7"},
		{spec: "rate-limit=7*2", name: faults.RateLimit, value: "7", times: 2},
		{spec: "html*1", name: faults.HTML, times: 1},
		{spec: "slow=20ms", name: faults.Slow, value: "20ms"},
		{spec: "wape=3+5", name: faults.WAPE, value: "3+5"},
		{spec: "nonsense", bad: true},
		{spec: "", bad: true},
		{spec: "html=yes", bad: true},
		{spec: "html*0", bad: true},
		{spec: "html*x", bad: true},
		{spec: "slow=fast", bad: true},
		{spec: "status=", bad: true},
		{spec: "relay-fee", name: faults.RelayFee, value: "250"},
		{spec: "relay-slow=20ms*1", name: faults.RelaySlow, value: "20ms", times: 1},
		{spec: "relay-fee=0", bad: true},
		{spec: "relay-slow=soon", bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.spec, func(t *testing.T) {
			t.Parallel()
			var s faults.Set
			err := s.Set(tt.spec)
			if checked := faults.Check(tt.spec); (checked == nil) != (err == nil) {
				t.Errorf("Check says %v, Set %v", checked, err)
			}
			if tt.bad {
				if fault.CodeOf(err) != fault.Usage || len(s.Active()) != 0 {
					t.Errorf("got %v, active %v", err, s.Active())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for n := range 5 {
				value, on := s.On(tt.name)
				if want := tt.times == 0 || n < tt.times; on != want || on && value != tt.value {
					t.Errorf("call %d: %q, %v", n+1, value, on)
				}
			}
		})
	}
}

func TestOnForNamesTokens(t *testing.T) {
	t.Parallel()
	var s faults.Set
	if err := s.Set("wape=3+5*1"); err != nil {
		t.Fatal(err)
	}
	if s.OnFor(faults.WAPE, "4") || s.OnFor(faults.ERC1155, "3") {
		t.Error("another token or fault")
	}
	if !s.OnFor(faults.WAPE, "5") {
		t.Error("token 5 is named")
	}
	if s.OnFor(faults.WAPE, "3") {
		t.Error("it was set for once only")
	}
}

func TestEthereumHasFaultsOfItsOwn(t *testing.T) {
	t.Parallel()
	var s faults.Set
	for _, spec := range []string{"ethereum/rpc-down*1", "rpc-slow=1ms"} {
		if err := errors.Join(faults.Check(spec), s.Set(spec)); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Active(); !slices.Equal(got, []string{"ethereum/rpc-down*1", "rpc-slow=1ms"}) {
		t.Errorf("active: %v", got)
	}
	if s.Has(faults.RPCDown) || s.Ethereum().Has(faults.RPCSlow) {
		t.Error("a fault is in force on the other chain")
	}
	for _, spec := range []string{"ethereum/relay-stuck", "ethereum/slow", "ethereum/", "ethereum/ethereum/rpc-down"} {
		if fault.CodeOf(faults.Check(spec)) != fault.Usage || fault.CodeOf(s.Set(spec)) != fault.Usage {
			t.Errorf("%s is taken", spec)
		}
	}
	s.Clear()
	if len(s.Active()) != 0 || s.Ethereum().Has(faults.RPCDown) {
		t.Errorf("active after Clear: %v", s.Active())
	}
}

func TestClear(t *testing.T) {
	t.Parallel()
	var s faults.Set
	for _, spec := range []string{"html", "slow=1s", "status=404*3"} {
		if err := s.Set(spec); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Active(); !slices.Equal(got, []string{"html", "slow=1s", "status=404*3"}) {
		t.Errorf("active: %v", got)
	}
	s.Clear(faults.HTML)
	if _, on := s.On(faults.HTML); on {
		t.Error("html is still on")
	}
	s.Clear()
	if got := s.Active(); len(got) != 0 {
		t.Errorf("active after Clear: %v", got)
	}
}

func TestCatalogueIsWhole(t *testing.T) {
	t.Parallel()
	seen := map[faults.Name]bool{}
	for _, k := range slices.Concat(faults.Catalogue, faults.Relay) {
		if seen[k.Name] || k.Means == "" {
			t.Errorf("%s: twice, or without a meaning", k.Name)
		}
		seen[k.Name] = true
		if err := faults.Check(string(k.Name)); err != nil {
			t.Errorf("%s with its default: %v", k.Name, err)
		}
	}
}
