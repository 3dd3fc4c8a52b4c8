package store

import (
	"context"
	"iter"
)

// What stores may do besides what every one does.

// SpaceAlterer is a Store that can change how a space that is there is kept.
type SpaceAlterer interface {
	// AlterSpace makes Capacity, Dense and Expiry of a space what they are in s, and waits until they are. It may
	// be called again with the same.
	AlterSpace(ctx context.Context, s *Space) error
}

// Verifier is a Store that can read its files again to see whether they are as they were written.
type Verifier interface {
	// Verify yields what is damaged. After an error nothing comes.
	Verify(ctx context.Context) iter.Seq2[*Damaged, error]
}

// Prober is a Store that can test whether it still can write.
type Prober interface {
	Probe(ctx context.Context) error
}
