package chain

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
)

// This file is the only one that reads the error texts of nodes. JSON-RPC has no
// codes for these cases, so the texts of geth, Nitro, Erigon, Nethermind, Besu
// and Reth are matched; the test's table holds real messages of each.

// Class says what a node's error answer means.
type Class int

// The classes of node errors. ClassOther is anything unknown: nothing follows
// from it, least of all that a transaction was not accepted.
const (
	ClassOther              Class = iota
	ClassReverted                 // the EVM ran it and it failed
	ClassAlreadyKnown             // this very transaction is in the pool
	ClassNonceTooLow              // the account used this nonce
	ClassNonceTooHigh             // an earlier nonce is missing
	ClassInsufficientFunds        // balance below gas * price + value
	ClassReplaceUnderpriced       // another transaction with this nonce is in the pool
	ClassUnderpriced              // fee or tip below what the node takes
	ClassFeeCapTooLow             // max fee below the base fee
	ClassFeeOverCap               // the node's own limit on fees
	ClassIntrinsicGas             // gas limit below the cost of the bytes
	ClassGasLimit                 // gas limit above the block's, or estimate above the allowance
	ClassInvalid                  // not a valid transaction for this chain
	ClassPoolFull                 // the node takes no more transactions
	ClassIndexing                 // ask again later: the node is still indexing
	ClassRateLimited              // too many requests
	ClassTimeout                  // the node gave up
	ClassMethodMissing            // the node does not offer the method
)

// refused holds the classes in which a node says that it did not take a
// transaction. Pool full and nonce too high are not among them: some nodes keep
// such a transaction.
var refused = map[Class]bool{
	ClassReverted: true, ClassNonceTooLow: true, ClassInsufficientFunds: true, ClassReplaceUnderpriced: true,
	ClassUnderpriced: true, ClassFeeCapTooLow: true, ClassFeeOverCap: true, ClassIntrinsicGas: true,
	ClassGasLimit: true, ClassInvalid: true, ClassMethodMissing: true, ClassRateLimited: true,
}

// NodeError is an error that a node answered. Message is cut, printable, and
// free of the URL's secrets; it is still text of others.
type NodeError struct {
	Method  string
	Code    int
	Message string
	Class   Class
}

// Error implements error.
func (e *NodeError) Error() string { return e.Message }

// ErrorCode implements rpc.Error.
func (e *NodeError) ErrorCode() int { return e.Code }

// RevertError says that the EVM ran a call and reverted it.
type RevertError struct {
	Data   []byte // what the contract returned; may be empty
	Reason string // decoded Error(string) or Panic(uint256); "" for anything else
}

// Error implements error.
func (e *RevertError) Error() string {
	switch {
	case e.Reason != "":
		return "execution reverted: " + e.Reason
	case len(e.Data) >= 4:
		return "execution reverted with error " + hexutil.Encode(e.Data[:4])
	}
	return "execution reverted without a reason"
}

// DecodeRevert reads the data of a revert. The reason is cut and printable.
func DecodeRevert(data []byte) *RevertError {
	reason, err := abi.UnpackRevert(data)
	if err != nil {
		reason = ""
	}
	return &RevertError{Data: data, Reason: printable(reason)}
}

// revertOf returns the revert an answer tells of, or nil.
func revertOf(answer rpc.Error, class Class) *RevertError {
	var data []byte
	if de, ok := answer.(rpc.DataError); ok {
		if s, ok := de.ErrorData().(string); ok {
			// Some nodes write "Reverted 0x…".
			if i := strings.LastIndex(s, "0x"); i >= 0 {
				data, _ = hexutil.Decode(strings.TrimSpace(s[i:])) // no data is no reason
			}
		}
	}
	if class != ClassReverted && (len(data) == 0 || answer.ErrorCode() != 3) {
		return nil
	}
	r := DecodeRevert(data)
	if r.Reason == "" && len(data) == 0 {
		if _, reason, ok := strings.Cut(answer.Error(), "reverted: "); ok {
			r.Reason = printable(reason)
		}
	}
	return r
}

// rule matches the messages of a class, in lower case, at the start or after ": ",
// which is where nodes wrap one error in another.
type rule struct {
	class Class
	texts string // alternatives of a regular expression
}

