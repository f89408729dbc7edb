// Package skill reads skill cards: the documents that say what a skill is, and
// whose hashes are published on chain.
package skill
