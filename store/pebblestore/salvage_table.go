package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/sstable/block/blockkind"
	"github.com/cockroachdb/pebble/v2/sstable/colblk"
	"github.com/cockroachdb/pebble/v2/sstable/rowblk"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// table is a file of rows, or the part of one that belongs to the store.
type table struct {
	source       *source
	file         string
	bounded      bool // the bounds are known
	lower, upper []byte
	open         bool // upper is not in it
	order        int  // among the tables
}

// inside says whether a key is below the upper bound.
func (t *table) inside(key []byte) bool {
	if !t.bounded {
		return true
	}
	c := bytes.Compare(key, t.upper)
	return c < 0 || c == 0 && !t.open
}

// lose notes a range of keys; nil is where the table begins or ends.
func (t *table) lose(from, to []byte, err error) {
	if from == nil {
		from = t.lower
	}
	if to == nil {
		to = t.upper
	}
	t.source.lose(t.file, from, to, "%s", cause(err))
}

// versions reads the table in order, and passes over blocks that cannot be read.
func (t *table) versions(yield func(version) bool) {
	r, err := t.reader()
	if err != nil {
		t.scan(err, yield)
		return
	}
	defer r.Close()
	if err := t.deletions(r); err != nil {
		t.lose(nil, nil, err)
	}
	ends, err := blockEnds(r)
	if err != nil {
		t.scan(err, yield)
		return
	}
	it, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if err != nil {
		t.lose(nil, nil, err)
		return
	}
	defer it.Close()
	var last []byte   // the key that was read last
	var failure error // what could not be read behind it
	for target := t.lower; ; {
		read := false
		for kv := it.SeekGE(target, 0); kv != nil && t.inside(kv.K.UserKey); kv = it.Next() {
			key := bytes.Clone(kv.K.UserKey)
			value, _, err := kv.Value(nil)
			if err != nil {
				t.lose(key, key, err)
				continue
			}
			if failure != nil {
				t.lose(last, key, failure)
				failure = nil
			}
			last, read = key, true
			if !yield(version{key, kv.SeqNum(), kv.Kind(), bytes.Clone(value), t.order}) {
				return
			}
		}
		if err := it.Error(); err == nil {
			break
		} else if failure == nil {
			failure = err
		}
		// The block behind that of the last key has failed, or that of the target.
		if read {
			target = last
		}
		failed := sort.Search(len(ends), func(i int) bool { return bytes.Compare(ends[i], target) >= 0 })
		if read {
			failed++
		}
		if failed >= len(ends) || !t.inside(ends[failed]) {
			break
		}
		target = append(bytes.Clone(ends[failed]), 0)
	}
	if failure != nil {
		t.lose(last, nil, failure)
	}
}

// reader opens the file.
func (t *table) reader() (*sstable.Reader, error) {
	f, err := t.source.fs.Open(t.source.fs.PathJoin(t.source.dir, t.file), vfs.RandomReadsOption)
	if err != nil {
		return nil, err
	}
	in, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	o := &pebble.Options{Logger: silent{}}
	o.EnsureDefaults()
	options := o.MakeReaderOptions()
	number, _ := strconv.ParseUint(strings.TrimSuffix(t.file, ".sst"), 10, 64)
	setNumber(&options.CacheOpts.FileNum, number) // errors name it
	r, err := sstable.NewReader(context.Background(), in, options)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return r, nil
}

// setNumber sets a number of a file, whose type has no name here.
func setNumber[N ~uint64](to *N, n uint64) { *to = N(n) }

// deletions takes those of ranges.
func (t *table) deletions(r *sstable.Reader) error {
	it, err := r.NewRawRangeDelIter(context.Background(), sstable.NoFragmentTransforms, sstable.NoReadEnv)
	if err != nil || it == nil {
		return err
	}
	defer it.Close()
	span, err := it.First()
	for ; span != nil && err == nil; span, err = it.Next() {
		for _, k := range span.Keys {
			d := deletion{bytes.Clone(span.Start), bytes.Clone(span.End), k.SeqNum()}
			if t.bounded && bytes.Compare(d.from, t.lower) < 0 {
				d.from = t.lower
			}
			if t.bounded && bytes.Compare(d.to, t.upper) > 0 {
				d.to = append(bytes.Clone(t.upper), 0)
			}
			t.source.gone = append(t.source.gone, d)
		}
	}
	return err
}

// blockEnds are keys that end the blocks of a table, each not below the last key of its block.
func blockEnds(r *sstable.Reader) ([][]byte, error) {
	layout, err := r.Layout()
	if err != nil {
		return nil, err
	}
	format, err := r.TableFormat()
	if err != nil {
		return nil, err
	}
	var ends [][]byte
	for _, h := range layout.Index {
		b, err := r.BlockReader().Read(context.Background(), block.NoReadEnv, nil, h, blockkind.Index,
			func(*block.Metadata, []byte) error { return nil })
		if err != nil {
			return nil, err
		}
		var it block.IndexBlockIterator = new(rowblk.IndexIter)
		if format.BlockColumnar() {
			it = new(colblk.IndexIter)
		}
		if err := it.Init(r.Comparer, b.BlockData(), block.NoTransforms); err != nil {
			b.Release()
			return nil, fmt.Errorf("index: %w", err)
		}
		for ok := it.First(); ok; ok = it.Next() {
			ends = append(ends, bytes.Clone(it.Separator()))
		}
		b.Release()
	}
	return ends, nil
}
