package provider

// Service is a known provider of models that speaks the OpenAI chat API.
type Service struct {
	Name        string `json:"name"`
	BaseURL     string `json:"baseUrl"`          // "" for other: the operator names it
	KeyEnv      string `json:"keyEnv,omitempty"` // the variable its own tools read
	KeyOptional bool   `json:"keyOptional,omitempty"`
	Setup       string `json:"setup"` // one sentence: how to get there
}

// ServiceOther is any service that is not listed: its base URL is named.
const ServiceOther = "other"

var services = []Service{
	{Name: "openai", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY",
		Setup: "make a key at platform.openai.com/api-keys; the account needs credit"},
	{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY",
		Setup: "make a key at openrouter.ai/keys; models are named vendor/model"},
	{Name: "groq", BaseURL: "https://api.groq.com/openai/v1", KeyEnv: "GROQ_API_KEY",
		Setup: "make a key at console.groq.com/keys"},
	{Name: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyEnv: "GEMINI_API_KEY",
		Setup: "make a key at aistudio.google.com/apikey"},
	{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1", KeyEnv: "OLLAMA_API_KEY", KeyOptional: true,
		Setup: "start it with: ollama serve, and fetch a model that knows tools with: ollama pull MODEL"},
	{Name: ServiceOther, KeyOptional: true,
		Setup: "name the base URL of a service that speaks the OpenAI chat API, such as https://models.example/v1"},
}

// Presets lists the known services in the order they are offered.
func Presets() []Service { return append([]Service(nil), services...) }

// Lookup returns the service of that name.
func Lookup(name string) (Service, bool) {
	for _, s := range services {
		if s.Name == name {
			return s, true
		}
	}
	return Service{}, false
}
