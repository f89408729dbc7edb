package commands

import (
	"context"
	"io"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// PolicyExplainIn is a command line that is not run.
type PolicyExplainIn struct {
	Command []string `json:"command" arg:"command" required:"true" help:"the words and flags of a command, as it would be run"`
	// parsed is the same, understood. It is filled before anything is looked at.
	parsed explained
}

// explained is a command with its input, read as a run of it would.
type explained struct {
	spec Spec
	in   any // of the command's In type
}

// PolicyExplainOut is what stands between a command and its effect.
type PolicyExplainOut struct {
	OK         bool          `json:"ok"`
	Command    string        `json:"command"`
	Exists     bool          `json:"exists"`
	Risk       Risk          `json:"risk"`
	Permission string        `json:"permission,omitempty"`
	Human      string        `json:"human,omitempty"` // when a person at the terminal is needed
	Spends     bool          `json:"spends"`
	WouldPass  bool          `json:"wouldPass"` // no gate refuses; some may depend on what is found later
	Gates      []ExplainGate `json:"gates"`     // in order
	Notes      []string      `json:"notes"`
}

// Verdicts of a gate that is explained.
const (
	verdictPasses  = "passes"
	verdictRefuses = "refuses"
	verdictDepends = "depends" // on what only a run finds out
)

// ExplainGate is one gate, its verdict, and what would change it.
type ExplainGate struct {
	Gate     string     `json:"gate"`
	Verdict  string     `json:"verdict"`
	Code     fault.Code `json:"code,omitempty"`
	Reason   string     `json:"reason,omitempty"`
	Measured string     `json:"measured,omitempty"`
	Limit    string     `json:"limit,omitempty"`
	Setting  string     `json:"setting,omitempty"`
	Change   string     `json:"change,omitempty"`
}

func newPolicyExplain() Command {
	c := define(Spec{Name: "policy explain", Short: "Say which gates a command would pass, without running it",
		Long: `List every gate that stands before a command, in order: what it looked at, what it was held
against, where that is written, and what would change the verdict. The command line is
read as a run of it would and is not run; nothing is sent, asked of a network or changed.
The exit status is 0 whatever the verdicts are. Of a command that spends nothing it says
so, with its risk, its permission, and whether it needs a person at the terminal.`,
		Example: "  ape-claw policy explain nft buy --quote q_…\n  ape-claw policy explain nft quote --collection gs-on-ape --token-id 42 --max-price 5",
		Events:  []string{"policy.explained"}, Offline: true, Risk: RiskRead, Permission: "policy:read", AI: Exposure{Class: AIOperator}},
		policyExplain, printExplained)
	c.bind = func(cmd *cobra.Command, d *Deps) bound {
		// Flags behind the first word are those of the command that is explained.
		cmd.Flags().SetInterspersed(false)
		in := new(PolicyExplainIn)
		fields := bindFields(cmd, d, reflect.ValueOf(in).Elem())
		return bound{
			check: func() error {
				err := fields.check(cmd)
				if err == nil {
					in.parsed, err = d.read(in.Command)
				}
				return err
			},
			run: func(ctx context.Context) (any, error) { return policyExplain(ctx, d, *in) },
		}
	}
	return c
}

// read parses a command line as a run of it would, and takes its global flags for
// this run.
func (d *Deps) read(args []string) (explained, error) {
	if args[0] == "ape-claw" {
		args = args[1:]
	}
	var out explained
	readers := map[*cobra.Command]func(*cobra.Command, []string) error{}
	list := all()
	for i, c := range list {
		list[i].bind = func(cmd *cobra.Command, inner *Deps) bound {
			in := reflect.New(c.In).Elem()
			fields := bindFields(cmd, inner, in)
			readers[cmd] = func(cmd *cobra.Command, _ []string) error {
				if err := fields.check(cmd); err != nil {
					return err
				}
				out.spec, out.in = c.Spec, in.Interface()
				if k, ok := out.in.(checker); ok {
					return k.Check()
				}
				return nil
			}
			return bound{}
		}
	}
	inner := newDeps(d.host)
	inner.wantJSON = true // no help text in place of an error
	root := newTree(inner, list)
	for cmd, read := range readers {
		cmd.RunE = read
	}
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	if _, err := root.ExecuteC(); err != nil {
		return out, err
	}
	if out.spec.Name == "" {
		return out, fault.New(fault.Usage, "%q is no command that runs", shownArg(strings.Join(args, " "))).Hintf("ape-claw policy explain nft buy --quote q_…")
	}
	var err error
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && err == nil && f.Name != "json" {
			if err = d.flags.Set(f.Name, f.Value.String()); err != nil {
				err = fault.Wrap(err, fault.Usage, "--%s: %v", f.Name, err).Hintf("ape-claw policy explain --help")
			}
		}
	})
	return out, err
}
