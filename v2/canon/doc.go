// Package canon writes JSON in the one form that is hashed: the keys of every
// object sorted by UTF-16 code unit, no space between tokens, strings and numbers
// as ECMAScript's JSON.stringify writes them. It works on the text of a document,
// since Go's values lose what counts here: lone surrogates, and which number a
// literal stands for.
package canon
