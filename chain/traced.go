package chain

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"
)

// TracedTx returns the transactions that were made under one of the traces, whatever
// became of them, the oldest first. Like FindTx it needs no key, node or lock.
func TracedTx(ctx context.Context, db *sql.DB, now func() time.Time, traces []string) ([]OpenTx, error) {
	list, err := json.Marshal(traces)
	if err != nil {
		return nil, err
	}
	rs, err := journal{db, now}.query(ctx, `SELECT `+recordColumns+` FROM tx WHERE json_valid(context)
		AND json_extract(context, '$.scope.traceId') IN (SELECT value FROM json_each(?)) ORDER BY created_at, rowid`, string(list))
	if err != nil {
		return nil, err
	}
	out := make([]OpenTx, 0, len(rs))
	for _, r := range rs {
		out = append(out, r.open(now()))
	}
	return out, nil
}
