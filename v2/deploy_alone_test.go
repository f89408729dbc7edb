package v2_test

import (
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
)

// A deployment that nobody confirms ends where policy takes its leave back.
func TestDeployAloneNoMore(t *testing.T) {
	t.Parallel()
	s := newGround(t, true).site(t)
	r, err := s.open(t.Context(), func(name string) {
		if name == "settled" {
			s.policy(`{"execution": {"dailySpendCap": 1000, "confirmPhraseRequired": true, "autonomousMode": false}}`)
		}
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.close(); err != nil {
			t.Error(err)
		}
	}()
	_, err = r.Deploy(t.Context(), v2.DeployIn{Go: v2.Go{Execute: true, Autonomous: true}})
	if fault.CodeOf(err) != fault.PolicyBlocked || s.nonce(r) != 1 {
		t.Errorf("%v, %d sent", err, s.nonce(r))
	}
}
