// Package chat keeps conversations and runs their turns.
package chat
