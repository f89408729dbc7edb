package chat

import "context"

// StopTurn is Stop for one turn: a later one of the same conversation goes on.
func (s *Service) StopTurn(ctx context.Context, room, turn string) (bool, error) {
	n, err := s.stop(ctx, `AND room_id = ? AND id = ?`, room, turn)
	return n > 0, err
}
