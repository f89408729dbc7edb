package connection

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Status says whether a connection answers.
type Status string

// The statuses. Active and Disabled are the operator's; ReauthRequired and Failed
// leave by a verification that succeeds, Capped with the next day (UTC) or a
// higher cap. Capped, and ReauthRequired for a key that is missing, are found out
// when a connection is looked at: they are not stored.
const (
	Active         Status = "active"
	Disabled       Status = "disabled"
	ReauthRequired Status = "reauth_required"
	Failed         Status = "error"
	Capped         Status = "capped"
)

// ProviderOpenAI is the one kind of provider so far: the OpenAI-shaped HTTP API.
const ProviderOpenAI = "openai-api"

// Secret is a key on its way in. It prints, logs and marshals as nothing of it.
type Secret string

// String hides the key.
func (Secret) String() string { return "***" }

// GoString hides the key from %#v too.
func (Secret) GoString() string { return "***" }

// LogValue hides the key from logs.
func (Secret) LogValue() slog.Value { return slog.StringValue("***") }

// in reports whether a text holds the key.
func (s Secret) in(text string) bool { return s != "" && strings.Contains(text, string(s)) }

// MarshalJSON hides the key.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"[redacted]"`), nil }

// Connection is a model as it may be shown: there is no secret in it.
type Connection struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"` // case-folded
	Provider string          `json:"provider"`
	Service  string          `json:"service"` // the preset it was made from: openai, ollama, other, …
	BaseURL  string          `json:"baseUrl"`
	Model    string          `json:"model,omitempty"` // pinned; "" lets the tier choose
	Tiers    map[Tier]string `json:"tiers,omitempty"`
	Identity Identity        `json:"identity"`
	Tools    ai.Preset       `json:"tools"`
	Caps     Caps            `json:"caps"`
	Prices   Prices          `json:"prices,omitempty"`
	Default  bool            `json:"default"`
	Key      Key             `json:"key"`

	Status     Status    `json:"status"`
	LastError  string    `json:"lastError,omitempty"`
	Models     []string  `json:"models"` // what the provider listed
	VerifiedAt time.Time `json:"verifiedAt,omitzero"`
	Version    int64     `json:"version"`
	CreatedAt  time.Time `json:"createdAt"`
	UpdatedAt  time.Time `json:"updatedAt"`
}

// MarshalJSON writes the times with milliseconds, as everything here does.
func (c Connection) MarshalJSON() ([]byte, error) {
	type plain Connection // without this method
	return json.Marshal(struct {
		plain
		VerifiedAt string `json:"verifiedAt,omitempty"`
		CreatedAt  string `json:"createdAt,omitempty"`
		UpdatedAt  string `json:"updatedAt,omitempty"`
	}{plain(c), stamp(c.VerifiedAt), stamp(c.CreatedAt), stamp(c.UpdatedAt)})
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Key is all that is shown of a key.
type Key struct {
	Has  bool   `json:"hasKey"`
	Hint string `json:"hint,omitempty"` // its last 4 characters, when it has enough of them
	Env  string `json:"keyEnv,omitempty"`
}

// Identity is who a model is told to be. Each part has at most MaxIdentity
// characters.
type Identity struct {
	Role         string `json:"role,omitempty"`
	Traits       string `json:"traits,omitempty"`
	Instructions string `json:"instructions,omitempty"`
}

// MaxIdentity bounds each part of an Identity, in characters.
const MaxIdentity = 2000

// AgentID is who the events of the connection are from.
func (c Connection) AgentID() string { return "conn:" + c.Name }

// Offers returns a fault.ModelUnavailable unless the provider lists model, or
// lists nothing.
func (c Connection) Offers(model string) error {
	if len(c.Models) == 0 || slices.Contains(c.Models, model) {
		return nil
	}
	return fault.New(fault.ModelUnavailable, "connection %s does not list this model", c.Name).
		Hintf("ape-claw ai connections show %s lists them; ape-claw ai connections verify %s asks again", c.Name, c.Name)
}

// Choose is the model of a step: the one asked for, else the pinned one, else the
// tier's, else the only one there is.
func (c Connection) Choose(asked string, t Tier) (string, error) {
	for _, m := range []string{asked, c.Model, c.Tiers[t]} {
		if m != "" {
			return m, c.Offers(m)
		}
	}
	if len(c.Models) == 1 {
		return c.Models[0], nil
	}
	return "", fault.New(fault.ModelUnavailable, "connection %s has no model chosen", c.Name).
		Hintf("ape-claw ai connections set %s --model <model>; ape-claw ai connections verify %s lists them", c.Name, c.Name)
}
