package relay

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// The shapes of Relay's published API (npm @relayprotocol/relay-sdk), as far as
// the sandbox answers them.

type errorJSON struct {
	Message   string `json:"message"`
	ErrorCode string `json:"errorCode"`
	RequestID string `json:"requestId,omitempty"`
}

type quoteRequest struct {
	User                string      `json:"user"`
	Recipient           string      `json:"recipient"`
	RefundTo            string      `json:"refundTo"`
	OriginChainID       int64       `json:"originChainId"`
	DestinationChainID  int64       `json:"destinationChainId"`
	OriginCurrency      string      `json:"originCurrency"`
	DestinationCurrency string      `json:"destinationCurrency"`
	Amount              string      `json:"amount"`
	TradeType           string      `json:"tradeType"`
	SlippageTolerance   string      `json:"slippageTolerance"`
	AppFees             []appFeeReq `json:"appFees"`
}

type appFeeReq struct {
	Recipient string `json:"recipient"`
	Fee       string `json:"fee"` // basis points
}

type quoteJSON struct {
	Steps    []stepJSON   `json:"steps"`
	Fees     *feesJSON    `json:"fees,omitempty"`
	Details  detailsJSON  `json:"details"`
	Protocol protocolJSON `json:"protocol"`
}

type stepJSON struct {
	ID          string     `json:"id"`
	Action      string     `json:"action"`
	Description string     `json:"description"`
	Kind        string     `json:"kind"`
	RequestID   string     `json:"requestId"`
	Items       []itemJSON `json:"items"`
}

type itemJSON struct {
	Status string     `json:"status"`
	Data   any        `json:"data"`
	Check  *checkJSON `json:"check,omitempty"`
}

type checkJSON struct {
	Endpoint string `json:"endpoint"`
	Method   string `json:"method"`
}

type txJSON struct {
	From                 string `json:"from"`
	To                   string `json:"to"`
	Data                 string `json:"data"`
	Value                string `json:"value"`
	ChainID              int64  `json:"chainId"`
	Gas                  string `json:"gas"`
	MaxFeePerGas         string `json:"maxFeePerGas"`
	MaxPriorityFeePerGas string `json:"maxPriorityFeePerGas"`
}

type feesJSON struct {
	Gas            amountJSON `json:"gas"`
	Relayer        amountJSON `json:"relayer"`
	RelayerGas     amountJSON `json:"relayerGas"`
	RelayerService amountJSON `json:"relayerService"`
	App            amountJSON `json:"app"`
	Subsidized     amountJSON `json:"subsidized"`
}

type amountJSON struct {
	Currency        currencyJSON `json:"currency"`
	Amount          string       `json:"amount"`
	AmountFormatted string       `json:"amountFormatted"`
	AmountUSD       string       `json:"amountUsd"`
	MinimumAmount   string       `json:"minimumAmount,omitempty"`
}

type currencyJSON struct {
	ChainID  int64        `json:"chainId"`
	Address  string       `json:"address"`
	Symbol   string       `json:"symbol"`
	Name     string       `json:"name"`
	Decimals int          `json:"decimals"`
	Metadata metadataJSON `json:"metadata"`
}

type metadataJSON struct {
	LogoURI  string `json:"logoURI"`
	Verified bool   `json:"verified"`
	IsNative bool   `json:"isNative"`
}

type detailsJSON struct {
	Operation      string     `json:"operation"`
	Sender         string     `json:"sender"`
	Recipient      string     `json:"recipient"`
	CurrencyIn     amountJSON `json:"currencyIn"`
	CurrencyOut    amountJSON `json:"currencyOut"`
	RefundCurrency amountJSON `json:"refundCurrency"`
	TotalImpact    impactJSON `json:"totalImpact"`
	SwapImpact     impactJSON `json:"swapImpact"`
	Rate           string     `json:"rate"`
	TimeEstimate   int        `json:"timeEstimate"`
}

type impactJSON struct {
	USD     string `json:"usd"`
	Percent string `json:"percent"`
}

type protocolJSON struct {
	V2 orderJSON `json:"v2"`
}

type orderJSON struct {
	OrderID string `json:"orderId"`
}

type statusJSON struct {
	Status             string   `json:"status"`
	Details            string   `json:"details,omitempty"`
	InTxHashes         []string `json:"inTxHashes,omitempty"`
	TxHashes           []string `json:"txHashes,omitempty"`
	UpdatedAt          int64    `json:"updatedAt,omitempty"` // Unix milliseconds
	OriginChainID      int64    `json:"originChainId,omitempty"`
	DestinationChainID int64    `json:"destinationChainId,omitempty"`
	QuoteCreatedAt     int64    `json:"quoteCreatedAt,omitempty"`
}

