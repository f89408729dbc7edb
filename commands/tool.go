package commands

import (
	"context"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// aiRegistry is every command that is a tool, with what models ask about.
func (d *Deps) aiRegistry() (*tool.Registry, error) {
	if d.parent != nil {
		return d.parent.aiRegistry()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tools != nil {
		return d.tools, nil
	}
	var tools []ai.Tool
	for _, c := range all() {
		if c.AI.Class != AITool {
			continue
		}
		t, err := d.toolOf(c)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	r, err := tool.NewRegistry(append(tools, d.askTools()...))
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "the tools can't be built: %v", err)
	}
	d.tools = r
	return r, nil
}

// aiEngine runs the tools of this process.
func (d *Deps) aiEngine(ctx context.Context) (*tool.Engine, error) {
	r, err := d.aiRegistry()
	if err != nil {
		return nil, err
	}
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	actions, err := d.aiActions(ctx)
	if err != nil {
		return nil, err
	}
	return tool.New(tool.Options{Registry: r, Proposer: actions, Redactor: d.redactor(), Now: d.host.Now, CLI: d.cli(), Amount: d.toolAmount,
		Killed: func() []string { return ai.Killed(cfg.Home) },
		Record: func(ctx context.Context, s ai.Scope, draft telemetry.Draft) error {
			err := d.aiRecord(ctx, s, draft)
			if err != nil {
				d.warn("%s: a tool call is not recorded", fault.From(err).Message)
			}
			return err
		}}), nil
}

// toolAmount reads an amount of the chain's own token, the only one that is paid with.
func (d *Deps) toolAmount(asset, amount string) (ai.Amount, error) {
	p, err := d.Policy()
	if err != nil {
		return ai.Amount{}, err
	}
	if !strings.EqualFold(asset, p.NativeToken) {
		return ai.Amount{}, fault.New(fault.LimitInvalid, "only %s is spent here", p.NativeToken).WithSent(fault.SentNo)
	}
	w, err := units.Parse(amount, units.APEDecimals)
	if err != nil {
		return ai.Amount{}, fault.New(fault.LimitInvalid, "the limit: %v", err).WithSent(fault.SentNo)
	}
	return nativeAmount(p.ChainID, p.NativeToken, w), nil
}

// toolName is a command's name among tools.
func toolName(command string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(command)
}

// toolOf makes a tool of a command.
func (d *Deps) toolOf(c Command) (ai.Tool, error) {
	schema, err := toolSchema(c)
	if err != nil {
		return ai.Tool{}, err
	}
	t := ai.Tool{Name: toolName(c.Name), Command: c.Name, Description: about(c), Schema: schema, Grade: c.AI.Grade, Permission: c.Permission,
		Identifiers: c.AI.Identifiers, Untrusted: c.AI.Untrusted}
	if c.AI.Grade == ai.GradeRead {
		t.Run = func(ctx context.Context, in ai.Call) (any, error) {
			child := d.child(c.Spec, in.Scope)
			defer child.close()
			out, err := c.call(ctx, child, in.Args)
			return tool.Traced{Value: out, TraceID: child.trace()}, forTools(c, err)
		}
		return t, nil
	}
	return d.proposing(c, t)
}

// proposing adds what a tool of a higher grade does. There is no way that fits all:
// a person decides by facts, and each command has its own.
func (d *Deps) proposing(c Command, t ai.Tool) (ai.Tool, error) {
	var p proposer
	switch c.Name {
	case "nft buy":
		p = buyProposer{c}
	case "nft autobuy":
		p = autobuyProposer{c}
	case "bridge execute":
		p = bridgeProposer{c}
	case "policy halt":
		p = haltProposer{c}
	case "pod init", "pod stop", "pod heartbeat":
		p = podProposer{c}
	default:
		impact, ok := writeProposers()[c.Name]
		if ok {
			p = writeProposer{c, impact}
			break
		}
		return t, fault.New(fault.Internal, "%s is a tool above read without facts to decide by", c.Name)
	}
	t.Preview = func(ctx context.Context, in ai.Call) (ai.Preview, error) {
		child := d.child(c.Spec, in.Scope)
		defer child.close()
		out, err := p.preview(ctx, child, in.Args)
		if out.TraceID == "" {
			out.TraceID = child.trace()
		}
		return out, forTools(c, err)
	}
	t.Execute = func(ctx context.Context, in ai.Call, a ai.Approval) (any, error) {
		if a.TraceID != "" {
			in.Scope.TraceID = a.TraceID
		}
		child := d.child(c.Spec, in.Scope)
		defer child.close()
		return p.execute(ctx, child, in.Args, a)
	}
	return t, nil
}

// forTools puts an error into the words of tools: an argument has a name there, and
// no flag.
func forTools(c Command, err error) error {
	if err == nil {
		return nil
	}
	f := *fault.From(err)
	if f.Code == fault.Usage {
		f.Code = fault.InvalidArguments
		f.Hint = ""
	}
	f.Message = withoutFlags(c, f.Message)
	return &f
}

// withoutFlags writes the flags of a command as the arguments that they are to tools.
func withoutFlags(c Command, text string) string {
	var names []string
	for _, sf := range InputFields(c.In) {
		names = append(names, jsonName(sf))
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) }) // --max-price before --max
	for _, n := range names {
		text = strings.ReplaceAll(text, "--"+Kebab(n), n)
	}
	return text
}
