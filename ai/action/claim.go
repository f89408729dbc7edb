package action

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ape-claw/ape-claw/ai"
)

// CheckClaim compares what a model says with the facts of its action: amounts,
// addresses, ids, what is done, and what people are told to believe. The claim may
// be written by whoever wrote a listing. It decides nothing; it says what a person
// should look at. Amounts are compared digit by digit.
func CheckClaim(claim string, a Action) Check {
	if strings.TrimSpace(claim) == "" {
		return Check{}
	}
	c := &checker{a: a, text: fold(claim), known: learn(a)}
	c.hidden(claim)
	c.amounts()
	c.bare()
	c.inWords()
	c.ids()
	c.hex()
	c.actions()
	c.harmless()
	c.authority()
	c.links()
	out := Check{Findings: c.findings}
	for _, f := range c.findings {
		if rank(f.Level) > rank(out.Level) {
			out.Level = f.Level
		}
	}
	return out
}

func rank(level string) int { return slices.Index([]string{"", Info, Warning, Critical}, level) }

// checker goes through one claim.
type checker struct {
	a        Action
	text     folded
	known    known
	findings []Finding
}

// maxFindings keeps a claim from filling a card with what is wrong with it.
const maxFindings = 12

func (c *checker) find(level, rule, format string, args ...any) {
	f := Finding{level, rule, Cut(fmt.Sprintf(format, args...), 160)}
	if slices.Contains(c.findings, f) {
		return
	}
	if len(c.findings) < maxFindings {
		c.findings = append(c.findings, f)
		return
	}
	// A worse one takes the place of the mildest.
	least := 0
	for i := range c.findings {
		if rank(c.findings[i].Level) < rank(c.findings[least].Level) {
			least = i
		}
	}
	if rank(level) > rank(c.findings[least].Level) {
		c.findings[least] = f
	}
}

// grave is the level of a contradiction: where something is spent it is critical.
func (c *checker) grave() string {
	if len(c.a.Spends) > 0 || c.a.Grade == ai.GradeHigh {
		return Critical
	}
	return Warning
}

func (c *checker) hidden(claim string) {
	if c.text.hidden > 0 {
		c.find(Warning, "hidden", "the claim has %d characters that do not show", c.text.hidden)
	}
	if c.text.digits {
		c.find(Critical, "hidden", "the claim has digits that are not 0 to 9")
	}
	for _, w := range c.text.mixed {
		c.find(Critical, "hidden", "%q has letters that only look like Latin ones", w)
	}
	if len([]rune(claim)) > MaxClaim {
		c.find(Info, "length", "the claim was cut at %d characters", MaxClaim)
	}
}

// amounts compares every amount with a unit.
func (c *checker) amounts() {
	priced, named := false, false
	for _, m := range amountsIn(c.text.s) {
		if slices.Contains(c.known.symbols, m.unit) {
			named = true
			priced = priced || m.in(c.known.prices)
		}
		switch {
		case m.unreadable:
			c.find(c.grave(), "amount", "%q is not written as an amount", m.shown)
		case m.unit == "WEI" || m.unit == "GWEI":
			if !m.inBase(c.known.base) {
				c.find(c.grave(), "amount", "%q is not what the facts say", m.shown)
			}
		case !slices.Contains(c.known.symbols, m.unit):
			c.find(c.grave(), "amount", "%q is in another unit than the facts, which are in %s", m.shown, strings.Join(c.known.symbols, ", "))
		case m.in(c.known.amounts):
			if m.ambiguous {
				c.find(Warning, "amount", "%q can be read as another amount", m.shown)
			}
		case m.in(c.known.volatile):
			c.find(Info, "amount", "%q is a balance, a cap or a cost of gas, not the price", m.shown)
		default:
			c.find(c.grave(), "amount", "%q is none of the facts' amounts", m.shown)
		}
	}
	if named && !priced && len(c.known.prices) > 0 {
		c.find(c.grave(), "amount", "none of the claim's amounts is what this costs")
	}
}

var (
	bareAmount = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:price|prices|priced|costs?|pay|pays|paying|spend|spends|spending|for|only)\s*(?:is|of|at|:|=)?\s*(` + number + `)(\s*[[:alpha:]$€#%]?)`)
	})
	wordAmount = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:zero|half|quarter|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|fifty|hundred|thousand|million|dozen)\s+(?:an?\s+|of\s+)?(` + strings.Join(currencies, "|") + `)\b`)
	})
)

// bare compares numbers without a unit that are said to be a price.
func (c *checker) bare() {
	for _, m := range bareAmount().FindAllStringSubmatch(c.text.s, -1) {
		if strings.TrimSpace(m[2]) != "" {
			continue // it has a unit, or counts something
		}
		if n := reading(m[1]); !n.in(c.known.amounts) && !n.in(c.known.ids) {
			c.find(Warning, "amount", "%q is none of the facts' amounts", m[1])
		}
	}
}

func (c *checker) inWords() {
	for _, m := range wordAmount().FindAllStringSubmatch(c.text.s, -1) {
		if m[1] != strings.ToUpper(m[1]) {
			continue // two apes are no amount
		}
		c.find(Warning, "amount", "%q is written in words and was not compared", m[0])
	}
}

var (
	numberedID = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:#|\b(?:token|nft|item|id|no\.?|nr\.?|number)(?:[\s_-]*id)?\s*[:=#]?)\s*(\d+)\b`)
	})
	namedID = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:q|qt|quote|plan|pl|act|order|req|trace|tx|sim)[_-][a-z0-9_]{6,}\b`)
	})
)

func (c *checker) ids() {
	for _, m := range numberedID().FindAllStringSubmatch(c.text.s, -1) {
		if !reading(m[1]).in(c.known.ids) {
			c.find(c.grave(), "id", "%q is no id of the facts", m[0])
		}
	}
	for _, id := range namedID().FindAllString(c.text.s, -1) {
		if !slices.Contains(c.known.words, strings.ToLower(id)) {
			c.find(c.grave(), "id", "%q is not what this is about", id)
		}
	}
}

var (
	hexWord  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b0x[0-9a-f]{5,}\b`) })
	shortHex = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(0x[0-9a-f]{2,})(?:…|\.{2,3}|_{2,}|\*+)([0-9a-f]{2,})\b`)
	})
	domain = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b[a-z0-9-]+\.(?:eth|ape|xyz|io|com|org|net|app|gg)\b`)
	})
)

