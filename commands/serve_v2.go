package commands

import (
	"context"
	"net/http"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
	"github.com/ape-claw/ape-claw/v2/api"
)

// v2Mounts are the routes that read the v2 contracts. What they show is public on
// the chain: who may read events may read them.
func (d *Deps) v2Mounts() map[string]http.Handler {
	return map[string]http.Handler{"GET " + api.Prefix: api.New(api.Options{
		Open: d.openV2, Fail: serve.WriteError, Now: d.host.Now,
		Log: func(route string, err error) {
			d.logger().Warn("read the contracts", "route", route, "cause", fault.From(err).Message)
		},
	})}
}

// openV2 composes what one request reads with: policy, deployment record and
// configuration are read anew, the connection to the node is this process's.
func (d *Deps) openV2(ctx context.Context) (api.Reads, func(), error) {
	child := d.child(servedSpec(), ai.Scope{Source: "serve"})
	s, err := child.v2(ctx)
	if err != nil {
		child.close()
		return nil, nil, err
	}
	return s.Reads(), child.close, nil
}
