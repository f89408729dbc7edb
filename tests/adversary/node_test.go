package adversary_test

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// errorsOf are what nodes say in place of a result.
func errorsOf() []string {
	out := []string{
		`{"code":-32000,"message":"already known"}`, `{"code":-32000,"message":"nonce too low"}`, `{"code":-32000,"message":"nonce too high"}`,
		`{"code":-32000,"message":"insufficient funds for gas * price + value"}`, `{"code":-32000,"message":"replacement transaction underpriced"}`,
		`{"code":-32000,"message":"transaction underpriced"}`, `{"code":3,"message":"execution reverted","data":"0x"}`,
		`{"code":3,"message":"execution reverted: hello","data":"0x08c379a00000000000000000000000000000000000000000000000000000000000000020"}`,
		`{"code":-32005,"message":"rate limit exceeded"}`, `{"code":-32000,"message":"intrinsic gas too low"}`, `{"code":-32000,"message":"txpool is full"}`,
		`{"code":-32000,"message":"max fee per gas less than block base fee"}`, `{"code":-32601,"message":"the method does not exist"}`,
		`{"code":-32603,"message":"internal error"}`, `{"code":-32000,"message":"transaction indexing is in progress"}`, `{"code":-32000,"message":"header not found"}`,
		`{"code":0,"message":""}`, `{"code":"x","message":1}`, `null`, `{}`, `"no"`, `[]`,
	}
	return out
}

// answers changes what the node answers to one kind of question.
func (k *catalogue) answers(target string, doc []byte, c *cast) {
	root := parseTree(doc)
	if root == nil {
		return
	}
	lie := func(class, name string, do func(c *cast, x *exchange) reply) {
		when, only := whenOf(target+name, 2), 0
		if whenOf(name+target+"once", 1) == atBuy {
			only = 1
		}
		full := target + " " + name + when.String()
		if only == 1 {
			full += ", once"
		}
		k.add(class, full, mutant{lies: []mutation{{target: target, phase: when, only: only, do: do}}})
	}
	for _, p := range root.places() {
		if !strings.HasPrefix(p.name, ".result") || strings.Contains(p.name, ".logsBloom") || skipped(target, p.name) {
			continue
		}
		for _, o := range opsFor(p) {
			if !k.fresh(target, root, p, c, o) {
				continue
			}
			lie(inNode, p.name+" "+o.name, func(c *cast, x *exchange) reply {
				r := x.real()
				if envelope(r) == nil {
					return r
				}
				return edited(c, r, p.path, o)
			})
		}
	}
	for _, e := range errorsOf() {
		lie(inNode, "error "+e, func(_ *cast, x *exchange) reply {
			x.real()
			return document(rawNode(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, x.id, e)))
		})
	}
	for _, e := range []string{`"jsonrpc":"2.0","id":1`, `"jsonrpc":"2.0","id":null`, `"jsonrpc":"2.0","id":"1"`, `"jsonrpc":"1.0","id":1`, `"id":1`, `"jsonrpc":"2.0"`, `"jsonrpc":"2.0","method":"eth_subscription","params":[]`} {
		lie(inNodeHTTP, "in an envelope of "+e, func(_ *cast, x *exchange) reply {
			r := x.real()
			if n := envelope(r); n != nil && n.child("result") != nil {
				r.body = []byte("{" + e + `,"result":` + n.child("result").String() + "}")
			}
			return r
		})
	}
	lie(inNodeHTTP, "result and error", func(_ *cast, x *exchange) reply {
		r := x.real()
		if n := envelope(r); n != nil {
			n.set("error", rawNode(errorsOf()[0]))
			r.body = []byte(n.String())
		}
		return r
	})
	for _, t := range transferOps() {
		lie(inNodeHTTP, t.name, func(_ *cast, x *exchange) reply {
			r := x.real()
			if r.err != nil {
				return r
			}
			return t.do(r)
		})
	}
}

// skipped leaves out what nobody reads: a header has twenty fields, four are read.
func skipped(target, name string) bool {
	if target != "eth_getBlockByNumber" || name == ".result" {
		return false
	}
	for _, read := range []string{"number", "hash", "timestamp", "baseFeePerGas", "gasLimit"} {
		if name == ".result."+read {
			return false
		}
	}
	return true
}

