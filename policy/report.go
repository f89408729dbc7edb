package policy

import (
	"maps"
	"slices"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Roles of a file of the fence.
const (
	RoleBuiltIn = "built-in" // the base where the home has none
	RoleBase    = "base"     // the home's own
	RoleMachine = "machine"  // /etc/ape-claw
	RoleExtra   = "extra"    // --policy
	RoleWorkDir = "workdir"
	RoleAgent   = "agent" // an agent's overlay
)

// FileReport is what one file says and does.
type FileReport struct {
	File     string   `json:"file"`
	Role     string   `json:"role"`
	Sets     []string `json:"sets"`     // the limits that hold because of it
	Mistakes []string `json:"mistakes"` // each with its line and column
}

// Report is what the policy files make together, for people.
type Report struct {
	Policy    *Policy           // nil when a file can't be read strictly
	Err       error             // why
	Files     []FileReport      // policy files, in the order in which they narrow
	Allowlist []FileReport      // allowlist files, likewise
	Settings  map[string]string // where each limit is written, by its key
	Warnings  []string
}

// LoadReport reads every file of the fence, also after a mistake, so that a person
// sees all there is to mend at once.
func LoadReport(src Sources) Report {
	var r Report
	r.Policy, r.Err = Load(src)
	list, err := LoadAllowlist(src)
	if r.Err == nil {
		r.Err = err
	}
	r.Files, r.Warnings = src.report(policyFile, func(s source) []error {
		_, mistakes := parseAll(s)
		return mistakes
	})
	var more []string
	r.Allowlist, more = src.report(allowlistFile, func(s source) []error {
		if _, err := parseAllowlist(s); err != nil {
			return []error{err}
		}
		return nil
	})
	for _, w := range more {
		if !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
	if r.Policy == nil {
		// What only shows when the files are put together is nobody's syntax.
		r.blame(r.Err)
		return r
	}
	r.Settings = map[string]string{}
	for _, key := range r.Policy.limitKeys() {
		r.Settings[key] = r.Policy.Setting(key)
		for i := range r.Files {
			if slices.Contains(r.Policy.setBy[key], r.Files[i].File) || slices.Contains(r.Policy.setBy[agentKey(key)], r.Files[i].File) {
				r.Files[i].Sets = append(r.Files[i].Sets, key)
			}
		}
	}
	if list != nil {
		r.Warnings = append(r.Warnings, r.Policy.doubts(list)...)
	}
	return r
}

// report lists the files of one name, each with what is wrong with it.
func (src Sources) report(name string, mistakes func(source) []error) (out []FileReport, warnings []string) {
	files, err := src.files(name)
	if err != nil {
		where, _ := fault.From(err).Details["file"].(string)
		return []FileReport{{File: where, Sets: []string{}, Mistakes: []string{fault.From(err).Message}}}, nil
	}
	add := func(s source, role string) {
		f := FileReport{File: s.file, Role: role, Sets: []string{}, Mistakes: []string{}}
		for _, m := range mistakes(s) {
			f.Mistakes = append(f.Mistakes, fault.From(m).Message)
		}
		if !slices.ContainsFunc(out, func(o FileReport) bool { return o.File == f.File }) {
			out = append(out, f)
		}
	}
	if files.base != nil {
		add(*files.base, RoleBase)
	} else {
		out = append(out, FileReport{File: src.builtIn(name), Role: RoleBuiltIn, Sets: []string{}, Mistakes: []string{}})
	}
	for _, o := range files.overlays {
		add(o.source, o.role)
	}
	return out, files.warnings
}

// blame adds an error to the file that it is about, if nothing else was found there.
func (r *Report) blame(err error) {
	where, _ := fault.From(err).Details["file"].(string)
	for i, f := range r.Files {
		if f.File == where && len(f.Mistakes) == 0 {
			r.Files[i].Mistakes = append(f.Mistakes, fault.From(err).Message)
		}
	}
}

// limitKeys are the keys whose origin is remembered, in a fixed order.
func (p *Policy) limitKeys() []string {
	keys := []string{priceKey, currencyList, feeKey, "nftBuy.denyUnlimitedApprovals", simulateKey, dailyKey, contractList, windowsKey, phraseKey, autonomyKey,
		"bridge.maxBridgeFeeBps", "bridge.requireMinAmountOut", v2List, receiptsKey}
	var more []string
	for contract := range p.NFTBuy.CollectionCaps {
		more = append(more, collectionKey(contract, "maxPricePerTx"), collectionKey(contract, "dailySpendCap"))
	}
	for contract, c := range p.Execution.CurrencyCaps {
		more = append(more, currencyKey(c.name(contract), "maxPricePerTx"), currencyKey(c.name(contract), "dailySpendCap"))
	}
	for a := range p.Execution.SpendCaps {
		more = append(more, spendKey(a))
	}
	slices.Sort(more)
	return append(keys, more...)
}

// doubts are rules that hold and may not be meant.
func (p *Policy) doubts(list *Allowlist) (out []string) {
	for _, contract := range sorted(p.NFTBuy.CollectionCaps) {
		if !slices.ContainsFunc(list.entries, func(e Entry) bool { return e.ContractAddress == contract }) {
			out = append(out, "nftBuy.collectionCaps has "+contract+", which is not on the allowlist")
		}
	}
	for _, contract := range sorted(p.Execution.CurrencyCaps) {
		a := Asset{p.ChainID, contract}
		if !slices.ContainsFunc(p.NFTBuy.Currencies, func(c string) bool { return p.names(c, a) }) {
			out = append(out, "execution.currencyCaps has "+p.Execution.CurrencyCaps[contract].name(contract)+", which is not in nftBuy.currencyAllowlist")
		}
	}
	if all := p.Execution.Contracts; all != nil {
		for _, contract := range p.V2.Contracts {
			if !slices.Contains(all, contract) {
				out = append(out, v2List+" has "+contract+", which is not in "+contractList+": it can't be called")
			}
		}
	}
	if _, ok := nextIn(p.Execution.Windows, epoch); p.Execution.Windows != nil && !ok && !inWindows(p.Execution.Windows, epoch) {
		out = append(out, "no time of the week is in execution.windows: nothing can be spent")
	}
	return out
}

// epoch is some time: the windows of every week are the same, but for an hour.
var epoch = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// builtIn names what stands in for a file that the home does not have.
func (src Sources) builtIn(name string) string {
	switch {
	case name == allowlistFile:
		return "the built-in allowlist"
	case src.Sandbox:
		return "the built-in sandbox policy"
	}
	return "the built-in policy"
}
