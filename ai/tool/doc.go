// Package tool is the registry of tools and the one way from a tool call, whoever makes it, to its result.
package tool
