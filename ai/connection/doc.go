// Package connection keeps the models that are connected: where each is, what it
// is called, which tools it has, what it may cost, and its key, sealed. All of it
// is in the home, beside the key of the wallet and not in a state directory that
// somebody else may have prepared.
//
// What an agent with a shell can do here. It runs as the same user, so it can read
// ai.db and ai.key and open what is sealed, as it can read auth.json; sealing keeps
// keys out of backups of the database alone, logs and eyes. What this package and
// its commands hold against such an agent is what it could make others do for it: a
// key is never sent to an address it was not given for (the seal is bound to the
// connection's id and base URL, and a new base URL drops the key and the variable's
// name), a connection can't name one of our own secrets as its variable, and once
// the operator has a passphrase (ai auth init), keys, variables and addresses change
// only with it. Before that, a script may add a connection whose key is in a
// variable: the script has that variable itself.
package connection