type chainsJSON struct {
	Chains []chainJSON `json:"chains"`
}

type chainJSON struct {
	ID               int64             `json:"id"`
	Name             string            `json:"name"`
	DisplayName      string            `json:"displayName"`
	HTTPRPCURL       string            `json:"httpRpcUrl"`
	ExplorerURL      string            `json:"explorerUrl"`
	DepositEnabled   bool              `json:"depositEnabled"`
	TokenSupport     string            `json:"tokenSupport"`
	Disabled         bool              `json:"disabled"`
	Currency         chainCurrency     `json:"currency"`
	ERC20Currencies  []chainCurrency   `json:"erc20Currencies"`
	SolverCurrencies []chainCurrency   `json:"solverCurrencies"`
	Contracts        map[string]string `json:"contracts"`
	VMType           string            `json:"vmType"`
	SolverAddresses  []string          `json:"solverAddresses"`
	Protocol         chainProtocol     `json:"protocol"`
}

type chainCurrency struct {
	ID               string `json:"id"`
	Symbol           string `json:"symbol"`
	Name             string `json:"name"`
	Address          string `json:"address"`
	Decimals         int    `json:"decimals"`
	SupportsBridging bool   `json:"supportsBridging"`
}

type chainProtocol struct {
	V2 depositoryJSON `json:"v2"`
}

type depositoryJSON struct {
	ChainID    string `json:"chainId"`
	Depository string `json:"depository"`
}

// describe is what the bridge tells of a chain.
func (s *Server) describe(id int64) chainJSON {
	name, display := "apechain", "ApeChain"
	if id == devchain.EthereumChainID {
		name, display = "ethereum", "Ethereum"
	}
	disabled := s.faults.Has(faults.RelayDisabled)
	doc := chainJSON{
		ID: id, Name: name, DisplayName: display, HTTPRPCURL: s.opt.RPC[id], TokenSupport: "Limited",
		DepositEnabled: !disabled, Disabled: disabled, VMType: "evm",
		ERC20Currencies: []chainCurrency{}, Contracts: map[string]string{}, SolverAddresses: []string{addr(s.world.Solver().Address())},
		Protocol: chainProtocol{depositoryJSON{"sandbox-" + name, addr(s.depository(id))}},
	}
	for _, c := range s.world.Currencies() {
		if c.ChainID != id {
			continue
		}
		row := chainCurrency{strings.ToLower(c.Symbol), c.Symbol, c.Name, addr(c.Address), c.Decimals, true}
		doc.SolverCurrencies = append(doc.SolverCurrencies, row)
		if c.Native() {
			doc.Currency = row
		} else {
			doc.ERC20Currencies = append(doc.ERC20Currencies, row)
		}
	}
	return doc
}

func currency(c demo.Currency) currencyJSON {
	return currencyJSON{c.ChainID, addr(c.Address), c.Symbol, c.Name, c.Decimals, metadataJSON{Verified: true, IsNative: c.Native()}}
}

func amount(c demo.Currency, n *big.Int) amountJSON {
	return amountJSON{
		Currency: currency(c), Amount: n.String(), AmountFormatted: decimal(n, c.Decimals),
		AmountUSD: decimal(microUSD(c, n), 6), MinimumAmount: n.String(),
	}
}

// microUSD is what an amount is worth, in millionths of a dollar.
func microUSD(c demo.Currency, n *big.Int) *big.Int {
	v := new(big.Int).Mul(n, big.NewInt(c.MicroUSD))
	return v.Quo(v, c.Whole(1))
}

// decimal writes base units with a decimal point.
func decimal(n *big.Int, places int) string {
	digits := new(big.Int).Abs(n).String()
	if len(digits) <= places {
		digits = strings.Repeat("0", places+1-len(digits)) + digits
	}
	whole, part := digits[:len(digits)-places], strings.TrimRight(digits[len(digits)-places:], "0")
	if part != "" {
		whole += "." + part
	}
	if n.Sign() < 0 {
		return "-" + whole
	}
	return whole
}

func addr(a common.Address) string { return strings.ToLower(a.Hex()) }

func text(n uint64) string { return strconv.FormatUint(n, 10) }
