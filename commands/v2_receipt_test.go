package commands

import (
	"maps"
	"net/http"
	"strings"
	"testing"
)

// A receipt is of the trace that is named on the command line, and of no other: a
// variable joins many runs into one trace, and a trace has one receipt.
func TestReceiptTrace(t *testing.T) {
	t.Parallel()
	node := func(r *http.Request) (*http.Response, error) {
		return answer(r, http.StatusForbidden, "no node here"), nil
	}
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		want string // in the error
	}{
		"none":               {nil, nil, "Required: --trace"},
		"a variable":         {map[string]string{"APE_CLAW_TRACE_ID": "many-runs"}, nil, "Required: --trace"},
		"the run's flag":     {nil, []string{"--traceId", "t*"}, "t*"},
		"its own, malformed": {nil, []string{"--trace", "a b"}, `--trace "a b" is no trace id`},
		"its own, good":      {nil, []string{"--trace", "t-1"}, "rpc"}, // it comes as far as the chain
		"the run's, good":    {nil, []string{"--trace-id", "t-1"}, "rpc"},
	} {
		for _, command := range []string{"get", "record"} {
			env := map[string]string{"APE_CLAW_PRIVATE_KEY": strings.Repeat("11", 32)} // that there is none is said before
			maps.Copy(env, c.env)
			_, _, stderr := runWith(t, env, node, append([]string{"v2", "receipt", command}, c.args...)...)
			if !strings.Contains(strings.ToLower(stderr), strings.ToLower(c.want)) {
				t.Errorf("%s, %s: %s, want %q", name, command, stderr, c.want)
			}
		}
	}
}
