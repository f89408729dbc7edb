package v2

import "context"

// Locate is locate.
func (s *Service) Locate(ctx context.Context, n Name) (Located, error) { return s.locate(ctx, n) }

// VaultToPay is vaultToPay.
func (s *Service) VaultToPay(ctx context.Context) (Located, error) { return s.vaultToPay(ctx) }
