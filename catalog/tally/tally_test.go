package tally_test

import (
	"testing"
	"time"

	"zproxy/catalog/tally"
)

// TestSince holds what counts as changed since statistics were made: here, elsewhere, or never.
func TestSince(t *testing.T) {
	c := tally.NewCounter()
	insert := func(n int64) {
		var l tally.Log
		l.Note(7, tally.Changes{Inserted: n})
		l.Note(7, tally.Changes{Deleted: 1})
		if len(l) != 1 {
			t.Errorf("one table has %d entries", len(l))
		}
		c.Add(l)
	}
	check := func(what string, made time.Time, want tally.Changes) {
		t.Helper()
		if got := c.Since(7, made); got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	first, second := time.Unix(1, 0), time.Unix(2, 0)
	insert(10)
	check("without statistics", time.Time{}, tally.Changes{Inserted: 10, Deleted: 1})
	then := c.Total(7)
	insert(5)
	c.Made(7, first, then)
	check("changed while they were made", first, tally.Changes{Inserted: 5, Deleted: 1})
	check("made by another process", second, tally.Changes{})
	insert(3)
	check("after these", second, tally.Changes{Inserted: 3, Deleted: 1})
	stored := tally.Changes{Inserted: 7, Updated: 9} // by several processes
	part := c.Unsaved(7, second)
	insert(2)
	c.Saved(7, first, part, stored)
	check("stored of other statistics", second, tally.Changes{Inserted: 5, Deleted: 2})
	c.Saved(7, second, part, stored)
	check("stored, and changed meanwhile", second, tally.Changes{Inserted: 9, Updated: 9, Deleted: 1})
	if got := c.Unsaved(7, second); got != (tally.Changes{Inserted: 2, Deleted: 1}) {
		t.Errorf("not stored are %v", got)
	}
	third := time.Unix(3, 0)
	c.Has(7, third)
	insert(1)
	check("since a catalog with newer ones", third, tally.Changes{Inserted: 1, Deleted: 1})
	if got := c.Since(8, first); got.Total() != 0 || got.Net() != 0 {
		t.Errorf("a table that was not changed has %v", got)
	}
}
