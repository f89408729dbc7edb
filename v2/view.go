package v2

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// view asks a function of a contract, which changes nothing, for its values. A
// contract that refuses, or answers in another shape, is not the one that is meant.
func (s *Service) view(ctx context.Context, c Chain, l Located, method string, args ...any) ([]any, error) {
	a := contracts.ABI(l.Name)
	data, err := a.Pack(method, args...)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", method, l.Name, err)
	}
	got, err := c.Call(ctx, chain.CallMsg{To: common.HexToAddress(l.Address), Data: data}, nil, nil)
	var revert *chain.RevertError
	if errors.As(err, &revert) {
		reason, _ := failure(err)
		return nil, fault.Wrap(err, fault.ContractMismatch, "%s at %s does not answer %s: %s", l.Name, l.Address, method, reason).
			Hintf("check the address, which is from %s", l.From).WithSent(fault.SentNo).With("contract", string(l.Name)).With("reverted", true)
	}
	if err != nil {
		return nil, err
	}
	values, err := a.Unpack(method, got)
	if err != nil {
		return nil, fault.Wrap(err, fault.ContractMismatch, "%s at %s answers %s with what can't be read", l.Name, l.Address, method).
			Hintf("check the address, which is from %s", l.From).WithSent(fault.SentNo).With("contract", string(l.Name))
	}
	return values, nil
}

// reverted reports whether an error is of a view that the contract refused.
func reverted(err error) bool {
	var revert *chain.RevertError
	return errors.As(err, &revert)
}

// viewOne is view for a function with one value.
func viewOne[T any](ctx context.Context, s *Service, c Chain, l Located, method string, args ...any) (T, error) {
	values, err := s.view(ctx, c, l, method, args...)
	if err != nil {
		var none T
		return none, err
	}
	return at[T](values, 0)
}

// viewWei is view for a function with one amount.
func (s *Service) viewWei(ctx context.Context, c Chain, l Located, method string, args ...any) (units.Wei, error) {
	n, err := viewOne[*big.Int](ctx, s, c, l, method, args...)
	if err != nil {
		return units.Wei{}, err
	}
	return units.FromBig(n)
}

// at is a value of a list, of the type that the ABI gives it.
func at[T any](values []any, i int) (T, error) {
	var none T
	if i >= len(values) {
		return none, fmt.Errorf("value %d of %d", i, len(values))
	}
	v, ok := values[i].(T)
	if !ok {
		return none, fmt.Errorf("value %d is a %T", i, values[i])
	}
	return v, nil
}

// countOf is a number of a contract as events and answers have it.
func countOf(v any) (uint64, error) {
	n, ok := v.(*big.Int)
	if !ok || !n.IsUint64() || n.Uint64() > math.MaxInt64 {
		return 0, fmt.Errorf("the contract gave the number %s, which is out of range", word(v))
	}
	return n.Uint64(), nil
}

// fill reads the result of an event into an answer, by the names that both have.
func fill(result map[string]any, into any) error {
	raw, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// atOnce is how many questions a node is asked at the same time.
const atOnce = 8

// each runs do for every number below n, some at a time, and returns the first
// error, in the order of the numbers.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, n)
	turns := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i := range n {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			if errs[i] = do(ctx, i); errs[i] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}
