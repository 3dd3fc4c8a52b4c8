package pebblestore

import (
	"context"
	"fmt"
	"iter"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
)

// Verify implements store.Verifier: it reads the files of rows and holds them against the ledger, as Open
// does with the other files.
func (s *Store) Verify(ctx context.Context) iter.Seq2[*store.Damaged, error] {
	return func(yield func(*store.Damaged, error) bool) {
		if err := s.enter(); err != nil {
			yield(nil, err)
			return
		}
		defer s.leave()
		for _, e := range s.ledger.sorted() {
			if !ofTable(e.name) {
				continue
			}
			d, err := s.verify(e)
			if err == nil {
				err = ctx.Err()
			}
			if (d != nil || err != nil) && (!yield(d, err) || err != nil) {
				return
			}
		}
	}
}

// verify is about one file of rows, which a compaction may remove meanwhile.
func (s *Store) verify(e *entry) (*store.Damaged, error) {
	l := s.ledger
	want := l.proofOf(e)
	got, err := proofOf(l.fs, l.fs.PathJoin(l.dir, e.name), want.length)
	if l.find(e.name) != e || err == nil && got == want {
		return nil, nil
	}
	d := &store.Damaged{File: e.name, Reason: fmt.Sprintf("its first %d bytes do not have the checksum in %s",
		want.length, ledgerName)}
	if err != nil {
		d.Reason = err.Error()
	}
	err = tablesOf(s.db, func(file string, t pebble.SSTableInfo) {
		if file == e.name {
			d.Spaces = s.namesBetween(t.Smallest.UserKey, t.Largest.UserKey)
		}
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}
