// Package mcp offers the tools to MCP clients.
package mcp

import _ "github.com/modelcontextprotocol/go-sdk/mcp"
