package commands

import (
	"context"
	"fmt"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

func v2VaultCommands() []Command { return []Command{newV2VaultStatus(), newV2VaultRelease()} }

func vaultFlag(address string) v2Flag { return v2Flag{contracts.PodVault, "--vault", address} }

func newV2VaultStatus() Command {
	return define(Spec{Name: "v2 vault status", Short: "Show who shares the revenue vault, and what each is due",
		Long: `Read the vault's members from the chain, with their shares, what each can have released
now, and what each was paid. With --erc20 it tells the same of a token.`,
		Example: "  ape-claw v2 vault status",
		Events:  []string{"v2.vault.read"}, Risk: RiskRead, Permission: "v2:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in v2.VaultStatusIn) (v2.VaultStatusOut, error) {
			s, err := d.v2(ctx, vaultFlag(in.Vault))
			if err != nil {
				return v2.VaultStatusOut{}, err
			}
			out, err := s.VaultStatus(ctx, in)
			if err != nil {
				return out, err
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "v2.vault.read", ChainID: out.ChainID,
				Result: map[string]any{"vault": out.Vault, "members": len(out.Members), "balanceWei": out.Balance}})
		},
		printVault)
}

func printVault(p *Printer, out v2.VaultStatusOut) {
	p.Head("The vault on %s has %s", out.Network, counted(len(out.Members), "member"))
	p.KV("vault", out.Vault, "balance", out.BalanceApe.String()+" APE", "shares in all", out.TotalShares)
	head := []string{"MEMBER", "SHARES", "DUE (APE)", "PAID (APE)"}
	if out.Token != nil {
		p.KV("token", out.Token.Address)
		head = append(head, "DUE (TOKEN)", "PAID (TOKEN)")
	}
	rows := make([][]string, 0, len(out.Members))
	for _, m := range out.Members {
		row := []string{m.Address, m.Shares, m.Pending.Decimal(units.APEDecimals), m.Released.Decimal(units.APEDecimals)}
		if m.PendingToken != nil && m.ReleasedToken != nil {
			row = append(row, fmt.Sprint(*m.PendingToken), fmt.Sprint(*m.ReleasedToken))
		}
		rows = append(rows, row)
	}
	p.Table(head, rows)
}

func newV2VaultRelease() Command {
	return define(Spec{Name: "v2 vault release", Short: "Pay a member's share out of the vault: a dry run, and with --execute for real",
		Long: `Have the vault pay a member what it is due, in APE or, with --erc20, in a token. Anyone
may do it, and pays the gas; it always goes to the member.`,
		Example: "  ape-claw v2 vault release --member 0x…\n  ape-claw v2 vault release --member 0x… --erc20 0x…",
		Events:  settling("v2.tx.dry_run"), Risk: RiskHigh, Permission: "v2:vault:release", AI: Exposure{Class: AITool, Grade: ai.GradeHigh, Identifiers: []string{"vault", "member", "pendingNative"}, Untrusted: true, About: aboutVaultRelease}},
		func(ctx context.Context, d *Deps, in v2.VaultReleaseIn) (v2.VaultReleaseOut, error) {
			s, err := d.v2Asking(ctx, in.Go, vaultFlag(in.Vault))
			if err != nil {
				return v2.VaultReleaseOut{}, err
			}
			return s.VaultRelease(ctx, in)
		},
		func(p *Printer, out v2.VaultReleaseOut) {
			printSent(p, out.Sent, "member", out.Member, "token", out.Token)
		})
}
