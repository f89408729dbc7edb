package tool

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// shownResult is what a tool gave, as the model may see it: without secrets, with
// what is hidden made visible, behind the fence, and not too long.
func (v *Invocation) shownResult(c *call, out any) ai.Result {
	data, err := encode(out)
	if err != nil {
		return v.failed(c, err)
	}
	most := 0
	if c.tool.Untrusted {
		most = maxText
		v.tainted(c.name)
	}
	if data, err = tidy(v.e.o.Redactor.Bytes(data), most); err != nil {
		return v.failed(c, err)
	}
	res := ai.Result{Outcome: OutcomeOK, Full: fenced(c.name, c.tool.Untrusted, data)}
	if len(res.Full) <= ResultBytes {
		res.Text = string(res.Full)
		return res
	}
	k := v.keep(kept{source: c.name, untrusted: c.tool.Untrusted, data: data})
	res.Text = v.part(k, 0).Text
	return res
}

// head is a part of a result that was cut.
type head struct {
	Untrusted  bool   `json:"untrusted,omitempty"`
	Source     string `json:"source,omitempty"`
	Truncated  bool   `json:"truncated"` // there is more behind it
	TotalBytes int    `json:"totalBytes"`
	From       int    `json:"from,omitempty"`
	Head       string `json:"head"`
	ResultID   string `json:"resultId"`
}

// part shows a kept result from a byte on.
func (v *Invocation) part(k kept, from int) ai.Result {
	for from > 0 && from < len(k.data) && k.data[from]&0xC0 == 0x80 {
		from-- // an offset may stand in the middle of a character
	}
	text, to := piece(k.data, from, func(text string, to int) []byte {
		h := head{Truncated: to < len(k.data), TotalBytes: k.total, From: from, Head: text, ResultID: k.id}
		if k.untrusted {
			h.Untrusted, h.Source = true, k.source
		}
		doc, _ := encode(h) // it holds nothing that can't be encoded
		return doc
	})
	v.shown(k.id, to)
	return ai.Result{Outcome: OutcomeOK, Text: string(text), Full: text}
}

// approval is the result of a proposal.
type approval struct {
	Requested   bool      `json:"approvalRequested"`
	ActionID    string    `json:"actionId"`
	State       string    `json:"state"`
	ExpiresAt   time.Time `json:"expiresAt"`
	Existing    bool      `json:"existing,omitempty"`
	Warnings    []string  `json:"warnings,omitempty"`
	ApproveWith string    `json:"approveWith"` // what the person runs
}

func (v *Invocation) proposed(c *call, propose func() (ai.Proposed, error)) ai.Result {
	p, err := propose()
	if err != nil {
		return v.failed(c, err)
	}
	doc, err := encode(approval{true, p.ActionID, p.State, p.ExpiresAt, p.Existing, p.Warnings, v.e.o.CLI + " ai actions approve " + p.ActionID})
	if err != nil {
		return v.failed(c, err)
	}
	doc = v.e.o.Redactor.Bytes(doc)
	return ai.Result{Outcome: OutcomeProposed, ActionID: p.ActionID, Text: string(doc), Full: doc}
}

// told are the details of an error that help whoever called; others may be long, or
// nobody's business.
var told = []string{"pointer", "expected", "got", "gate", "quoteId", "planId", "actionId", "txHash", "retryAfter"}

// failure is an error as the model sees it.
type failure struct {
	Error     string         `json:"error"`
	Code      fault.Code     `json:"code"`
	Hint      string         `json:"hint,omitempty"`
	Details   map[string]any `json:"details,omitempty"`
	Sent      string         `json:"sent,omitempty"` // only when something may have left
	Untrusted bool           `json:"untrusted,omitempty"`
	Source    string         `json:"source,omitempty"`
}

// failed is the result of a call that was refused or went wrong. The error may quote
// a marketplace or a node, so it gets the same treatment as a result.
func (v *Invocation) failed(c *call, err error) ai.Result {
	e := fault.From(err)
	f := failure{Error: e.Message, Code: e.Code, Hint: e.Hint}
	if e.Sent == fault.SentMaybe && e.Code != fault.Internal || e.Sent == fault.SentYes {
		f.Sent = e.Sent
	}
	for _, name := range told {
		if d, ok := e.Details[name]; ok {
			if f.Details == nil {
				f.Details = map[string]any{}
			}
			f.Details[name] = d
		}
	}
	if c.tool.Untrusted && !c.refused {
		f.Untrusted, f.Source = true, c.tool.Name
		v.tainted(c.tool.Name)
	}
	res := ai.Result{IsError: true, Code: string(e.Code), Outcome: OutcomeError}
	if c.refused || isRefusal(e.Code) {
		res.Outcome = OutcomeRefused
	}
	doc, err := encode(f)
	if err == nil {
		doc, err = tidy(v.e.o.Redactor.Bytes(doc), maxError)
	}
	if err != nil || len(doc) > ResultBytes {
		doc = json.RawMessage(`{"error":"the call failed","code":"` + string(e.Code) + `"}`)
	}
	res.Text, res.Full = string(doc), doc
	return res
}

// isRefusal reports whether a code says that nothing was run, by a rule.
func isRefusal(code fault.Code) bool {
	return fault.IsGate(code) || slices.Contains([]fault.Code{
		fault.InvalidArguments, fault.UnknownTool, fault.ToolDisabled, fault.PermissionDenied, fault.PermissionUnknown, fault.PermissionWrong,
		fault.PermissionMissing, fault.PermissionExcess, fault.LimitInvalid, fault.StaleReference, fault.Killed, fault.ToolBudget, fault.RateLimited,
	}, code)
}
