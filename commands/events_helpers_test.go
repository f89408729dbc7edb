package commands

import "time"

// testClock stands still.
func testClock() time.Time { return time.Date(2026, 2, 18, 12, 0, 0, 0, time.UTC) }
