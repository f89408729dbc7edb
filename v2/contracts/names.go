package contracts

// Name names a contract, as its Solidity source does.
type Name string

// The contracts, in the order in which they are deployed.
const (
	SkillNFT        Name = "SkillNFT"
	SkillRegistry   Name = "SkillRegistry"
	IntentRegistry  Name = "IntentRegistry"
	ReceiptRegistry Name = "ReceiptRegistry"
	PolicyEngine    Name = "PolicyEngine"
	SwapModule      Name = "SwapModule"
	BridgeModule    Name = "BridgeModule"
	NftBuyModule    Name = "NftBuyModule"
	AgentAccount    Name = "AgentAccount"
	PodVault        Name = "PodVault"
	MockTarget      Name = "MockTarget"
)

// Names lists the contracts in the order in which they are deployed.
func Names() []Name {
	return []Name{SkillNFT, SkillRegistry, IntentRegistry, ReceiptRegistry, PolicyEngine, SwapModule, BridgeModule, NftBuyModule, AgentAccount, PodVault, MockTarget}
}
