// Package provider talks to models: the OpenAI-shaped API of many services.
package provider

import _ "github.com/sashabaranov/go-openai"
