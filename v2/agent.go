package v2

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

const cmdAgentExecute = "v2 agent execute"

// AgentExecuteIn is the input of v2 agent execute.
type AgentExecuteIn struct {
	Module       string `json:"module" ai:"expose" maxlen:"42" help:"swap, bridge or nft-buy, or the address of a module" required:"true"`
	Input        string `json:"input" ai:"expose" kind:"hex" help:"what the module gets: the ABI encoding of (address target, bytes data), as hex; or give --target and --data"`
	Target       string `json:"target" ai:"expose" kind:"address" help:"address of the contract that the module calls"`
	Data         string `json:"data" ai:"expose" kind:"hex" help:"call data for the target, as hex: a selector and its arguments"`
	Value        string `json:"value" ai:"expose" kind:"decimal" help:"APE that is sent along and spent by the call" default:"0"`
	Trace        string `json:"trace" ai:"expose" kind:"id" help:"trace id to record a receipt under; also --trace-id (default: no receipt)"`
	Subject      string `json:"subject" ai:"expose" maxlen:"256" help:"whom the receipt is about, in words (default: agent: and the agent's id)"`
	URI          string `json:"uri" ai:"expose" maxlen:"2048" help:"where the receipt's content can be found, with its scheme"`
	AgentAccount string `json:"agentAccount" ai:"operator" help:"address of AgentAccount"`
	Go
}

// AgentExecuted is what came of v2 agent execute.
type AgentExecuted struct {
	Tx              string `json:"tx,omitempty"`
	Module          string `json:"module"`
	TraceID         string `json:"traceId,omitempty"`
	Target          string `json:"target"`
	Selector        string `json:"selector"`
	ContentHash     string `json:"contentHash,omitempty"` // of module, input, value and what the target returned
	TraceIDHash     string `json:"traceIdHash,omitempty"`
	ReceiptRecorded bool   `json:"receiptRecorded"`
}

// AgentExecuteOut is the result of v2 agent execute.
type AgentExecuteOut struct {
	Sent
	AgentExecuted
	InputHash string      `json:"inputHash"`
	ValueApe  json.Number `json:"valueApe"`
	// Returned is what the target answered when it was tried, as hex; a long one is cut.
	Returned string `json:"returned,omitempty"`
}

// agentKeep is what tells an execution in a receipt.
type agentKeep struct {
	Module   common.Address `json:"module"`
	Target   common.Address `json:"target"`
	Selector hexutil.Bytes  `json:"selector"`
	Value    units.Wei      `json:"value"`
	Trace    string         `json:"trace,omitempty"` // "": no receipt
}

func (k agentKeep) selector() [4]byte { return [4]byte(k.Selector) }

func (k agentKeep) traceHash() common.Hash {
	if k.Trace == "" {
		return common.Hash{}
	}
	return TraceIDHash(k.Trace)
}

// AgentExecute has the agent account call a target through a module. The policy
// engine on chain has the last word on it; the gates of this machine come before.
func (s *Service) AgentExecute(ctx context.Context, in AgentExecuteIn) (AgentExecuteOut, error) {
	if in.Trace != "" && in.Subject == "" {
		in.Subject = "agent:" + s.d.AgentID
	}
	x, err := s.execution(in)
	if err != nil {
		return AgentExecuteOut{}, err
	}
	l, err := s.locateTarget(ctx, contracts.AgentAccount)
	if err != nil {
		return AgentExecuteOut{}, err
	}
	if x.Module, err = s.module(ctx, in.Module); err != nil {
		return AgentExecuteOut{}, err
	}
	facts, err := s.aboutExecution(ctx, l, x)
	if err != nil {
		return AgentExecuteOut{}, err
	}
	data, err := contracts.ABI(l.Name).Pack("executeSkill", x.Module, x.input, x.Value.Big(), x.traceHash(), x.subject, in.URI)
	if err != nil {
		return AgentExecuteOut{}, err
	}
	payload := map[string]any{"module": lower(x.Module), "target": lower(x.Target), "selector": x.Selector.String(), "valueWei": x.Value}
	if x.Trace != "" {
		payload["subject"], payload["uri"] = in.Subject, in.URI
	}
	d, err := s.send(ctx, call{
		Op: "agent.execute", Command: cmdAgentExecute, What: "run a module through the agent account", Contract: l, Data: data, Value: x.Value,
		Go: in.Go, Facts: facts, Payload: payload, Keep: x.agentKeep,
	})
	if err != nil {
		return AgentExecuteOut{}, err
	}
	out := AgentExecuteOut{
		AgentExecuted: AgentExecuted{Module: lower(x.Module), Target: lower(x.Target), Selector: x.Selector.String(), TraceID: x.Trace},
		InputHash:     x.inputHash().Hex(), ValueApe: x.Value.JSON(units.APEDecimals), Returned: answered(d.Return),
	}
	if err := fill(d.Result, &out.AgentExecuted); err != nil {
		return out, err
	}
	if !d.DryRun {
		d.Message = fmt.Sprintf("%s called %s of %s", x.Module.Hex(), x.Selector, x.Target.Hex())
	}
	out.Sent = s.sent(d)
	return out, nil
}

// execution is what an agent account is to do.
type execution struct {
	agentKeep
	input   []byte
	subject common.Hash
}

func (x execution) inputHash() common.Hash { return crypto.Keccak256Hash(x.input) }

