package skill

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"strings"

	"github.com/ape-claw/ape-claw/store"
)

// maxIndex bounds the index file, in bytes.
const maxIndex = 1 << 30

// index is what a search looks through: a line for the newest version of each slug, in
// their order, of slug, source, content hash and words with tabs between. None of them
// holds a tab or a line break: words are made of fields. The file is a copy of what the
// database has; one that is of other cards, or can't be read, is made anew.
func (l *Library) index(ctx context.Context, db *sql.DB) (lines string, err error) {
	var generation string
	err = db.QueryRowContext(ctx, `SELECT generation FROM skill_index WHERE id = 1`).Scan(&generation)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if first, lines, ok := strings.Cut(l.readIndex(), "\n"); ok && first == generation {
		return lines, nil
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return "", err
	}
	generation, lines, err = makeIndex(ctx, tx)
	if err = errors.Join(err, tx.Rollback()); err != nil {
		return "", err
	}
	_ = l.writeIndex(generation, lines) // the next search makes it again
	return lines, nil
}

// readIndex reads the file; "" where there is none that can be read.
func (l *Library) readIndex() string {
	f, err := store.OpenPrivate(l.file, 0)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // only read
	fi, err := f.Stat()
	if err != nil || fi.Size() > maxIndex {
		return ""
	}
	var b strings.Builder
	b.Grow(int(fi.Size()) + 1)
	if _, err := io.Copy(&b, io.LimitReader(f, maxIndex)); err != nil {
		return ""
	}
	return b.String()
}

func (l *Library) writeIndex(generation, lines string) error {
	return store.WriteFile(l.file, []byte(generation+"\n"+lines))
}

// makeIndex reads the index's lines from the cards themselves.
func makeIndex(ctx context.Context, tx *sql.Tx) (generation, lines string, err error) {
	if err := tx.QueryRowContext(ctx, `SELECT generation FROM skill_index WHERE id = 1`).Scan(&generation); err != nil {
		return "", "", err
	}
	rows, err := tx.QueryContext(ctx, `SELECT slug, source, content_hash, words FROM skill_cards WHERE latest = 1 ORDER BY slug`)
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	for rows.Next() {
		var slug, source, hash, text string
		if err := rows.Scan(&slug, &source, &hash, &text); err != nil {
			return "", "", errors.Join(err, rows.Close())
		}
		b.WriteString(slug + "\t" + source + "\t" + hash + "\t" + text + "\n")
	}
	return generation, b.String(), errors.Join(rows.Err(), rows.Close())
}

// change changes the cards, and gives the index a new generation with it: the next
// search makes it anew.
func (l *Library) change(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO skill_index (id, generation) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET generation = excluded.generation`, store.NewID(""))
		return err
	})
}
