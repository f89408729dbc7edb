// Package model is a local model service that speaks the OpenAI chat API and plays
// a script: it stands in for a provider, faults included.
package model
