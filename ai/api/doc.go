// Package api is the HTTP face of the AI part, under /api/ai: what the operator's
// page and scripts see and do. It checks who asks, what is asked and whether the
// passphrase was given lately; the packages beside it decide the rest.
package api
