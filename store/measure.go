package store

// Measured is a store that tells how it is. The metrics page says what the names mean.
type Measured interface {
	// Measures are numbers by their names, always the same names.
	Measures() map[string]float64
}

// Pressed is a store that knows where its load is too much.
type Pressed interface {
	// Pressure is what it counted since it was opened.
	Pressure() Pressure
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
