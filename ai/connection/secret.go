package connection

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ape-claw/ape-claw/store"
)

// SetSecret seals a key for a connection, or forgets the stored one when it is "".
// What the connection's status is stays so until a verification succeeds.
func (s *Store) SetSecret(ctx context.Context, ref string, v Secret) (Connection, error) {
	if err := s.checkKey(v); err != nil {
		return Connection{}, err
	}
	s.loaded(string(v))
	var key []byte
	if v != "" {
		if _, err := s.Show(ctx, ref); err != nil { // no key file for what does not exist
			return Connection{}, err
		}
		var err error
		if key, err = s.makeKey(ctx); err != nil {
			return Connection{}, err
		}
	}
	var r row
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		if r, err = find(ctx, tx, ref); err != nil {
			return err
		}
		var sealed []byte
		if v != "" {
			if sealed, err = seal(key, v, r.id, r.doc.BaseURL); err != nil {
				return err
			}
		}
		if err := s.putSecret(ctx, tx, r.id, sealed); err != nil {
			return err
		}
		r.doc.Hint = hint(v)
		r, err = s.put(ctx, tx, r)
		return err
	})
	if err != nil {
		return Connection{}, err
	}
	change := "key"
	if v == "" {
		change = "key_forgotten"
	}
	return s.told(ctx, r, change)
}

// Remove forgets a connection and its key, also one that can't be read. What it
// used today stays counted.
func (s *Store) Remove(ctx context.Context, ref string) (Connection, error) {
	db, err := s.look(ctx)
	if err == nil && db == nil {
		err = unknown()
	}
	if err != nil {
		return Connection{}, err
	}
	r := row{doc: doc{Provider: ProviderOpenAI}}
	err = s.write(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT id, name, status FROM connections WHERE name = ? OR id = ?`, fold(ref), ref).Scan(&r.id, &r.name, &r.status)
		if errors.Is(err, sql.ErrNoRows) {
			return unknown()
		}
		if err != nil {
			return store.DBFault(err, store.AIFile)
		}
		if err := s.putSecret(ctx, tx, r.id, nil); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM connections WHERE id = ?`, r.id)
		return store.DBFault(err, store.AIFile)
	})
	if err != nil {
		return Connection{}, err
	}
	return Connection{ID: r.id, Name: r.name, Provider: r.doc.Provider, Status: r.status, Models: []string{}}, s.changed(ctx, r, "removed")
}
