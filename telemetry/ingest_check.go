package telemetry

import (
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// CheckIncoming reports why an [Ingest] would refuse a line, as a usage error; nil when
// it would take it. Who sends asks, to tell a receiver that refuses everything from
// events that nobody takes.
func CheckIncoming(line []byte, red *Redactor, now time.Time) error {
	g := OpenIngest(nil, IngestOptions{Redactor: red, Now: func() time.Time { return now }})
	b, err := g.read(&Incoming{AgentID: "checked", Body: line, Lines: true})
	if err != nil {
		return err
	}
	for _, l := range b.taken.Lines {
		if l.Error != "" {
			return fault.New(fault.Usage, "%s", l.Error)
		}
	}
	return nil
}
