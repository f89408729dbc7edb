package torture_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/v2/contracts"
)

// statement is the range of a statement in a source, and the function it is in.
type statement struct {
	File   string `json:"file"`
	Start  int    `json:"start"`
	Length int    `json:"length"`
	In     string `json:"in"`
}

// coverage counts what of the contracts was run. It looks at the build without
// the optimizer, whose instructions each belong to one place in the sources.
type coverage struct {
	built    *built
	creation map[contracts.Name]*measured
	runtime  map[contracts.Name]*measured
}

// measured is a contract's constructor or its functions.
type measured struct {
	code   []byte
	at     map[uint64]place // of each instruction, by its offset
	run    map[uint64]bool
	taken  map[uint64]bool // the JUMPIs that jumped
	passed map[uint64]bool // the JUMPIs that did not
}

// place is where in the sources an instruction is from.
type place struct {
	start, length, file int
	op                  vm.OpCode
}

func newCoverage(t testing.TB) *coverage {
	t.Helper()
	c := &coverage{built: mustBuilt(t), creation: map[contracts.Name]*measured{}, runtime: map[contracts.Name]*measured{}}
	for name, code := range c.built.Contracts {
		var err error
		if c.creation[name], err = measure(code.Creation); err != nil {
			t.Fatal(err)
		}
		if c.runtime[name], err = measure(code.Runtime); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c *coverage) init(n contracts.Name) []byte { return c.creation[n].code }

// measure reads a source map: s:l:f:j:m for each instruction, what is left out
// being as before.
func measure(s section) (*measured, error) {
	code, err := hex.DecodeString(s.Code)
	if err != nil {
		return nil, err
	}
	m := &measured{code: code, at: map[uint64]place{}, run: map[uint64]bool{}, taken: map[uint64]bool{}, passed: map[uint64]bool{}}
	var p place
	pc := 0
	for entry := range strings.SplitSeq(s.Map, ";") {
		if pc >= len(code) {
			return nil, fmt.Errorf("the source map goes on after the code")
		}
		fields := strings.Split(entry, ":")
		for i, into := range []*int{&p.start, &p.length, &p.file} {
			if i < len(fields) && fields[i] != "" {
				if *into, err = strconv.Atoi(fields[i]); err != nil {
					return nil, err
				}
			}
		}
		p.op = vm.OpCode(code[pc])
		m.at[uint64(pc)] = p
		pc++
		if p.op.IsPush() {
			pc += int(p.op - vm.PUSH0)
		}
	}
	return m, nil
}

// hooks watch one transaction of w.
func (c *coverage) hooks(w *world) *tracing.Hooks {
	var frames []*measured
	return &tracing.Hooks{
		OnEnter: func(_ int, typ byte, _, to common.Address, input []byte, _ uint64, _ *big.Int) {
			var m *measured
			switch vm.OpCode(typ) {
			case vm.CREATE, vm.CREATE2:
				for _, of := range c.creation {
					if bytes.HasPrefix(input, of.code) {
						m = of
					}
				}
			default:
				m = c.runtime[w.where[to]]
			}
			frames = append(frames, m)
		},
		OnExit: func(int, []byte, uint64, error, bool) { frames = frames[:len(frames)-1] },
		OnOpcode: func(pc uint64, op byte, _, _ uint64, scope tracing.OpContext, _ []byte, _ int, _ error) {
			m := frames[len(frames)-1]
			if m == nil {
				return
			}
			m.run[pc] = true
			if vm.OpCode(op) == vm.JUMPI {
				stack := scope.StackData()
				if stack[len(stack)-2].IsZero() {
					m.passed[pc] = true
				} else {
					m.taken[pc] = true
				}
			}
		},
	}
}

// ours says whether an instruction is from one of the contracts' own sources,
// not from OpenZeppelin's or from what the compiler adds to all programs.
func (c *coverage) ours(p place) bool { return c.built.Files[p.file] != "" }

// tally is what was reached of how much.
type tally struct{ branches, ofBranches, statements, ofStatements int }

// report tells for every contract what was reached, and lists what was not.
func (c *coverage) report(t *testing.T) (perContract map[contracts.Name]tally, missed []string) {
	t.Helper()
	sources := map[string][]byte{}
	for _, file := range c.built.Files {
		text, err := os.ReadFile("../" + file)
		if err != nil {
			t.Fatal(err)
		}
		sources[file] = text
	}
	where := func(file string, start, length int) string {
		text := sources[file]
		line := 1 + bytes.Count(text[:start], []byte("\n"))
		first, _, _ := strings.Cut(string(text[start:start+length]), "\n")
		return fmt.Sprintf("%s:%d: %s", file, line, first)
	}
	perContract = map[contracts.Name]tally{}
	has := make([]bool, len(c.built.Statements))
	for name := range c.built.Contracts {
		var sum tally
		for _, m := range []*measured{c.creation[name], c.runtime[name]} {
			for pc, p := range m.at {
				if p.op != vm.JUMPI || !c.ours(p) {
					continue
				}
				sum.ofBranches += 2
				for way, done := range map[string]bool{"jump": m.taken[pc], "no jump": m.passed[pc]} {
					if done {
						sum.branches++
						continue
					}
					missed = append(missed, fmt.Sprintf("%s: %s never at %d: %s", name, way, pc, where(c.built.Files[p.file], p.start, p.length)))
				}
			}
		}
		for i, s := range c.built.Statements {
			there, ran := false, false
			for _, m := range []*measured{c.creation[name], c.runtime[name]} {
				for pc, p := range m.at {
					if c.built.Files[p.file] == s.File && p.start >= s.Start && p.start+p.length <= s.Start+s.Length {
						there, ran = true, ran || m.run[pc]
					}
				}
			}
			if !there {
				continue
			}
			has[i] = true
			sum.ofStatements++
			if ran {
				sum.statements++
				continue
			}
			missed = append(missed, fmt.Sprintf("%s: never run: %s", name, where(s.File, s.Start, s.Length)))
		}
		perContract[name] = sum
	}
	for i, s := range c.built.Statements {
		if !has[i] {
			missed = append(missed, "in no contract: "+where(s.File, s.Start, s.Length))
		}
	}
	slices.Sort(missed)
	return perContract, missed
}

// Every branch of every contract, constructors included: each conditional jump
// that the source map places in our sources goes both ways, and each statement
// is run.
func TestEveryBranch(t *testing.T) {
	t.Parallel()
	cover := newCoverage(t)
	for _, s := range scenarios {
		if !t.Run(s.name, func(t *testing.T) { s.run(t, newWorld(t, cover)) }) {
			return
		}
	}
	got, missed := cover.report(t)
	same(t, "the number of contracts", len(got), len(contracts.Names()))
	for _, name := range contracts.Names() {
		t.Logf("%-16s %3d of %3d branches, %3d of %3d statements", name, got[name].branches, got[name].ofBranches, got[name].statements, got[name].ofStatements)
	}
	for _, e := range unreachable {
		i := slices.IndexFunc(missed, func(m string) bool {
			return strings.HasPrefix(m, string(e.contract)+": no jump never") && strings.HasSuffix(m, ": "+e.text)
		})
		if i < 0 {
			t.Errorf("%s: %s: it was reached, and is listed as unreachable", e.contract, e.text)
			continue
		}
		missed = slices.Delete(missed, i, i+1)
	}
	for _, m := range missed {
		t.Error(m)
	}
}

// unreachable are the conditional jumps that never fall through, since they are
// checks of the compiler's for what the contract has made sure of before.
var unreachable = []struct {
	contract contracts.Name
	text     string // in the source
	why      string
}{
	{contracts.PodVault, "members[i]", "the loop ends before the list does"},
	{contracts.PodVault, "shares_[i]", "the two lists were found to be as long"},
	{contracts.SkillRegistry, "_versions[skillId][index]", "index was found to be below the length"},
	{contracts.AgentAccount, "receipts.recordReceipt(traceIdHash, contentHash, subjectHash, uri)",
		"whether the registry has code: isRecorded has just answered from it"},
}

// The same against the contracts as they are deployed.
func TestDeployed(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t, newWorld(t, nil))
		})
	}
}

func createAddress(from common.Address, nonce uint64) common.Address {
	return crypto.CreateAddress(from, nonce)
}
