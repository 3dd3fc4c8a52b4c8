package catalogstore

import (
	"context"
	"encoding/json"

	"zproxy/catalog"
	"zproxy/store"
)

// PutBuild stores how far the build of an index is, unless another transaction has changed it since
// ReadBuild has read it.
func PutBuild(txn store.Txn, b *catalog.Build) error {
	return putRead(txn, kindBuild, uint64(b.Index), b)
}

// DeleteBuild forgets the build of an index.
func DeleteBuild(txn store.Txn, index uint32) error {
	return txn.Delete(space, keyOf(kindBuild, uint64(index)), store.Always)
}

// ReadBuild is how far the build of an index is, which the transaction may then change; nil when
// there is none.
func ReadBuild(ctx context.Context, txn store.Txn, index uint32) (*catalog.Build, error) {
	b := &catalog.Build{}
	if there, err := read(ctx, txn, kindBuild, uint64(index), b); err != nil || !there {
		return nil, err
	}
	return b, nil
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
