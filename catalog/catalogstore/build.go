package catalogstore

import (
	"context"
	"encoding/json"
	"fmt"

	"zproxy/catalog"
	"zproxy/store"
	"zproxy/types"
)

// PutBuild stores how far the build of an index is.
func PutBuild(txn store.Txn, b *catalog.Build) error {
	body, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	return put(txn, kindBuild, uint64(b.Index), string(body))
}

// DeleteBuild forgets the build of an index.
func DeleteBuild(txn store.Txn, index uint32) error {
	return txn.Delete(space, keyOf(kindBuild, uint64(index)), store.Always)
}

// ReadBuild is how far the build of an index is, which the transaction may then change; nil when
// there is none.
func ReadBuild(ctx context.Context, txn store.Txn, index uint32) (*catalog.Build, error) {
	out := types.NewBatch(1)
	get := &store.Get{Keys: []store.Key{keyOf(kindBuild, uint64(index))}, Columns: []int{bodyColumn}, Remember: true, Stats: &store.Stats{}}
	found, err := txn.Get(ctx, space, get, out)
	if err != nil || !found[0] {
		return nil, err
	}
	b := &catalog.Build{}
	return b, json.Unmarshal([]byte(out.Row(0)[0].Text()), b)
}

// Builds are all builds, in the order in which their indexes were made.
func Builds(ctx context.Context, txn store.Txn) ([]*catalog.Build, error) {
	var out []*catalog.Build
	err := each(ctx, txn, kindBuild, func(_ uint64, body string) error {
		b := &catalog.Build{}
		out = append(out, b)
		return json.Unmarshal([]byte(body), b)
	})
	return out, err
}
