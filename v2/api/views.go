package api

// The answers. Whatever comes from the chain or from a deployment record in them
// is a stranger's text: bounded, and to be shown as text.

// How a contract stands, in Contract.State.
const (
	Ours    = "ours"    // the code this program was built with
	Listed  = "listed"  // another code, which the policy lists
	Missing = "missing" // no address, or no code at it
	Foreign = "foreign" // a code that is neither ours nor listed
	Unread  = "unread"  // it could not be read now
)

// Config is what is deployed, of GET /api/v2/config.
type Config struct {
	OK         bool       `json:"ok"`
	Configured bool       `json:"configured"` // at least one contract can be called
	ChainID    int64      `json:"chainId"`
	Network    string     `json:"network"`
	Contracts  []Contract `json:"contracts"` // in the order in which they are deployed
}

// Contract is one of them.
type Contract struct {
	Name    string `json:"name"`
	Address string `json:"address,omitempty"`
	State   string `json:"state"`
	From    string `json:"from,omitempty"` // who gave the address, in words
}

// Receipt is whether a trace's receipt is on chain, of GET /api/v2/receipt/get.
type Receipt struct {
	OK          bool   `json:"ok"`
	TraceID     string `json:"traceId"`
	TraceIDHash string `json:"traceIdHash"`
	IsRecorded  bool   `json:"isRecorded"`
	ChainID     int64  `json:"chainId"`
	Contract    string `json:"contract"`
	// Receipt is what the chain has; nil where there is none.
	Receipt *OnChain `json:"receipt"`
	// Agrees says whether the local log has what the receipt is of; nil when that
	// can't be told, and Why says why.
	Agrees *bool  `json:"agrees"`
	Why    string `json:"why,omitempty"`
}

// OnChain is a receipt as the chain has it, all of it as strings.
type OnChain struct {
	TraceIDHash string `json:"traceIdHash"`
	ContentHash string `json:"contentHash"`
	Subject     string `json:"subject"` // a hash
	URI         string `json:"uri"`
	RecordedAt  string `json:"recordedAt"` // unix seconds
	Recorder    string `json:"recorder"`
}

// Vault is who shares what, of GET /api/v2/vault.
type Vault struct {
	OK          bool     `json:"ok"`
	ChainID     int64    `json:"chainId"`
	Vault       string   `json:"vault"`
	BalanceWei  string   `json:"balanceWei"`
	TotalShares string   `json:"totalShares"`
	Members     []Member `json:"members"`
}

// Member is one of the vault's.
type Member struct {
	Address     string `json:"address"`
	Shares      string `json:"shares"`
	PendingWei  string `json:"pendingWei"`
	ReleasedWei string `json:"releasedWei"`
}

// Skills are the newest skills on chain, of GET /api/v2/skills.
type Skills struct {
	OK      bool    `json:"ok"`
	ChainID int64   `json:"chainId"`
	Count   string  `json:"count"` // all there are
	Skills  []Skill `json:"skills"`
}

// Skill is one of them, with its newest version.
type Skill struct {
	SkillID  string `json:"skillId"`
	ParentID string `json:"parentId"`
	Owner    string `json:"owner"`
	Versions string `json:"versions"`
	// The rest is the newest version's, empty where none was published.
	VersionHash string `json:"versionHash,omitempty"`
	ContentHash string `json:"contentHash,omitempty"`
	URI         string `json:"uri,omitempty"`
	RiskTier    int    `json:"riskTier,omitempty"`
	PublishedAt string `json:"publishedAt,omitempty"`
	Publisher   string `json:"publisher,omitempty"`
}
