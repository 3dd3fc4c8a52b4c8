package copy

import (
	"io"
	"sync/atomic"
)

// Counter counts what a COPY has moved so far, which others may read meanwhile.
type Counter struct {
	relation uint32 // 0: it copies a query
	to       bool
	bytes    atomic.Int64
	tuples   atomic.Int64
}

// Progress is how far a COPY is.
type Progress struct {
	Relation      uint32 // 0: it copies a query
	To            bool
	Bytes, Tuples int64
}

// Progress is how far the COPY is, nil for none.
func (c *Counter) Progress() *Progress {
	if c == nil {
		return nil
	}
	return &Progress{Relation: c.relation, To: c.to, Bytes: c.bytes.Load(), Tuples: c.tuples.Load()}
}

// countedData is the data of a COPY, whose bytes are counted.
type countedData struct {
	io.Reader
	counter *Counter
}

// Read implements io.Reader.
func (d countedData) Read(b []byte) (int, error) {
	n, err := d.Reader.Read(b)
	d.counter.bytes.Add(int64(n))
	return n, err
}
