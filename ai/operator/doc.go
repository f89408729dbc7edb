// Package operator knows the person: the passphrase, its tries, the token and the sessions of a browser.
package operator
