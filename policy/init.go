package policy

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/ape-claw/ape-claw/chain/units"
)

//go:embed init.json
var initPolicy []byte

// InitTemplate is the policy file that a person begins with: every key is there
// but execution.contractAllowlist, which would shut out those that a later version
// knows, and every cap is 0 but those that the options give.
func InitTemplate(o InitOptions) ([]byte, error) {
	text := bytes.Replace(initPolicy, []byte(`"SCHEMA"`), []byte(`"`+SchemaID+`"`), 1)
	if o.PracticeChain != 0 {
		text = bytes.Replace(text, []byte(`"apechainChainId": 33139`), fmt.Appendf(nil, `"apechainChainId": %d`, o.PracticeChain), 1)
		text = bytes.Replace(text, []byte(`"apechainRpcUrl": "https://rpc.apechain.com/http"`), []byte(`"apechainRpcUrl": ""`), 1)
	}
	for _, c := range []struct{ key, amount string }{{"maxPricePerTx", o.MaxPricePerTx}, {"dailySpendCap", o.DailySpendCap}} {
		if c.amount == "" {
			continue
		}
		limit := Cap{Unlimited: true}
		if c.amount != unlimited {
			w, err := units.Parse(c.amount, units.APEDecimals)
			if err != nil {
				return nil, err
			}
			limit = Cap{Max: w}
		}
		b, err := json.Marshal(limit.json(units.APEDecimals))
		if err != nil {
			return nil, err
		}
		text = bytes.Replace(text, []byte(`"`+c.key+`": 0`), []byte(`"`+c.key+`": `+string(b)), 1)
	}
	return text, nil
}