// hex compares addresses and hashes, in full and shortened.
func (c *checker) hex() {
	for _, m := range shortHex().FindAllStringSubmatch(c.text.s, -1) {
		head, tail := strings.ToLower(m[1]), strings.ToLower(m[2])
		if !slices.ContainsFunc(c.known.hex, func(h string) bool { return strings.HasPrefix(h, head) && strings.HasSuffix(h, tail) }) {
			c.find(c.grave(), "address", "%q fits no address of the facts", m[0])
		}
	}
	whole := shortHex().ReplaceAllString(c.text.s, " ")
	for _, h := range hexWord().FindAllString(whole, -1) {
		if !slices.Contains(c.known.hex, strings.ToLower(h)) {
			c.find(c.grave(), "address", "%q is no address of the facts", h)
		}
	}
}

// verbs are what actions do, in groups of one meaning.
var verbs = map[string]string{
	"buy":     `buy|buys|buying|bought|purchase|purchases|purchasing|acquire|acquires|autobuy|snipe|sweep`,
	"sell":    `sell|sells|selling|sold|sale`,
	"bid":     `bid|bids|bidding`,
	"send":    `send|sends|sending|transfer|transfers|transferring|withdraw|withdraws|gift`,
	"allow":   `allowance|setapprovalforall`,
	"bridge":  `bridge|bridges|bridging|swap|swaps|swapping`,
	"cancel":  `cancel|cancels|cancelling|revoke|revokes`,
	"halt":    `halt|halts|halting|pause|pauses`,
	"mint":    `mint|mints|minting`,
	"burn":    `burn|burns|burning`,
	"stake":   `stake|stakes|staking|unstake`,
	"deploy":  `deploy|deploys|deploying`,
	"publish": `publish|publishes|publishing`,
	"release": `release|releases|releasing`,
}

var verbWords = sync.OnceValue(func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for k, v := range verbs {
		out[k] = regexp.MustCompile(`(?i)\b(?:` + v + `)\b`)
	}
	return out
})

// actions compares what the claim says is done with what the tool does.
func (c *checker) actions() {
	own := strings.NewReplacer("_", " ", "-", " ").Replace(c.a.Tool + " " + c.a.Command)
	said := false
	var other []string
	for _, k := range keys(verbs, nil) {
		re := verbWords()[k]
		word := re.FindString(c.text.s)
		switch {
		case word == "":
		case re.MatchString(own):
			said = true
		default:
			other = append(other, word)
		}
	}
	for _, w := range other {
		level := Warning
		if !said {
			level = c.grave()
		}
		c.find(level, "action", "it says %q, and this is %s", w, c.a.Tool)
	}
}

var (
	harmlessWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:only|just|merely|simply)\s+(?:an?\s+)?(?:simulation|simulated|test|check|look|quote|preview|dry[- ]?run)\b|\bdry[- ]?run\b|\bread[- ]only\b|\bfree of charge\b|\bfor free\b|\bno costs?\b|\bcosts? nothing\b|\brefund\w*|\bnothing (?:is |will be |gets )?(?:spent|bought|sent|charged)\b|\bplay money\b|\bharmless\b`)
	})
	worldWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:testnet|sandbox|curtis|goerli|sepolia|devnet|practice|ethereum|polygon|arbitrum|solana)\b`)
	})
	authorityWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:already|pre-?)\s*-?(?:approved|authori[sz]ed|confirmed)\b|\b(?:approved|authori[sz]ed|confirmed|verified|signed off) by\b|\boperator (?:said|approved|wants|asked|confirmed)\b|\bno (?:need (?:to|for) )?(?:confirm\w*|review\w*|approv\w*|check\w*)|\b(?:don'?t|do not|needn'?t) (?:need|bother|have)? ?(?:to )?(?:check|confirm|read|review)\b|\bskip (?:the )?(?:check|review|confirmation)\w*|\burgent(?:ly)?\b|\btrust (?:me|this)\b|\bsafe to approve\b|\b(?:system|admin|developer)\s*:`)
	})
	linkWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bhttps?:|\bwww\.|\]\(|<[a-z/!]|&#|javascript:`) })
)

func (c *checker) harmless() {
	if w := harmlessWords().FindString(c.text.s); w != "" {
		c.find(c.grave(), "action", "it says %q, and this is for real", w)
	}
	for _, w := range worldWords().FindAllString(c.text.s, -1) {
		if !c.known.where(w) {
			c.find(c.grave(), "chain", "it says %q, and the facts name another place", w)
		}
	}
}

func (c *checker) authority() {
	for _, w := range authorityWords().FindAllString(c.text.s, -1) {
		c.find(Warning, "authority", "it says %q: only what you type here approves", w)
	}
}

func (c *checker) links() {
	if linkWords().MatchString(c.text.s) {
		c.find(Warning, "link", "it holds a link or markup")
	}
	for _, w := range domain().FindAllString(c.text.s, -1) {
		if !slices.Contains(c.known.words, strings.ToLower(w)) {
			c.find(Warning, "address", "%q is a name, and the facts hold addresses", w)
		}
	}
}
