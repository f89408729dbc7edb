// Package mcp offers the tools to MCP clients: over stdin and stdout to a
// program on this machine, over HTTP to one that has a token. A client can read
// and it can propose; to approve there is no tool.
package mcp
