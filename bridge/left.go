package bridge

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// leaves adds to an error what was sent before it: an approval of exactly the amount,
// which stays until the deposit uses it.
func (x *transferring) leaves(err error) error {
	var f *fault.Error
	if len(x.left) == 0 || !errors.As(err, &f) || f.Sent == fault.SentYes || f.Sent == fault.SentMaybe {
		return err
	}
	own := *f
	own.Sent = fault.SentYes
	left := fmt.Sprintf("the approval of exactly %s %s is in a block and stays (%s): the same command goes on with the deposit", x.r.Amount, x.r.Token, strings.Join(x.left, ", "))
	if own.Hint != "" {
		left = own.Hint + "; " + left
	}
	return own.Hintf("%s", left).With("txHashes", x.left)
}
