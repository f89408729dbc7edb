// Package action keeps what models proposed, what people decided, and what came of it.
package action
