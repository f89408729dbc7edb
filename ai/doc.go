// Package ai gives models the commands as tools: the registry, the providers
// and connections, actions that wait for a person's approval, and the MCP
// server. It imports no domain package: commands hands it its tools. What a
// model or a page says is data here, never authority.
package ai
