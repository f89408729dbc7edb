// Package action keeps what models proposed, what people decided, and what came
// of it. An action is one row of the state database, and this is its life:
//
//	          ┌─ reject ──▶ rejected    a person said no, with a reason
//	          ├─ cancel ──▶ cancelled   the kill switch, or another proposal in its place
//	proposed ─┼─ expire ──▶ expired     ten minutes, or the quote's own end if sooner
//	          └─ approve ─▶ executing ─▶ executed
//	                              └────▶ failed ──▶ executed
//
// The last arrow is reconciliation: what failed with outcome "unknown" (a timeout,
// a crash, an answer that never came) is never run again, and moves on only when
// the log of events shows that it happened.
//
// Leaving proposed is one UPDATE over id, state, version, expiry and the hash of
// the facts: exactly one process of all that try gets the row, and that one
// executes. What a row says is data, as the state directory may be anybody's: the
// facts are computed anew before they are shown for approval, and once more before
// the execution, and what differs refuses.
//
// A row is stored before its event is told, and names the events that are untold: what
// a killed process left, whoever looks next tells, unless the log has it already.
package action
