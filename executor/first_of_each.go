package executor

import (
	"bytes"
	"slices"

	"zproxy/encoding/ordered"
	"zproxy/store"
	"zproxy/types"
)

// prefixReader reads of a range the first few entries of each prefix: of those that agree in leading parts of the
// layout. When it has them it goes on behind the prefix by a scan of its own, so that no entry of the store is counted
// that a transaction has deleted, or that is of another version.
type prefixReader struct {
	*reader
	of    int // parts of the layout
	count int64
}

// read reads the first entries of each prefix in a range.
func (r prefixReader) read(g store.Range) Rows {
	return func(yield func(*types.Batch, error) bool) {
		for more := true; more; {
			var last []byte // the prefix to go on behind
			var ok bool
			if last, ok = r.piece(g, yield); !ok || last == nil {
				return
			}
			g, more = r.behind(g, last)
		}
	}
}

// piece reads a range until a batch ends with a prefix of which it has enough, and says which prefix that is; nil: the
// range has ended. It is not ok when nothing more is wanted.
func (r prefixReader) piece(g store.Range, yield func(*types.Batch, error) bool) (last []byte, ok bool) {
	request := r.request(g, int(r.count))
	var seen []store.Key
	request.Keys = func(k store.Key) { seen = append(seen, k) }
	r.countRange(g)
	var prefix []byte
	got := int64(0)
	for batch, err := range r.batches(&request) {
		if err != nil {
			yield(nil, err)
			return nil, false
		}
		kept := 0
		for i := range batch.Len() {
			of := r.prefix(g, seen[i])
			if !bytes.Equal(of, prefix) || prefix == nil {
				prefix, got = of, 0
			}
			if got++; got > r.count {
				continue
			}
			if kept < i {
				copy(batch.Row(kept), batch.Row(i))
			}
			kept++
		}
		seen = slices.Delete(seen, 0, batch.Len())
		batch.Truncate(kept)
		if kept > 0 && !yield(batch, nil) {
			return nil, false
		}
		if got >= r.count {
			return prefix, true
		}
	}
	return nil, true
}

// prefix is the beginning of a key that its leading parts make, as bounds of the range are made.
func (r prefixReader) prefix(g store.Range, k store.Key) []byte {
	key, whole := k.Sort, g.Partition == nil
	if whole {
		key = wholeKey(k)
	}
	return bytes.Clone(key[:r.from.codec.Leading(key, r.of, whole)])
}

// behind is what a range has behind a prefix, in the direction in which it is read, if there may be anything.
func (r prefixReader) behind(g store.Range, prefix []byte) (store.Range, bool) {
	if r.scan.Access.Reverse {
		g.To = prefix
		return g, bytes.Compare(g.From, g.To) < 0
	}
	g.From = ordered.Successor(prefix)
	return g, g.From != nil && (g.To == nil || bytes.Compare(g.From, g.To) < 0)
}
