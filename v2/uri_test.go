package v2_test

import (
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
)

// A URI that the journal can't keep as it is would leave what is mined without an
// outcome; one with signs that nobody sees would be read as another.
func TestURIsThatAreRefused(t *testing.T) {
	t.Parallel()
	h := newWorld(t).home(t, 2)
	p := h.open(t)
	for i, uri := range []string{
		"https://example.com/\xff", "https://example.com/\u202egnp.exe", "https://example.com/\u200b", "https://example.com/\u0085", "https://example.com/\ufffd",
		"https://example.com/\u2028", "file:///home/me", "https://me:secret@example.com/", "javascript:alert(1)", "https://",
	} {
		if _, err := p.ReceiptRecord(t.Context(), v2.ReceiptRecordIn{Trace: "t", Payload: "{}", URI: uri}); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%d %q: %v", i, uri, err)
		}
	}
	if _, err := p.ReceiptRecord(t.Context(), v2.ReceiptRecordIn{Trace: "t", Payload: "{}", URI: "https://exämple.com/ü"}); err != nil {
		t.Error(err)
	}
}
