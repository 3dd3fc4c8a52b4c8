package catalogstore

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/store"
	"zproxy/types"
)

// PutSketches stores the sketches of a table's indexes that are others than those that are stored
// with its version before, which is nil for a new table, and removes those that are no more. They are
// apart from other statistics, since they are large and seldom change.
func PutSketches(txn store.Txn, before, t *catalog.Table) error {
	for _, id := range sketched(t) {
		q := t.Stats.Sketches[id]
		if before != nil && curved(before, id) && same(before.Stats.Sketches[id], q) {
			continue
		}
		if err := txn.Put(space, itemOf(kindSketch, uint64(id), types.Null, types.NewBytes(appendSketch(nil, q))),
			store.Always); err != nil {
			return err
		}
	}
	if before == nil {
		return nil
	}
	for _, id := range sketched(before) {
		if !curved(t, id) || len(t.Stats.Sketches[id]) == 0 {
			if err := txn.Delete(space, keyOf(kindSketch, uint64(id)), store.Always); err != nil {
				return err
			}
		}
	}
	return nil
}

// curved says whether a layout of a table in Z-order has a number.
func curved(t *catalog.Table, number uint32) bool {
	return slices.ContainsFunc(t.TableIndexes(), func(x catalog.TableIndex) bool {
		return x.Method() == catalog.ZOrder && x.Number() == number
	})
}

// sketched are the numbers of the layouts of a table that have sketches.
func sketched(t *catalog.Table) []uint32 {
	var out []uint32
	for _, x := range t.TableIndexes() {
		if id := x.Number(); len(t.Stats.Sketches[id]) > 0 {
			out = append(out, id)
		}
	}
	return out
}

// same says whether two sketches are one. Sketches never change.
func same(a, b []uint64) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// appendSketch writes the numbers of a sketch, eight bytes each.
func appendSketch(dst []byte, quantiles []uint64) []byte {
	for _, q := range quantiles {
		dst = binary.BigEndian.AppendUint64(dst, q)
	}
	return dst
}

func readSketch(p []byte) ([]uint64, error) {
	if len(p)%8 != 0 {
		return nil, fmt.Errorf("a sketch of %d bytes", len(p))
	}
	out := make([]uint64, len(p)/8)
	for i := range out {
		out[i] = binary.BigEndian.Uint64(p[8*i:])
	}
	return out, nil
}

// loadSketches adds the sketches of indexes to the statistics of their tables.
func loadSketches(ctx context.Context, txn store.Txn, tables map[uint32]*catalog.Table) error {
	of := map[uint64]*catalog.Table{}
	for _, t := range tables {
		for _, x := range t.TableIndexes() {
			of[uint64(x.Number())] = t
		}
	}
	return items(ctx, txn, kindSketch, bytesColumn, func(id uint64, v types.Value) error {
		t := of[id]
		if t == nil {
			return nil
		}
		quantiles, err := readSketch(v.Bytes())
		if err != nil {
			return err
		}
		if t.Stats.Sketches == nil {
			t.Stats.Sketches = map[uint32][]uint64{}
		}
		t.Stats.Sketches[uint32(id)] = quantiles
		return nil
	})
}