// Reverts come first: their text is the contract's, which may imitate the others.
var rules = []rule{
	{ClassReverted, `execution reverted|vm execution error|vm exception while processing transaction|reverted( 0x|$)|invalid opcode|out of gas|stack underflow`},
	{ClassAlreadyKnown, `already known|known transaction|alreadyknown|transaction already (imported|known|in mempool|exists)|existing tx with same hash|transaction with the same hash was already imported`},
	{ClassReplaceUnderpriced, `replacement transaction underpriced|replacement_underpriced|replacement fee too low|replacementnotallowed|ownnoncealreadyused|could not replace existing tx|transaction gas price supplied is too low; there is another transaction with same nonce`},
	{ClassNonceTooLow, `nonce too low|oldnonce|invalid transaction nonce|transaction nonce is too low|nonce is too low|account nonce is higher|nonce_too_low`},
	{ClassNonceTooHigh, `nonce too high|noncegap|transaction nonce is too high|transaction nonce is too distant|nonce_too_high`},
	{ClassInsufficientFunds, `insufficient funds|insufficientfunds|insufficient account balance|sender doesn't have enough funds|upfront cost exceeds account balance|transaction upfront cost exceeds|insufficient balance for`},
	{ClassFeeCapTooLow, `max fee per gas less than block base fee|fee cap less than block base fee|feetoolow, maxfeepergas too low|gas price below current base fee|max fee per gas below base fee`},
	{ClassFeeOverCap, `tx fee \([0-9.]+ \w+\) exceeds the configured cap|transaction fee cap exceeded|fee too high`},
	{ClassUnderpriced, `transaction underpriced|transaction gas price below minimum|gas price too low|feetoolow|gas tip cap .* less than minimum|tip too low|minimum needed`},
	{ClassIntrinsicGas, `intrinsic gas too low|insufficient gas for floor data gas cost|intrinsic gas exceeds gas limit|gas limit is too low|intrinsic_gas_too_low`},
	{ClassGasLimit, `exceeds block gas limit|gaslimitexceeded|gas limit reached|transaction gas limit too high|gas required exceeds allowance|exceeds the? ?maximum gas|exceeds_block_gas_limit`},
	{ClassInvalid, `invalid sender|invalid signature|invalid chain id|incorrect chain id|invalid chainid|wrong chain ?id|only replay-protected|transaction type not supported|tx type .* not (supported|allowed)|rlp: |oversized data|negative value|max priority fee per gas higher|max initcode size|sender not an eoa|invalid transaction|typed transaction too short|invalid tx`},
	{ClassPoolFull, `txpool is full|tx ?pool (limit|is full|overflow)|account limit exceeded|transaction pool is full|out of capacity|queue full`},
	{ClassIndexing, `transaction indexing is in progress|indexing is in progress|still indexing`},
	{ClassRateLimited, `too many requests|rate limit|request limit|exceeded .*(quota|capacity|compute units)|limit exceeded|daily request count exceeded|throttled`},
	{ClassTimeout, `request timed out|execution aborted \(timeout|context deadline exceeded|timeout|gateway time-?out`},
	{ClassMethodMissing, `the method .* does not exist|method not found|method .* is not (supported|available|whitelisted)|unsupported method`},
}

// matchers compiles the rules on first use: most runs never need one.
var matchers = sync.OnceValue(func() []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(rules))
	for i, r := range rules {
		out[i] = regexp.MustCompile(`(?:^|: )(?:` + r.texts + `)`)
	}
	return out
})

// classify returns the class of a JSON-RPC error.
func classify(code int, message string) Class {
	switch code {
	case 3: // geth's code for a revert with data
		return ClassReverted
	case -32601:
		return ClassMethodMissing
	case 429, -32005: // the second is EIP-1474's "limit exceeded"
		return ClassRateLimited
	}
	text := strings.ToLower(strings.TrimSpace(message))
	for i, m := range matchers() {
		if m.MatchString(text) {
			return rules[i].class
		}
	}
	return ClassOther
}

// nodeErrorIn finds a JSON-RPC error in the body of an HTTP error: some proxies
// answer both.
func nodeErrorIn(body []byte) rpc.Error {
	var answer struct {
		Error *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error == nil || answer.Error.Message == "" {
		return nil
	}
	return &NodeError{Code: answer.Error.Code, Message: answer.Error.Message}
}

// printable makes a text of others fit for a message: one line, no control
// characters, at most 200 bytes.
func printable(s string) string {
	const most = 200
	if len(s) > 4*most {
		s = s[:4*most]
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.TrimSpace(s)
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s…", strings.ToValidUTF8(s[:most], ""))
}

// FailureReason says in words why a call or an estimate can't succeed; ok is
// false when err is about the node and not about the transaction.
func FailureReason(err error) (reason string, ok bool) {
	var revert *RevertError
	if errors.As(err, &revert) {
		return revert.Error(), true
	}
	var node *NodeError
	if !errors.As(err, &node) {
		return "", false
	}
	switch node.Class {
	case ClassInsufficientFunds, ClassIntrinsicGas, ClassGasLimit, ClassFeeCapTooLow, ClassInvalid:
		return node.Message, true
	}
	return "", false
}
