// Package large keeps the large objects of databases in a space of the store: an item for what is said of each object,
// and one for each page of its bytes that was written. The space is made with the first object.
//
// Read `Objects` first. It knows no descriptors and checks no rights.
package large

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"zproxy/catalog"
	"zproxy/encoding/ordered"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// SpaceID is the space of large objects.
const SpaceID store.SpaceID = 2

// PageBytes is how many bytes a page has at most.
const PageBytes = 2048

// MostBytes is how large an object may be.
const MostBytes = PageBytes * (1<<31 - 1)

// The columns of an item.
const (
	idColumn = iota
	pageColumn
	bodyColumn
	dataColumn
)

var space = &store.Space{
	ID: SpaceID, Name: "zproxy.large_objects", Sorted: true,
	Columns: []store.Column{
		{ID: 1, Name: "id", Type: types.Int8}, {ID: 2, Name: "page", Type: types.Int8},
		{ID: 3, Name: "body", Type: types.Text}, {ID: 4, Name: "data", Type: types.Bytea},
	},
}

// Make makes the space, if it is not there.
func Make(ctx context.Context, st store.Store) error {
	if err := st.Create(ctx, space); err != nil {
		return fmt.Errorf("large objects: %w", err)
	}
	return nil
}

// Objects are the large objects of a database, as a transaction sees them.
type Objects struct {
	Txn      store.Txn
	Database uint32
}

func integer(n int64) types.Value { return types.NewInt(n) }

// about is the partition of what is said of objects.
func (o Objects) about() []byte {
	return ordered.Append(ordered.Append(nil, types.NewText("objects"), false), integer(int64(o.Database)), false)
}

func (o Objects) key(id uint32) store.Key {
	return store.Key{Partition: o.about(), Sort: ordered.Append(nil, integer(int64(id)), false)}
}

// Find finds an object, nil if there is none. One that is held must be there at the commit, as it is found.
func (o Objects) Find(ctx context.Context, id uint32, hold bool) (*catalog.LargeObject, error) {
	out := types.NewBatch(1)
	g := &store.Get{Keys: []store.Key{o.key(id)}, Columns: []int{bodyColumn}, Remember: true, Hold: hold,
		Stats: &store.Stats{}}
	found, err := o.Txn.Get(ctx, space, g, out)
	switch {
	case errors.Is(err, store.ErrGone):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("large objects: %w", err)
	case !found[0]:
		return nil, nil
	}
	return decode(id, out.Row(0)[0])
}

func decode(id uint32, body types.Value) (*catalog.LargeObject, error) {
	found := &catalog.LargeObject{}
	if err := json.Unmarshal([]byte(body.Text()), found); err != nil || found.ID != id {
		return nil, sqlerr.Wrap(err, sqlerr.DataCorrupted, "large object %d is damaged", id)
	}
	return found, nil
}

// Put keeps what is said of an object that Find has looked for.
func (o Objects) Put(x *catalog.LargeObject) error { return o.put(x, store.Unchanged) }

func (o Objects) put(x *catalog.LargeObject, g store.Guard) error {
	body, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("large objects: %w", err)
	}
	item := store.Item{Key: o.key(x.ID),
		Values: []types.Value{integer(int64(x.ID)), types.Null, types.NewText(string(body)), types.Null}}
	return o.Txn.Put(space, item, g)
}

// All are all objects, by their numbers.
func (o Objects) All(ctx context.Context) iter.Seq2[*catalog.LargeObject, error] {
	return func(yield func(*catalog.LargeObject, error) bool) {
		r := &store.Scan{Range: store.Range{Partition: o.about()}, Columns: []int{idColumn, bodyColumn},
			Stats: &store.Stats{}}
		for row, err := range o.rows(ctx, r) {
			if err != nil {
				yield(nil, err)
				return
			}
			x, err := decode(uint32(row[0].Int()), row[1])
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// rows are the items of a scan, none where the space was not made. An error is the last.
func (o Objects) rows(ctx context.Context, r *store.Scan) iter.Seq2[types.Row, error] {
	return func(yield func(types.Row, error) bool) {
		for batch, err := range o.Txn.Scan(ctx, space, r) {
			if errors.Is(err, store.ErrGone) {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("large objects: %w", err))
				return
			}
			for i := range batch.Len() {
				if !yield(batch.Row(i), nil) {
					return
				}
			}
		}
	}
}

// CopyTo makes all objects and their pages those of another database, which has none. The other one's transaction is
// asked for when there is something to write.
func (o Objects) CopyTo(ctx context.Context, other func() (Objects, error)) error {
	for x, err := range o.All(ctx) {
		if err != nil {
			return err
		}
		to, err := other()
		if err == nil {
			err = to.put(x, store.Always)
		}
		for p, failed := range o.Pages(ctx, x.ID, 0) {
			if err = cmp.Or(err, failed); err == nil {
				err = to.putPage(x.ID, p, store.Always)
			}
			if err != nil {
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Remove removes an object that Find has found.
func (o Objects) Remove(ctx context.Context, id uint32) error {
	if err := o.cut(ctx, id, 0); err != nil {
		return err
	}
	return o.Txn.Delete(space, o.key(id), store.Unchanged)
}
