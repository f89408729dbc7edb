package telemetry

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"strconv"
	"strings"
)

// Bounds of what is remembered. Who has not been heard of for longest is forgotten
// first: a retry comes within minutes or days.
const (
	maxOutboxes      = 1 << 16 // of all agents together
	maxAgentOutboxes = 256     // machines and state directories of one agent
	maxExactIDs      = 1 << 16
)

// outboxPrefix begins the name of an outbox, and with it the ids of what it sends.
const outboxPrefix = "ob-"

// idKey stands for an agent and an eventId of its own.
type idKey [16]byte

// seenIDs knows which events a log has: of each outbox of an agent the highest
// sequence, since an outbox sends in order; of other ids themselves.
type seenIDs struct {
	agents map[string]*list.Element // of *seenAgent
	recent *list.List               // the agent heard of last first
	count  int                      // of outboxes
	exact  map[idKey]struct{}
	ring   []idKey // in their order, next the oldest once it is full
	next   int
}

type seenAgent struct {
	id       string
	outboxes map[string]*list.Element // of *seenOutbox
	recent   *list.List
}

type seenOutbox struct {
	name string
	high int64
}

func newSeenIDs() *seenIDs {
	return &seenIDs{agents: map[string]*list.Element{}, recent: list.New(), exact: map[idKey]struct{}{}}
}

// eventID is an eventId, taken apart.
type eventID struct {
	outbox string // "" when it is not of an outbox
	seq    int64
	key    idKey // when it is not
}

// parseID takes the eventId of an agent's event apart. <outbox>/<sequence> has rising
// sequences; whatever else looks like that is an id like others.
func parseID(agent, id string) eventID {
	if outbox, num, ok := strings.Cut(id, "/"); ok && strings.HasPrefix(outbox, outboxPrefix) && num != "" && num[0] != '0' && len(num) < 19 {
		if n, err := strconv.ParseUint(num, 10, 63); err == nil {
			return eventID{outbox: outbox, seq: int64(n)}
		}
	}
	sum := sha256.Sum256([]byte(agent + "\x00" + id))
	return eventID{key: idKey(sum[:])}
}

// has reports whether the log has the event.
func (s *seenIDs) has(agent string, id eventID) bool {
	if id.outbox == "" {
		_, ok := s.exact[id.key]
		return ok
	}
	if el := s.agents[agent]; el != nil {
		if box := el.Value.(*seenAgent).outboxes[id.outbox]; box != nil {
			return id.seq <= box.Value.(*seenOutbox).high
		}
	}
	return false
}

// add notes that the log has the event.
func (s *seenIDs) add(agent string, id eventID) {
	if id.outbox == "" {
		s.addExact(id.key)
		return
	}
	el := s.agents[agent]
	if el == nil {
		el = s.recent.PushFront(&seenAgent{agent, map[string]*list.Element{}, list.New()})
		s.agents[agent] = el
	}
	s.recent.MoveToFront(el)
	a := el.Value.(*seenAgent)
	if box := a.outboxes[id.outbox]; box != nil {
		a.recent.MoveToFront(box)
		b := box.Value.(*seenOutbox)
		b.high = max(b.high, id.seq)
		return
	}
	a.outboxes[id.outbox] = a.recent.PushFront(&seenOutbox{id.outbox, id.seq})
	s.count++
	switch {
	case len(a.outboxes) > maxAgentOutboxes:
		s.drop(el)
	case s.count > maxOutboxes:
		s.drop(s.recent.Back())
	}
}

// drop forgets the outbox of an agent that was not heard of for longest.
func (s *seenIDs) drop(el *list.Element) {
	a := el.Value.(*seenAgent)
	delete(a.outboxes, a.recent.Remove(a.recent.Back()).(*seenOutbox).name)
	s.count--
	if len(a.outboxes) == 0 {
		delete(s.agents, s.recent.Remove(el).(*seenAgent).id)
	}
}

func (s *seenIDs) addExact(k idKey) {
	if _, ok := s.exact[k]; ok {
		return
	}
	s.exact[k] = struct{}{}
	if len(s.ring) < maxExactIDs {
		s.ring = append(s.ring, k)
		return
	}
	delete(s.exact, s.ring[s.next])
	s.ring[s.next] = k
	s.next = (s.next + 1) % maxExactIDs
}

// learn notes the event of a line that is in the log, if it is one of others.
func (s *seenIDs) learn(line []byte) {
	if !bytes.Contains(line, []byte(`"eventId"`)) || kindOfLine(line) != goodLine {
		return
	}
	var agent, id string
	eachMember(line, func(key, value []byte) {
		switch string(key) {
		case "agentId":
			agent = stringOf(value)
		case "eventId":
			id = stringOf(value)
		}
	})
	if id != "" {
		s.add(agent, parseID(agent, id))
	}
}