// execution reads the flags; where the module is, the chain tells.
func (s *Service) execution(in AgentExecuteIn) (x execution, err error) {
	if _, _, err := moduleOf(in.Module); err != nil {
		return x, err
	}
	if x.Value, err = units.Parse(in.Value, units.APEDecimals); err != nil {
		return x, fault.Wrap(err, fault.Usage, "--value: %s", fault.From(err).Message).Hintf("give APE, such as --value 0.5").WithSent(fault.SentNo)
	}
	if x.Trace = in.Trace; x.Trace != "" {
		if err := traceOf("--trace", x.Trace); err != nil {
			return x, err
		}
		if err := subjectOf(in.Subject); err != nil {
			return x, err
		}
		x.subject = SubjectHash(in.Subject)
	} else if in.Subject != "" || in.URI != "" {
		return x, fault.New(fault.Usage, "--subject and --uri are of a receipt, and without --trace none is recorded").
			Hintf("name the trace of the receipt: --trace ID").WithSent(fault.SentNo)
	}
	if err := checkURI(in.URI); err != nil {
		return x, err
	}
	if x.input, err = inputOf(in); err != nil {
		return x, err
	}
	return x, x.read()
}

// inputOf is what the module gets.
func inputOf(in AgentExecuteIn) ([]byte, error) {
	switch whole, parts := in.Input != "" && in.Input != "0x", in.Target != "" || in.Data != ""; {
	case whole && parts:
		return nil, fault.New(fault.Usage, "--input has target and data in it already").Hintf("give --input, or --target and --data").WithSent(fault.SentNo)
	case whole:
		return hexOf("--input", in.Input)
	case in.Target == "" || in.Data == "":
		return nil, fault.New(fault.Usage, "Required: --target and --data, or --input").Hintf("name the contract to call, and its call data: --target 0x… --data 0x…").WithSent(fault.SentNo)
	}
	target, err := address("--target", in.Target)
	if err != nil {
		return nil, err
	}
	data, err := hexOf("--data", in.Data)
	if err != nil {
		return nil, err
	}
	return moduleInput().Pack(target, data)
}

// read finds target and selector in the input. One that is encoded in another way
// than ABI encoders do is refused: two readers might read two things in it.
func (x *execution) read() error {
	bad := func(why string) error {
		return fault.New(fault.Usage, "--input %s", why).Hintf("give --target and --data, and it is encoded for you").WithSent(fault.SentNo)
	}
	values, err := moduleInput().Unpack(x.input)
	if err != nil {
		return bad("is not the ABI encoding of (address target, bytes data)")
	}
	target, err := at[common.Address](values, 0)
	if err != nil {
		return err
	}
	data, err := at[[]byte](values, 1)
	if err != nil {
		return err
	}
	again, err := moduleInput().Pack(target, data)
	switch {
	case err != nil:
		return err
	case string(again) != string(x.input):
		return bad("is not encoded as an ABI encoder does it")
	case len(data) < 4:
		return fault.New(fault.Usage, "the call data of the target has no selector: 4 bytes or more are expected").
			Hintf("--data 0x and the selector of a function, with its arguments").WithSent(fault.SentNo)
	case target == (common.Address{}):
		return fault.New(fault.Usage, "the target is the zero address").Hintf("--target ADDRESS of a contract").WithSent(fault.SentNo)
	}
	x.Target, x.Selector = target, data[:4]
	return nil
}

// maxCallData is the most that a call may be given, in bytes.
const maxCallData = 64 << 10

func hexOf(flag, given string) ([]byte, error) {
	if len(given) > 2+2*maxCallData {
		return nil, fault.New(fault.Usage, "%s is longer than %d bytes", flag, maxCallData).Hintf("a call of one contract is shorter").WithSent(fault.SentNo)
	}
	b, err := hexutil.Decode(given)
	if err != nil {
		return nil, fault.Wrap(err, fault.Usage, "%s %q is no hex: 0x and an even number of hexadecimal digits are expected", flag, fault.Excerpt(given, 40)).
			Hintf("%s 0x01020304", flag).WithSent(fault.SentNo)
	}
	return b, nil
}

// answered is what the target returned, cut where it is long.
func answered(returned []byte) string {
	const most = 512
	values, err := contracts.ABI(contracts.AgentAccount).Unpack("executeSkill", returned)
	if err != nil {
		return ""
	}
	b, err := at[[]byte](values, 0)
	if err != nil || len(b) == 0 {
		return ""
	}
	if len(b) > most {
		return hexutil.Encode(b[:most]) + "…"
	}
	return hexutil.Encode(b)
}

func agentOps() map[string]op {
	return map[string]op{"agent.execute": {event: "v2.agent.execute", confirm: agentExecuted}}
}

func agentExecuted(_ context.Context, _ Chain, m mined) (map[string]any, error) {
	var k agentKeep
	if err := json.Unmarshal(m.Keep, &k); err != nil {
		return nil, err
	}
	if len(k.Selector) != 4 {
		return nil, fmt.Errorf("a selector of %d bytes", len(k.Selector))
	}
	got, err := m.event("SkillExecuted", map[string]any{
		"traceIdHash": k.traceHash(), "module": k.Module, "target": k.Target, "selector": k.selector(), "value": k.Value.Big(),
	})
	if err != nil {
		return nil, err
	}
	content, _ := got["contentHash"].([32]byte)
	recorded, _ := got["receiptRecorded"].(bool)
	trace := k.Trace
	if trace == "" {
		trace = m.TraceID
	}
	return map[string]any{
		"tx": m.Tx.Hash.Hex(), "module": lower(k.Module), "traceId": trace, "target": lower(k.Target), "selector": k.Selector.String(),
		"contentHash": common.Hash(content).Hex(), "traceIdHash": k.traceHash().Hex(), "receiptRecorded": recorded,
	}, nil
}
