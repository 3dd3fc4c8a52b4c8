package catalog

import (
	"slices"

	"zproxy/store"
)

// State is how far an index is on its way from nothing to one that is read, and back. Each step
// is taken when no transaction works by the state before the present one any more, so at any time only two
// neighbours of this list are in use, which get on with each other (Rae and others, Online,
// Asynchronous Schema Change in F1, 2013):
//
//	Disabled, DeleteOnly, WriteOnly, Backfill, Validate, Readable
type State string

// The states.
const (
	// Readable, or public: every writer keeps the index, and queries read it.
	Readable State = ""
	// Disabled: writers do not keep it, and it holds nothing. To be read again it must be built.
	Disabled State = "disabled"
	// DeleteOnly: writers take away the entries of rows that go or change, and make none.
	DeleteOnly State = "delete-only"
	// WriteOnly: writers keep it, but rows written before have no entries.
	WriteOnly State = "write-only"
	// Backfill: as WriteOnly, and the missing entries are being made.
	Backfill State = "backfill"
	// Validate: all entries are there; that is being checked.
	Validate State = "validate"
)

// States are all states, each beside its neighbours.
var States = []State{Disabled, DeleteOnly, WriteOnly, Backfill, Validate, Readable}

// Deletes says whether writers take away the entries of rows that go or change.
func (s State) Deletes() bool { return s != Disabled }

// Writes says whether writers make entries.
func (s State) Writes() bool { return s != Disabled && s != DeleteOnly }

// Reads says whether queries may read the index.
func (s State) Reads() bool { return s == Readable }

// String is the state as catalogs show it.
func (s State) String() string {
	if s == Readable {
		return "public"
	}
	return string(s)
}

// Phase is what is done or waited for in a state on the way to Readable, as PostgreSQL calls it.
func (s State) Phase() string {
	switch s {
	case DeleteOnly, WriteOnly:
		return "waiting for writers before build"
	case Backfill:
		return "building index"
	case Validate:
		return "index validation: scanning table"
	}
	return "initializing"
}

// WithState is a copy of the table in which an index has another state. Who wrote rows by the
// version before may still commit them.
func (t *Table) WithState(index uint32, s State) *Table {
	return t.WithStep(func(x *Index) {
		if x.ID == index {
			x.State = s
		}
	})
}

// WithStep is a copy with indexes that are at most one step away from those of the version
// before, so that who wrote rows by that one may still commit them.
func (t *Table) WithStep(change func(*Index)) *Table {
	c := *t
	c.Version++
	c.Stepped = c.Version
	c.Indexes = slices.Clone(t.Indexes)
	for i := range c.Indexes {
		change(&c.Indexes[i])
	}
	return &c
}

// WithoutKept is a copy without an index of which no entries are made any more.
func (t *Table) WithoutKept(x *Index) *Table {
	c := t.WithoutIndex(x.Name)
	c.Stepped = c.Version
	return c
}

// WithNewIndex is a copy with an index that is not kept yet.
func (t *Table) WithNewIndex(x Index) *Table {
	x.State = Disabled
	c := t.WithIndex(x)
	c.Stepped = c.Version
	return c
}

// Exchange is a copy in which an index that is not read yet takes the place of another one,
// which is read, and that one its place. Both are kept as before. With the number of the primary key the index, which
// holds all columns, takes the place of the rows.
func (t *Table) Exchange(read, kept uint32) *Table {
	if read == t.KeyID {
		return exchangeRows(t, kept)
	}
	a, b := *t.IndexByID(read), *t.IndexByID(kept)
	c := t.WithStep(func(x *Index) {
		switch x.ID {
		case read:
			*x = a.storedAs(&b)
		case kept:
			*x = b.storedAs(&a)
			x.State = WriteOnly
		}
	})
	c.Stats = c.Stats.exchanged(read, kept)
	return c
}

func exchangeRows(t *Table, kept uint32) *Table {
	rows := *t.IndexByID(kept)
	c := t.WithStep(func(x *Index) {
		if x.ID == kept {
			x.Space, x.Layout, x.State = t.Space, t.Primary, WriteOnly
		}
	})
	c.Space, c.Primary = rows.Space, rows.Layout
	c.Stats = c.Stats.exchanged(t.KeyID, kept)
	return c
}

// storedAs is an index with the entries of another one over the same columns.
func (x *Index) storedAs(o *Index) Index {
	c := *x
	c.Space, c.Layout, c.Include, c.Also, c.Covers = o.Space, o.Layout, o.Include, o.Also, o.Covers
	return c
}

// Accepts says whether rows that were written by a version of the table may be committed now
// that this one is in force.
func (t *Table) Accepts(version uint32) bool {
	return version == t.Version || version+1 == t.Version && t.Stepped == t.Version
}

// Build is the way of an index to another state, which goes on by itself until it is there,
// whatever becomes of clients and processes.
type Build struct {
	Table, Index uint32
	// Goal is Readable, or Disabled, or with Drop no index at all.
	Goal State
	Drop bool `json:",omitempty"`
	// Owner is the process that takes the steps, where several share a store.
	Owner uint64 `json:",omitempty"`
	// Replaces is the index whose place this one takes when it is Readable; 0: none.
	Replaces uint32 `json:",omitempty"`
	// Options are those that it has then, or the table if its primary key is replaced; an empty value takes one away.
	Options map[string]string `json:",omitempty"`
	// Space is that of the rows that are being read, and Segments are how far that is in each part of it.
	// The entries are made up to a key; nil: none is, the empty key, which no row has: all are.
	Space       uint64       `json:",omitempty"`
	Segments    []*store.Key `json:",omitempty"`
	Done, Total int64        // rows: read, and of the table when the build began
	// Most are rows, and read and write units, a second; 0: as many as others leave room for.
	Most    struct{ Rows, Units int64 }
	Started int64 // seconds since 1970
	// Failed is why the build turned back before its goal; empty: it did not. Code is the
	// SQLSTATE, and Detail more about it. Over says that it has come back.
	Failed, Code, Detail string `json:",omitempty"`
	Over                 bool   `json:",omitempty"`
}

// Queued says whether an index in a state has a build that has yet to take its first step: it is not disabled, but
// on its way to be read.
func (b *Build) Queued(s State) bool { return s == Disabled && b.Goal == Readable && !b.Ended() }

// Ended says whether there is nothing left to do; it is kept to tell why it failed.
func (b *Build) Ended() bool { return b.Over }
