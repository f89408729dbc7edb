package commands

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/pod"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// mostPodBody bounds what a request to stop may say.
const mostPodBody = 4 << 10

// podMounts are the routes of the workspace: how it stands, for whoever may read events,
// and its stop, for whoever says who it is. Neither takes nor tells a path: which
// workspace it is, this machine's settings say.
func (d *Deps) podMounts() map[string]http.Handler {
	turns := make(chan struct{}, viewsAtOnce)
	return map[string]http.Handler{
		"GET /api/pod/status": d.view(view{"the workspace", nil, viewPod}, turns),
		"POST /api/pod/stop":  serve.Private(http.HandlerFunc(d.servePodStop)),
	}
}

func viewPod(_ context.Context, d *Deps, _ *http.Request) (any, error) {
	w, err := d.podIn("")
	if isCode(err, fault.NotFound) {
		return pod.None(), nil
	}
	if err != nil {
		return nil, err
	}
	return w.Status(d.host.Now())
}

// servePodStop raises the flag in the name of who asks. There may be no body.
func (d *Deps) servePodStop(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Reason string `json:"reason"`
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostPodBody))
	if err := dec.Decode(&in); err != nil && !errors.Is(err, io.EOF) {
		serve.WriteError(w, fault.New(fault.Usage, "the body is not JSON of at most %d bytes", mostPodBody).Hintf(`{"reason":"looks wrong"}, or nothing`))
		return
	}
	if len([]rune(in.Reason)) > 200 {
		serve.WriteError(w, fault.New(fault.Usage, "the reason is longer than 200 characters"))
		return
	}
	out, err := d.podStopFor(r.Context(), serve.AgentID(r), in.Reason)
	if err != nil {
		d.logger().Warn("stop the workspace's run", "cause", fault.From(err).Message)
		serve.WriteError(w, plainPod(err))
		return
	}
	serve.WriteJSON(w, out)
}

// podStopFor stops as the command does, and leaves its event.
func (d *Deps) podStopFor(ctx context.Context, agent, reason string) (any, error) {
	child := d.child(newPodStop().Spec, ai.Scope{AgentID: agent, Source: "serve"})
	defer child.close()
	dir, err := child.podDir("")
	if err != nil {
		return nil, err
	}
	st, err := viewPod(ctx, child, nil)
	if err != nil {
		return nil, err
	}
	if s, ok := st.(pod.Status); ok && s.Status == pod.NotInitialized {
		return nil, fault.New(fault.NotFound, "there is no workspace").Hintf("on the machine: ape-claw pod init")
	}
	out, err := podStop(ctx, child, PodStopIn{PodIn: PodIn{Dir: dir}, Reason: reason}, agent)
	if err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "action": out.Action, "already": out.Already}, nil
}

// plainPod is an error without the workspace's path.
func plainPod(err error) error {
	if isCode(err, fault.NotFound) {
		return fault.New(fault.NotFound, "there is no workspace").Hintf("on the machine: ape-claw pod init")
	}
	return fault.New(fault.StateUnusable, "the workspace can't be used now").Hintf("on the machine: ape-claw pod status")
}
