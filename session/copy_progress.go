package session

import (
	"io"
	"sync/atomic"
)

// copying is how far a COPY is, which others may read.
type copying struct {
	relation uint32 // 0: it copies a query
	to       bool
	loads    bool // what counts is what was written
	bytes    atomic.Int64
	tuples   atomic.Int64
}

// CopyProgress is how far the COPY of a session is.
type CopyProgress struct {
	Relation      uint32 // 0: it copies a query
	To            bool
	Bytes, Tuples int64
}

// copies notes that the session copies, until the function is called.
func (s *Session) copies(c *copying) (end func()) {
	s.copying.Store(c)
	return func() { s.copying.Store(nil) }
}

// progress is how far it is, nil for none.
func (c *copying) progress() *CopyProgress {
	if c == nil {
		return nil
	}
	return &CopyProgress{Relation: c.relation, To: c.to, Bytes: c.bytes.Load(), Tuples: c.tuples.Load()}
}

// countedData is the data of a COPY, whose bytes are counted.
type countedData struct {
	io.Reader
	told *copying
}

// Read implements io.Reader.
func (d countedData) Read(b []byte) (int, error) {
	n, err := d.Reader.Read(b)
	d.told.bytes.Add(int64(n))
	return n, err
}
