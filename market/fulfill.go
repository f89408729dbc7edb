package market

import (
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The request of POST /api/v2/listings/fulfillment_data.
type fulfillRequestJSON struct {
	Listing      orderRefJSON `json:"listing"`
	Fulfiller    accountJSON  `json:"fulfiller"`
	Recipient    string       `json:"recipient"`
	Units        int          `json:"units_to_fill"`
	OptionalFees bool         `json:"include_optional_creator_fees"`
}

type orderRefJSON struct {
	Hash     string `json:"hash"`
	Chain    string `json:"chain"`
	Protocol string `json:"protocol_address"`
}

type accountJSON struct {
	Address string `json:"address"`
}

// check returns the request in canonical spelling, or a usage fault.
func (r FulfillRequest) check() (FulfillRequest, error) {
	order, ok := hash(r.OrderHash)
	if !ok {
		return r, fault.New(fault.Usage, "%s is no order hash", quoted(r.OrderHash)).
			Hintf("an order hash is 0x and 64 hex digits")
	}
	out := FulfillRequest{OrderHash: order}
	var err error
	if out.Protocol, err = checkAddress("protocol contract", r.Protocol); err != nil {
		return r, err
	}
	if out.Fulfiller, err = checkAddress("fulfiller", r.Fulfiller); err != nil {
		return r, err
	}
	out.Recipient = out.Fulfiller
	if r.Recipient != "" {
		out.Recipient, err = checkAddress("recipient", r.Recipient)
	}
	return out, err
}

func fulfillBody(r FulfillRequest, chain string) fulfillRequestJSON {
	return fulfillRequestJSON{
		Listing:   orderRefJSON{Hash: r.OrderHash, Chain: chain, Protocol: r.Protocol},
		Fulfiller: accountJSON{Address: r.Fulfiller},
		Recipient: r.Recipient,
		Units:     1,
	}
}
