package v2

import (
	"encoding/json"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/v2/canon"
)

// VersionHash names a version of a skill on chain; "" is "0.0.0".
func VersionHash(version string) common.Hash {
	if version == "" {
		version = "0.0.0"
	}
	return crypto.Keccak256Hash([]byte(version))
}

// TraceIDHash names a trace on chain.
func TraceIDHash(traceID string) common.Hash { return crypto.Keccak256Hash([]byte(traceID)) }

// SubjectHash names on chain whom a receipt is about, in words: "agent:<id>" mostly.
func SubjectHash(subject string) common.Hash { return crypto.Keccak256Hash([]byte(subject)) }

// ReceiptContent is the canonical JSON of what a receipt is of: its subject, in
// words, and its payload, which is JSON text.
func ReceiptContent(subject string, payload []byte) ([]byte, error) {
	if _, err := canon.JSON(payload); err != nil {
		return nil, err // what is no document of its own must not end the outer one
	}
	text, err := json.Marshal(subject)
	if err != nil {
		return nil, err
	}
	whole := append(append([]byte(`{"subject":`), text...), `,"payload":`...)
	return canon.JSON(append(append(whole, payload...), '}'))
}

// ReceiptHash is the content hash of a receipt of subject and payload.
func ReceiptHash(subject string, payload []byte) (common.Hash, error) {
	content, err := ReceiptContent(subject, payload)
	if err != nil {
		return common.Hash{}, err
	}
	return crypto.Keccak256Hash(content), nil
}
