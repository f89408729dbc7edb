// Package api is the HTTP face of the AI part, under /api/ai.
package api
