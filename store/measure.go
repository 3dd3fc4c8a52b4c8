package store

import "context"

// Measured is a store that tells how it is. The metrics page says what the names mean.
type Measured interface {
	// Measures are numbers by their names, always the same names.
	Measures() map[string]float64
}

// Sized is a store that knows how much its spaces take.
type Sized interface {
	// Items is about how many items a space has, 0 if it is empty or not there. It says false while the store
	// does not know.
	Items(ctx context.Context, s *Space) (items int64, known bool, err error)
	// Bytes is about how much a space takes where it is kept, 0 if it is empty or not there. It says
	// false while the store does not know.
	Bytes(ctx context.Context, s *Space) (bytes int64, known bool, err error)
	// Part is one of n ranges that are all about as large and together are the whole space, at that time, in the order
	// of their numbers from 0. It says false of a space that the store cannot divide so.
	Part(ctx context.Context, s *Space, number, n int) (part Range, ok bool, err error)
}

// Pressed is a store that knows where its load is too much.
type Pressed interface {
	// Pressure is what it counted since it was opened.
	Pressure() Pressure
	// OnRefusal sets what is called for each item of each request that is refused for its load: for the read of a range
	// with its partition, and for that of a whole space with the zero Key. It must return soon, and not use the store.
	OnRefusal(tell func(of SpaceID, key Key))
}

// Pressure is requests to a store, and those that it refused for their load.
type Pressure struct {
	Requests map[string]int64 // by operation, in the store's words
	Refused  []Refusal
	Hot      []HotPartition // the worst of them, the worst first
}

// Refusal counts requests that were refused for one reason.
type Refusal struct {
	Space  string // empty: many
	Reason string // in the store's words
	Count  int64
}

// HotPartition is a partition at which requests were refused.
type HotPartition struct {
	Space     string
	Partition []byte
	Count     int64 // or a few more than there were
}
