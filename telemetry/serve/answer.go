package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// errorBody is the shape of every error answer.
type errorBody struct {
	Error   string         `json:"error"`
	Code    fault.Code     `json:"code"`
	Hint    string         `json:"hint,omitempty"`
	Details map[string]any `json:"details,omitempty"`

	// RetryAfterSeconds comes with 429, where clients of the published server
	// look for it.
	RetryAfterSeconds int   `json:"retryAfterSeconds,omitempty"`
	RetryAfterMs      int64 `json:"retryAfterMs,omitempty"`
}

// WriteError answers with err in the shape all routes share, under the HTTP
// status of its code, or 413 when reading the body found it too large. The text of
// a foreign error is not shown.
func WriteError(w http.ResponseWriter, err error) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		writeErrorStatus(w, http.StatusRequestEntityTooLarge, tooLargeBody(tooLarge.Limit))
		return
	}
	writeErrorStatus(w, Status(fault.CodeOf(err)), err)
}

// WriteJSON answers 200 with v as JSON.
func WriteJSON(w http.ResponseWriter, v any) { writeJSON(w, http.StatusOK, v) }

func writeErrorStatus(w http.ResponseWriter, status int, err error) {
	e := fault.From(err)
	writeJSON(w, status, errorBody{Error: e.Message, Code: e.Code, Hint: e.Hint, Details: e.Details})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false) // hints are read by people, and the type is no HTML
	if err := enc.Encode(v); err != nil {
		status = http.StatusInternalServerError
		body.Reset()
		body.WriteString(`{"error":"internal error","code":"internal"}` + "\n")
	}
	writeBody(w, status, body.Bytes())
}

// The headers of JSON are shared like protection's.
var jsonType, noStore = []string{"application/json; charset=utf-8"}, []string{"no-store"}

func jsonHeader(w http.ResponseWriter, status int) {
	h := w.Header()
	h["Content-Type"], h["Cache-Control"] = jsonType, noStore
	w.WriteHeader(status)
}

func writeBody(w http.ResponseWriter, status int, body []byte) {
	jsonHeader(w, status)
	// An error here is the client's going away: there is nobody left to tell.
	_, _ = w.Write(body)
}

// Status is the HTTP status that goes with a code.
func Status(code fault.Code) int {
	switch code {
	case fault.Usage, fault.InvalidArguments, fault.UnknownTool, fault.PermissionUnknown, fault.PermissionWrong, fault.PermissionMissing,
		fault.PermissionExcess, fault.LimitInvalid, fault.ModelUnavailable:
		return http.StatusBadRequest
	case fault.Auth, fault.ReauthRequired:
		return http.StatusUnauthorized
	case fault.PermissionDenied, fault.ToolDisabled, fault.SelfApproval, fault.TTYRequired:
		return http.StatusForbidden
	case fault.ActionExpired:
		return http.StatusGone
	case fault.StaleReference:
		return http.StatusUnprocessableEntity
	case fault.RateLimited, fault.CostCap, fault.ToolBudget, fault.LockedOut:
		return http.StatusTooManyRequests
	case fault.Timeout, fault.OutcomeUnknown:
		return http.StatusGatewayTimeout
	case fault.ProviderError, fault.ProviderAuth:
		return http.StatusBadGateway
	case fault.ActionNotPending, fault.ActionStale, fault.ConnInactive, fault.Killed, fault.NameTaken, fault.NoConnection:
		return http.StatusConflict
	case fault.ContractMissing:
		return http.StatusNotImplemented
	case fault.ApprovalRequired:
		return http.StatusAccepted
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Conflict, fault.QuoteUsed, fault.TxUnknown, fault.TxReverted, fault.Partial:
		return http.StatusConflict
	case fault.Upstream, fault.ChainMismatch, fault.ContractMismatch:
		return http.StatusBadGateway
	case fault.StateUnusable, fault.NotDurable, fault.Canceled:
		return http.StatusServiceUnavailable
	}
	if fault.IsGate(code) {
		return http.StatusForbidden
	}
	return http.StatusInternalServerError
}
