package agents

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"errors"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// InvitePrefix starts every invite, so that redactors know one when they see it.
const InvitePrefix = "inv_"

// Bounds of invites. What is asked beyond them is clamped.
const (
	MinInviteTTL     = time.Minute
	MaxInviteTTL     = 7 * 24 * time.Hour
	DefaultInviteTTL = 24 * time.Hour
	MaxInviteUses    = 5

	maxInvites = 1024 // that are open at once
)

// InviteTerms is what an invite is good for. Zero fields have defaults: a day, one use.
type InviteTerms struct {
	TTL  time.Duration
	Uses int
}

// Clamped returns the terms within the bounds of invites.
func (t InviteTerms) Clamped() InviteTerms {
	if t.TTL == 0 {
		t.TTL = DefaultInviteTTL
	}
	return InviteTerms{min(max(t.TTL, MinInviteTTL), MaxInviteTTL), min(max(t.Uses, 1), MaxInviteUses)}
}

// Invite is an invite without its secret.
type Invite struct {
	UsesLeft int
	Expires  time.Time
}

// Invite makes an invite and returns its secret, which nothing can show again.
func (r *Registry) Invite(ctx context.Context, t InviteTerms) (Invite, string, error) {
	db, err := r.db(ctx, true)
	if err != nil {
		return Invite{}, "", err
	}
	t = t.Clamped()
	secret, hash := newToken(InvitePrefix)
	now := r.now().UTC().Truncate(time.Millisecond)
	inv := Invite{UsesLeft: t.Uses, Expires: now.Add(t.TTL)}
	err = r.write(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM invites WHERE expires_at <= ? OR uses_left = 0`, now.UnixMilli()); err != nil {
			return store.DBFault(err, store.StateFile)
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO invites (token_hash, uses_left, created_at, expires_at)
			SELECT ?, ?, ?, ? WHERE (SELECT count(*) FROM invites) < ?`, hash[:], inv.UsesLeft, now.UnixMilli(), inv.Expires.UnixMilli(), maxInvites)
		if err != nil {
			return store.DBFault(err, store.StateFile)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return fault.New(fault.Conflict, "%d invites are open, which is all there can be", maxInvites).
				Hintf("wait until some are redeemed or expire")
		}
		return nil
	})
	if err != nil {
		return Invite{}, "", err
	}
	return inv, secret, nil
}

// InviteRefused is the one answer to an invite that is not accepted, whether it is
// unknown, used up or expired.
func InviteRefused() *fault.Error {
	return fault.New(fault.Auth, "this invite is not accepted").
		Hintf("it may be used up or expired; on the machine that serves, this makes a new one: ape-claw clawbot invite")
}

// RegisterInvited is Register for who holds an invite. The invite is used up by a
// registration that succeeds, together with it, and by nothing else.
func (r *Registry) RegisterInvited(ctx context.Context, id, name, invite string) (Agent, string, error) {
	return r.register(ctx, id, name, func(tx *sql.Tx) error { return r.redeem(ctx, tx, invite) })
}

// redeem takes one use of an invite. Whatever is wrong with it is the same error
// after the same work: one hash, one comparison in constant time.
func (r *Registry) redeem(ctx context.Context, tx *sql.Tx, invite string) error {
	hash := sha256.Sum256([]byte(invite))
	rec, err := r.findInvite(ctx, tx, hash)
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare(hash[:], rec.hash[:])&rec.open != 1 {
		return InviteRefused()
	}
	_, err = tx.ExecContext(ctx, `UPDATE invites SET uses_left = uses_left - 1 WHERE token_hash = ?`, hash[:])
	return store.DBFault(err, store.StateFile)
}

// inviteRecord is what is stored about an invite for a check of it.
type inviteRecord struct {
	hash [sha256.Size]byte
	open int // 1 or 0
}

// findInvite returns the record of an invite by its hash; for one that is unknown
// a record that nothing fits.
func (r *Registry) findInvite(ctx context.Context, tx *sql.Tx, hash [sha256.Size]byte) (inviteRecord, error) {
	var rec inviteRecord
	var stored []byte
	err := tx.QueryRowContext(ctx, `SELECT token_hash, uses_left > 0 AND expires_at > ? FROM invites WHERE token_hash = ?`,
		r.now().UnixMilli(), hash[:]).Scan(&stored, &rec.open)
	if errors.Is(err, sql.ErrNoRows) {
		return rec, nil
	}
	copy(rec.hash[:], stored)
	return rec, store.DBFault(err, store.StateFile)
}
