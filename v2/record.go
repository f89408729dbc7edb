package v2

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// A deployment record says where a set of contracts is and what it was made from.
// Anybody may have written it: it only ever says where to look. What is there is
// held against the code that this program was built with.

const (
	recordVersion = 1
	maxRecord     = 64 << 10
	recordMembers = 64
	maxLabel      = 64
)

// Record is the deployment record of a chain.
type Record struct {
	V        int         `json:"v"`
	Network  string      `json:"network"`
	ChainID  int64       `json:"chainId"`
	Genesis  common.Hash `json:"genesisHash"` // of the chain: a sandbox that was reset is another
	Deployer string      `json:"deployer"`
	Label    string      `json:"label,omitempty"`
	Members  []Member    `json:"vaultMembers"`
	// Configured says that the policy engine's first rules were set: what its owner
	// changes afterwards stays.
	Configured bool              `json:"configured"`
	Contracts  map[Name]Deployed `json:"contracts"`
}

// Deployed is a contract of a deployment record. The transaction is unknown where
// the contract was there already.
type Deployed struct {
	Address     string `json:"address"`
	TxHash      string `json:"txHash,omitempty"`
	BlockNumber uint64 `json:"blockNumber,omitempty"`
}

// Member is a member of the vault and its shares.
type Member struct {
	Address string    `json:"address"` // lower case
	Shares  units.Wei `json:"shares"`
}

func (s *Service) recordPath(network string) string {
	return filepath.Join(s.d.Records, network+".json")
}

// readRecord reads the deployment record at path; ok is false when there is none.
func readRecord(path string) (r Record, ok bool, err error) {
	f, err := store.OpenToRead(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return Record{}, false, fault.Wrap(err, fault.StateUnusable, "%s can't be read", store.Display(path)).
			Hintf("look at its disk, or move it away and run ape-claw v2 deploy")
	}
	if len(b) > maxRecord {
		return Record{}, false, badRecord(path, "it is larger than a record can be", nil)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return Record{}, false, badRecord(path, "it is not the JSON of a record", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Record{}, false, badRecord(path, "something follows the record", err)
	}
	if why := r.wrong(); why != "" {
		return Record{}, false, badRecord(path, why, nil)
	}
	return r, true, nil
}

// badRecord refuses a record. What it holds is not quoted: it may be anybody's.
func badRecord(path, why string, cause error) error {
	return fault.Wrap(cause, fault.StateUnusable, "the deployment record %s can't be used: %s", store.Display(path), why).
		Hintf("move it away and run ape-claw v2 deploy, which finds contracts that are there").WithSent(fault.SentNo)
}

// wrong says what keeps a record from being one, "" if nothing does.
func (r Record) wrong() string {
	switch {
	case r.V != recordVersion:
		return "it is of another version"
	case r.ChainID <= 0 || r.Network != networkName(r.ChainID):
		return "its network is not its chain's"
	case r.Genesis == (common.Hash{}):
		return "it lacks the chain's first block"
	case !isAddress(r.Deployer):
		return "its deployer is no address"
	case !isLabel(r.Label):
		return "its label is none"
	case len(r.Members) == 0 || len(r.Members) > recordMembers:
		return "its vault has no members, or too many"
	case len(r.Contracts) > len(contracts.Names()):
		return "it lists too many contracts"
	}
	for _, m := range r.Members {
		if !isAddress(m.Address) || m.Shares.IsZero() {
			return "a member of its vault has no address or no shares"
		}
	}
	for n, c := range r.Contracts {
		if !slices.Contains(contracts.Names(), n) {
			return "it lists a contract that is none of these"
		}
		if !isAddress(c.Address) || c.TxHash != "" && !isHash(c.TxHash) {
			return "the address or transaction of " + string(n) + " is none"
		}
	}
	return ""
}

// writeRecord replaces the record at path. The caller holds the lock of its network.
func writeRecord(path string, r Record) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return store.WriteFile(path, append(b, '\n'))
}

// setAside renames a record that is of another chain or set, so that nothing is lost.
// It returns where it is now.
func setAside(path string, id string) (string, error) {
	to := path[:len(path)-len(".json")] + "." + id + ".json.old"
	if err := os.Rename(path, to); err != nil {
		return "", fault.Wrap(err, fault.StateUnusable, "%s can't be set aside", store.Display(path)).
			Hintf("move it away").WithSent(fault.SentNo)
	}
	return to, store.SyncDir(filepath.Dir(path))
}

// isAddress reports whether s is an address other than zero, in lower case.
func isAddress(s string) bool {
	return isHexOf(s, 40) && common.HexToAddress(s) != (common.Address{})
}

func isHash(s string) bool { return isHexOf(s, 64) }

func isHexOf(s string, digits int) bool {
	if len(s) != digits+2 || s[:2] != "0x" {
		return false
	}
	for _, r := range s[2:] {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return false
		}
	}
	return true
}

// isLabel reports whether s can name a set of contracts; "" names the usual one.
func isLabel(s string) bool {
	if len(s) > maxLabel {
		return false
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.' {
			return false
		}
	}
	return true
}
