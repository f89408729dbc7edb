// Package connection keeps AI connections, their sealed secrets, their use and the MCP tokens, in the home.
package connection