// broadcasts are lies about whether a transaction was taken, alone and followed by
// lies about what became of it.
func (k *catalogue) broadcasts() {
	const send, receipt = "eth_sendRawTransaction", "eth_getTransactionReceipt"
	taken := func(result string) func(c *cast, x *exchange) reply {
		return func(_ *cast, x *exchange) reply {
			if result == "" {
				return x.real()
			}
			x.real()
			return document(rawNode(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, x.id, result)))
		}
	}
	swallowed := func(result string) func(c *cast, x *exchange) reply {
		return func(c *cast, x *exchange) reply {
			said := result
			if result == "the hash" {
				said = `"result":"` + c.lastHash().Hex() + `"`
			}
			if result == "lost" {
				return reply{err: errReset}
			}
			return document(rawNode(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, x.id, said)))
		}
	}
	after := []struct {
		name string
		lies []mutation
	}{
		{"", nil},
		{", then no receipt", []mutation{{target: receipt, do: func(_ *cast, x *exchange) reply { return result_(x, "null") }}}},
		{", then it failed", []mutation{{target: receipt, do: func(_ *cast, x *exchange) reply {
			r := x.real()
			if n := envelope(r); n != nil && n.at("result", "status") != nil {
				n.child("result").set("status", scalar("0x0"))
				r.body = []byte(n.String())
			}
			return r
		}}}},
		{", then it failed, without logs", []mutation{{target: receipt, do: func(_ *cast, x *exchange) reply {
			r := x.real()
			if n := envelope(r); n != nil && n.at("result", "status") != nil {
				n.child("result").set("status", scalar("0x0"))
				n.child("result").set("logs", list())
				r.body = []byte(n.String())
			}
			return r
		}}}},
		{", and nobody knows it", []mutation{
			{target: receipt, do: func(_ *cast, x *exchange) reply { return result_(x, "null") }},
			{target: "eth_getTransactionByHash", do: func(_ *cast, x *exchange) reply { return result_(x, "null") }},
		}},
		{", and the receipt is of another", []mutation{{target: receipt, do: func(_ *cast, x *exchange) reply {
			r := x.real()
			if n := envelope(r); n != nil && n.at("result", "status") != nil {
				r.body = []byte(strings.ReplaceAll(n.String(), n.at("result", "transactionHash").raw, scalar(common.HexToHash("0x1234")).raw))
			}
			return r
		}}}},
		{", and the token is another's", []mutation{{target: "eth_call owner", do: func(c *cast, x *exchange) reply {
			return result_(x, scalar(common.BytesToHash(c.attacker.Address().Bytes()).Hex()).raw)
		}}}},
	}
	for _, a := range after {
		for _, e := range append([]string{"", `"result":null`, `"result":"0x` + strings.Repeat("12", 32) + `"`, `"result":true`}, prefixed(errorsOf())...) {
			if e == "" && a.name == "" {
				continue
			}
			k.add(inNode, "taken, answered "+cut(e)+a.name, mutant{lies: append([]mutation{{target: send, do: taken(e)}}, a.lies...)})
		}
		if a.name != "" && a.name != ", and nobody knows it" && a.name != ", then no receipt" {
			continue // there is nothing to lie about
		}
		for _, e := range append([]string{"the hash", "lost", `"result":null`}, prefixed(errorsOf())...) {
			k.add(inNode, "kept back, answered "+cut(e)+a.name, mutant{lies: append([]mutation{{target: send, do: swallowed(e)}}, a.lies...)})
		}
	}
}

func prefixed(errs []string) []string {
	out := make([]string, len(errs))
	for i, e := range errs {
		out[i] = `"error":` + e
	}
	return out
}

func cut(s string) string {
	if s == "" {
		return "honestly"
	}
	return s
}

// lastHash is the hash of what is being broadcast.
func (c *cast) lastHash() common.Hash {
	var tx types.Transaction
	if c.raw == nil || tx.UnmarshalBinary(c.raw()) != nil {
		return common.Hash{}
	}
	return tx.Hash()
}
