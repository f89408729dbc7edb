// Package operator is the person who approves: a passphrase that only a person
// knows, the token and the browser sessions by which serve knows who asks, and the
// tokens of MCP clients, which can never approve.
//
// What it holds against whom: an agent with a shell of the same account can read
// operator.token and the database, and so look and ask as the operator; it does not
// know the passphrase, which approvals ask for. It could write the database itself,
// though, or replace it: the boundary against that is an account of its own for
// agents.
package operator
