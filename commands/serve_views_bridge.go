package commands

import (
	"context"
	"net/http"
	"strconv"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// RequestsView is the newest transfers, of GET /api/bridge-requests. What became of them
// is as it was noted last: nobody is asked.
type RequestsView struct {
	OK       bool             `json:"ok"`
	Count    int              `json:"count"`
	Requests []bridge.Request `json:"requests"`
}

// RequestView is one transfer.
type RequestView struct {
	OK bool `json:"ok"`
	bridge.Request
}

func viewRequests(ctx context.Context, d *Deps, r *http.Request) (any, error) {
	limit := viewQuotesUsual
	if v := r.URL.Query().Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > viewQuotesMost {
			return nil, fault.New(fault.Usage, "limit is no whole number from 1 to %d", viewQuotesMost)
		}
		limit = n
	}
	db, err := d.stateDB(ctx)
	if err != nil {
		return nil, err
	}
	all, err := (bridge.Store{DB: db}).Recent(ctx, limit)
	if err != nil {
		return nil, err
	}
	out := RequestsView{OK: true, Count: len(all), Requests: []bridge.Request{}}
	for _, r := range all {
		r.Line = ""
		out.Requests = append(out.Requests, r)
	}
	return out, nil
}

func viewRequest(ctx context.Context, d *Deps, r *http.Request) (any, error) {
	db, err := d.stateDB(ctx)
	if err != nil {
		return nil, err
	}
	got, err := (bridge.Store{DB: db}).Load(ctx, r.PathValue("id"))
	if fault.CodeOf(err) == fault.NotFound {
		return nil, fault.New(fault.NotFound, "there is no such request").Hintf("the newest are at /api/bridge-requests")
	}
	if err != nil {
		return nil, err
	}
	got.Line = ""
	return RequestView{true, got}, nil
}
