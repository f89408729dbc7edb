package main

// eventSize is a usual event's line.
const eventSize = 450

// size is how much is done; the shape of a run is the same for all.
type size struct {
	rounds     int // of what is measured in turns
	fastRounds int // further ones for those whose run is over in half a second

	fanClients, fanEvents   int
	manyClients, manyEvents int

	rateClients, rateEvents int
	rate                    float64

	slowClients, slowEvents   int // a third of them for what is slow itself
	stallClients, stallEvents int

	backlogBytes int64
	asks         int

	tailEvents int

	posts, batches int // requests of one event, and of many

	cards, searches int // of the library of skills

	appendRounds, appendEvents int
	startupRuns, purchaseRuns  int

	nodeShare int // Node gets one in so many events: its rate is what is compared
	nodeFan   int // the same in the main row, where it falls as its backlog grows
	repeats   int // of a run that others disturbed
}

var (
	full = size{rounds: 3, fastRounds: 2,
		fanClients: 200, fanEvents: 10_000, manyClients: 1000, manyEvents: 2000,
		rateClients: 200, rateEvents: 4000, rate: 500,
		slowClients: 100, slowEvents: 60_000, stallClients: 10, stallEvents: 200_000,
		backlogBytes: 1 << 30, asks: 50, tailEvents: 20_000,
		posts: 20_000, batches: 2000, appendRounds: 5, appendEvents: 40_000, startupRuns: 100, cards: 10_000, searches: 20, purchaseRuns: 15,
		nodeShare: 10, nodeFan: 1, repeats: 2}
	quick = size{rounds: 1,
		fanClients: 200, fanEvents: 10_000, manyClients: 1000, manyEvents: 2000,
		rateClients: 200, rateEvents: 2500, rate: 500,
		slowClients: 100, slowEvents: 60_000, stallClients: 10, stallEvents: 200_000,
		backlogBytes: 1 << 30, asks: 20, tailEvents: 20_000,
		posts: 20_000, batches: 2000, appendRounds: 3, appendEvents: 20_000, startupRuns: 20, cards: 10_000, searches: 10, purchaseRuns: 3,
		nodeShare: 20, nodeFan: 20}
	// tiny is for the test that keeps all this from rotting; its figures mean nothing.
	tiny = size{rounds: 1,
		fanClients: 5, fanEvents: 200, manyClients: 5, manyEvents: 100,
		rateClients: 5, rateEvents: 20, rate: 200,
		slowClients: 5, slowEvents: 200, stallClients: 2, stallEvents: 400,
		backlogBytes: 1 << 20, asks: 2, tailEvents: 100,
		posts: 40, batches: 8, appendRounds: 1, appendEvents: 80, startupRuns: 1, cards: 30, searches: 1, purchaseRuns: 1,
		nodeShare: 2, nodeFan: 2}
)
