// Package descriptor numbers the large objects that a transaction has open, as a process numbers its files. A number
// is free again when its object was closed. It knows neither bytes nor rights.
//
// Read `Table` first.
package descriptor

import "slices"

// Descriptor is an open large object.
type Descriptor struct {
	Object uint32
	Writes bool // it may be written, too
	At     int64

	order int
}

// Table has the descriptors of a transaction. The zero Table has none.
type Table struct {
	open  []*Descriptor // by number; nil: it is free
	order int           // how many there have been
}

// Add gives a descriptor the lowest number that is free.
func (t *Table) Add(d Descriptor) (fd int64) {
	t.order++
	d.order = t.order
	at := slices.Index(t.open, nil)
	if at < 0 {
		at, t.open = len(t.open), append(t.open, nil)
	}
	t.open[at] = &d
	return int64(at)
}

// Of is the descriptor with a number, nil when there is none.
func (t *Table) Of(fd int64) *Descriptor {
	if fd < 0 || fd >= int64(len(t.open)) {
		return nil
	}
	return t.open[fd]
}

// Close closes the descriptors for which that is wanted.
func (t *Table) Close(wanted func(fd int64, d *Descriptor) bool) {
	for fd, d := range t.open {
		if d != nil && wanted(int64(fd), d) {
			t.open[fd] = nil
		}
	}
}

// Mark is a moment, for CloseSince.
func (t *Table) Mark() int { return t.order }

// CloseSince closes those that were opened since a moment.
func (t *Table) CloseSince(mark int) {
	t.Close(func(_ int64, d *Descriptor) bool { return d.order > mark })
}
