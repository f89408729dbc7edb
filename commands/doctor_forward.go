package commands

import (
	"context"
	"net/http"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/forward"
)

// forwarding tells what keeps events from the remote server.
func (r *checkup) forwarding(ctx context.Context, cfg *Config) {
	if cfg.TelemetryURL.Value == "" || !r.stateOK {
		return
	}
	st, err := r.d.forwardStatus(ctx)
	if err != nil {
		r.warn("forwarding: %s", sentence(err))
		return
	}
	r.out.Forwarding = &st
	boxes, err := r.d.outboxes()
	if err == nil && len(boxes) > 0 {
		if err := boxes[0].Missing(); err != nil {
			r.warn("%s", sentence(err))
			if fault.CodeOf(err) == fault.Auth {
				r.next("ape-claw auth set --agent-id my-agent-1 --agent-token -")
			}
		}
	}
	switch b := st.Breaker; {
	case b.Open:
		r.warn("forwarding to %s is paused until %s after %s: %s", cfg.remoteHost(), b.Until, counted(int64(b.Failures), "failure"), st.LastError)
		r.nextSend(st)
	case b.Failures > 0:
		r.warn("forwarding to %s failed the last time: %s", cfg.remoteHost(), st.LastError)
		r.nextSend(st)
	}
	if n := st.Others.Events; n > 0 {
		r.warn("waiting for the credentials of the agents that recorded them: %s", counted(n, "event"))
	}
	if st.Dead > 0 {
		r.warn("the remote server refused %s for good", counted(st.Dead, "event"))
		r.next("ape-claw events flush --dead")
	}
	if st.Lost.Bytes > 0 {
		r.warn("lost before they could be forwarded, with parts of the log that were removed: about %s (%d bytes); telemetry.keepBytes keeps more", counted(st.Lost.Events, "event"), st.Lost.Bytes)
	}
	if cfg.RemoteOnly {
		r.warn("APE_CLAW_TELEMETRY_REMOTE_ONLY: the log in %s does not get this machine's events", store.Display(cfg.StateDir))
	}
}

// nextSend says what lets events go on, when the last try did not.
func (r *checkup) nextSend(st forward.Status) {
	if refusedAgent(st.LastStatus) {
		r.next("ape-claw auth set --agent-token -")
	}
	r.next("ape-claw events flush")
}

// refusedAgent reports whether a status says that credentials are not accepted.
func refusedAgent(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// forwardText is where events go and how many wait, in a few words; empty where none
// are sent.
func forwardText(st *forward.Status) string {
	if st == nil {
		return ""
	}
	if st.Pending.Events == 0 {
		return st.URL
	}
	return st.URL + ", waiting: " + counted(st.Pending.Events, "event")
}
