package commands

import (
	"context"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

func v2ReceiptCommands() []Command { return []Command{newV2ReceiptRecord(), newV2ReceiptGet()} }

func receiptsFlag(address string) v2Flag {
	return v2Flag{contracts.ReceiptRegistry, "--receipts", address}
}

// receiptTrace is the trace of a receipt: --trace, or --trace-id, which is then the
// run's too. A variable that names a trace for many runs names none for a receipt,
// of which a trace has one; nor does the trace of a conversation that a tool is called
// in.
func (d *Deps) receiptTrace(trace string) string {
	if trace != "" || d.parent != nil {
		return trace
	}
	cfg, err := d.Config()
	if err != nil || cfg.TraceID.Source != FromFlag {
		return ""
	}
	return cfg.TraceID.Value
}

func newV2ReceiptRecord() Command {
	return define(Spec{Name: "v2 receipt record", Short: "Record on chain what was done: a dry run, and with --execute for real",
		Long: `Hash subject and payload, in the form that does not depend on the order of the keys, and
record the hash as the receipt of a trace. A trace has one receipt, whoever writes it
first, and it can't be changed: it means no more than its recorder does.`,
		Example: `  ape-claw v2 receipt record --trace my-trace-1 --payload '{"bought":"gs-on-ape #42"}'`,
		Events:  settling("v2.tx.dry_run"), Risk: RiskHigh, Permission: "v2:receipt:record", AI: Exposure{Class: AITool, Grade: ai.GradeWrite, Untrusted: true, About: aboutReceiptRecord}},
		func(ctx context.Context, d *Deps, in v2.ReceiptRecordIn) (v2.ReceiptRecordOut, error) {
			s, err := d.v2Asking(ctx, in.Go, receiptsFlag(in.Receipts))
			if err != nil {
				return v2.ReceiptRecordOut{}, err
			}
			in.Trace = d.receiptTrace(in.Trace)
			return s.ReceiptRecord(ctx, in)
		},
		func(p *Printer, out v2.ReceiptRecordOut) {
			if out.DryRun {
				printSent(p, out.Sent)
				return
			}
			printSent(p, out.Sent, "trace", out.TraceID, "content hash", out.ContentHash, "trace hash", out.TraceIDHash)
		})
}

func newV2ReceiptGet() Command {
	return define(Spec{Name: "v2 receipt get", Short: "Show a trace's receipt, and whether the local log agrees with it",
		Long: `Read from the chain whether a trace has its receipt, and hold the receipt against the
local log: whether the log has what its hash is of, and each line that it lists. Where
the log does not tell of it, that it can't be told is said, and is no failure.`,
		Example: "  ape-claw v2 receipt get --trace my-trace-1",
		Events:  []string{"v2.receipt.read"}, Risk: RiskRead, Permission: "v2:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in v2.ReceiptGetIn) (v2.ReceiptGetOut, error) {
			s, err := d.v2(ctx, receiptsFlag(in.Receipts))
			if err != nil {
				return v2.ReceiptGetOut{}, err
			}
			in.Trace = d.receiptTrace(in.Trace)
			out, err := s.ReceiptGet(ctx, in)
			if err != nil {
				return out, err
			}
			result := map[string]any{"traceId": out.TraceID, "traceIdHash": out.TraceIDHash, "isRecorded": out.IsRecorded}
			if out.Receipt != nil {
				result["contentHash"] = out.Receipt.ContentHash
			}
			if out.Agrees != nil {
				result["agrees"] = *out.Agrees
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "v2.receipt.read", ChainID: out.ChainID, Payload: map[string]any{"traceId": out.TraceID}, Result: result})
		},
		printReceipt)
}

func printReceipt(p *Printer, out v2.ReceiptGetOut) {
	if out.Receipt == nil {
		p.Head("There is no receipt of %s on %s", clean(out.TraceID), out.Network)
		p.KV("trace hash", out.TraceIDHash, "registry", out.Contract)
		return
	}
	r := out.Receipt
	p.Head("The receipt of %s is on %s", clean(out.TraceID), out.Network)
	p.KV("content hash", r.ContentHash, "subject hash", r.Subject, "recorder", r.Recorder, "recorded", r.At(), "uri", clean(r.URI), "registry", out.Contract)
	agrees := p.style(yellow, "can't be told")
	if out.Agrees != nil {
		agrees = map[bool]string{true: p.style(green, "yes"), false: p.style(red, "no")}[*out.Agrees]
	}
	p.Line("  the local log agrees: %s (%s)", agrees, clean(out.Why))
	for _, l := range out.Lines {
		if l.State != v2.LinePresent {
			p.Line("    %s: %s of %s", l.State, clean(l.Type), clean(l.TS))
		}
	}
}
