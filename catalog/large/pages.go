package large

import (
	"context"
	"fmt"
	"iter"

	"zproxy/encoding/ordered"
	"zproxy/store"
	"zproxy/types"
)

// Page is a part of an object that was written. What was not reads as zeros.
type Page struct {
	Number int64
	Data   []byte
}

// partition is that of the pages of an object.
func (o Objects) partition(id uint32) []byte {
	p := ordered.Append(nil, types.NewText("pages"), false)
	return ordered.Append(ordered.Append(p, integer(int64(o.Database)), false), integer(int64(id)), false)
}

func (o Objects) pageKey(id uint32, page int64) store.Key {
	return store.Key{Partition: o.partition(id), Sort: ordered.Append(nil, integer(page), false)}
}

// Pages are the pages of an object from one on, in their order.
func (o Objects) Pages(ctx context.Context, id uint32, from int64) iter.Seq2[Page, error] {
	return o.pages(ctx, &store.Scan{Range: store.Range{Partition: o.partition(id), From: o.pageKey(id, from).Sort}})
}

func (o Objects) pages(ctx context.Context, r *store.Scan) iter.Seq2[Page, error] {
	r.Columns, r.Stats = []int{pageColumn, dataColumn}, &store.Stats{}
	return func(yield func(Page, error) bool) {
		for row, err := range o.rows(ctx, r) {
			p := Page{}
			if err == nil {
				p = Page{row[0].Int(), row[1].Bytes()}
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

// Size is how many bytes an object has.
func (o Objects) Size(ctx context.Context, id uint32) (int64, error) {
	r := &store.Scan{Range: store.Range{Partition: o.partition(id)}, Reverse: true, Enough: 1}
	for p, err := range o.pages(ctx, r) {
		return p.Number*PageBytes + int64(len(p.Data)), err
	}
	return 0, nil
}

// Read reads bytes of an object, as far as it has them.
func (o Objects) Read(ctx context.Context, id uint32, at, n int64) ([]byte, error) {
	out := []byte(nil)
	for p, err := range o.Pages(ctx, id, at/PageBytes) {
		if err != nil {
			return nil, err
		}
		begin := p.Number*PageBytes - at // of the page in what is read
		out = extended(out, min(begin+int64(len(p.Data)), n))
		if begin >= n {
			return extended(out, n), nil // zeros, up to this page
		}
		copy(out[min(max(begin, 0), int64(len(out))):], p.Data[min(max(-begin, 0), int64(len(p.Data))):])
	}
	return out, nil
}

// extended is what was read with zeros behind it, up to a length.
func extended(out []byte, n int64) []byte {
	return append(out, make([]byte, max(n-int64(len(out)), 0))...)
}

// Write writes bytes of an object.
func (o Objects) Write(ctx context.Context, id uint32, at int64, data []byte) error {
	for len(data) > 0 {
		page, from := at/PageBytes, at%PageBytes
		n := min(int64(len(data)), PageBytes-from)
		if err := o.writePage(ctx, id, page, from, data[:n]); err != nil {
			return err
		}
		at, data = at+n, data[n:]
	}
	return nil
}

// writePage writes bytes of a page, over those that it has.
func (o Objects) writePage(ctx context.Context, id uint32, page, from int64, data []byte) error {
	if len(data) == PageBytes {
		return o.putPage(id, Page{page, data}, store.Always)
	}
	old, err := o.page(ctx, id, page)
	if err != nil {
		return err
	}
	whole := make([]byte, max(len(old), int(from)+len(data)))
	copy(whole, old)
	copy(whole[from:], data)
	return o.putPage(id, Page{page, whole}, store.Unchanged)
}

// page is what a page has, which may then be written as Unchanged.
func (o Objects) page(ctx context.Context, id uint32, page int64) ([]byte, error) {
	out := types.NewBatch(1)
	g := &store.Get{Keys: []store.Key{o.pageKey(id, page)}, Columns: []int{dataColumn}, Remember: true,
		Stats: &store.Stats{}}
	found, err := o.Txn.Get(ctx, space, g, out)
	if err != nil || !found[0] {
		return nil, err
	}
	return out.Row(0)[0].Bytes(), nil
}

func (o Objects) putPage(id uint32, p Page, g store.Guard) error {
	item := store.Item{Key: o.pageKey(id, p.Number), Values: []types.Value{integer(int64(id)), integer(p.Number),
		types.Null, types.NewBytes(p.Data)}}
	if err := o.Txn.Put(space, item, g); err != nil {
		return fmt.Errorf("large objects: %w", err)
	}
	return nil
}

// Truncate makes an object end at a position, behind zeros if it was shorter.
func (o Objects) Truncate(ctx context.Context, id uint32, at int64) error {
	page, n := at/PageBytes, at%PageBytes
	old, err := o.page(ctx, id, page)
	if err != nil {
		return err
	}
	whole := make([]byte, n)
	copy(whole, old)
	if err := o.putPage(id, Page{page, whole}, store.Unchanged); err != nil {
		return err
	}
	return o.cut(ctx, id, page+1)
}

// cut removes the pages of an object from one on.
func (o Objects) cut(ctx context.Context, id uint32, from int64) error {
	var numbers []int64
	for p, err := range o.Pages(ctx, id, from) {
		if err != nil {
			return err
		}
		numbers = append(numbers, p.Number)
	}
	for _, n := range numbers {
		if err := o.Txn.Delete(space, o.pageKey(id, n), store.Always); err != nil {
			return err
		}
	}
	return nil
}
