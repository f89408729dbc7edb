package api

import "github.com/ape-claw/ape-claw/telemetry/fault"

// maxKey is more than any key needs, in bytes.
const maxKey = 4 << 10

func listConnections(q *request) (any, error) { return q.back.Connections.List(q.Context()) }

func usage(q *request) (any, error) { return q.back.Connections.Usage(q.Context()) }

func showConnection(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	return q.back.Connections.Show(q.Context(), id)
}

func addConnection(q *request) (any, error) {
	var in ConnectionIn
	if err := q.decode(&in); err != nil {
		return nil, err
	}
	return q.back.Connections.Add(q.Context(), in)
}

// setConnection wants the passphrase where a key would go elsewhere, or another
// key be used.
func setConnection(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	var in ConnectionIn
	if err := q.decode(&in); err != nil {
		return nil, err
	}
	if in.Key != nil {
		return nil, fault.New(fault.Usage, "a key is set at /api/ai/connections/{id}/secret")
	}
	if in.BaseURL != nil || in.Service != nil || in.KeyEnv != nil {
		if err := q.stepUp(); err != nil {
			return nil, err
		}
	}
	return q.back.Connections.Set(q.Context(), id, in)
}

func removeConnection(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	if err := q.nothing(); err != nil {
		return nil, err
	}
	return q.back.Connections.Remove(q.Context(), id)
}

func verifyConnection(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	if err := q.nothing(); err != nil {
		return nil, err
	}
	return q.back.Connections.Verify(q.Context(), id)
}

// setSecret seals a key; an empty one forgets it.
func setSecret(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	var in struct {
		Key string `json:"key"`
	}
	if err := q.decode(&in); err != nil {
		return nil, err
	}
	if len(in.Key) > maxKey {
		return nil, fault.New(fault.Usage, "a key is at most %d bytes", maxKey)
	}
	return q.back.Connections.SetSecret(q.Context(), id, in.Key)
}
