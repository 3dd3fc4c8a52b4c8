package executor

import (
	"zproxy/expr"
	"zproxy/expr/vector"
	"zproxy/types"
)

// keyColumns are the values of keys for all rows of a batch.
type keyColumns struct {
	keys     []expr.Expr
	by       *expr.Context
	set      *vector.Set       // of the programs, and perhaps of others; nil: they are the only ones
	programs []*vector.Program // nil: none came yet
	of       []*types.Vector
	all      []int32
}

// load computes the keys of a batch. They are good as long as the batch is.
func (k *keyColumns) load(batch *types.Batch) error {
	if k.programs == nil {
		if k.set == nil {
			k.set = vector.NewSet(k.by)
		}
		k.of = make([]*types.Vector, len(k.keys))
		for _, key := range k.keys {
			k.programs = append(k.programs, k.set.Compile(key))
		}
	}
	k.set.Begin(batch)
	k.all = rowNumbers(k.all, batch.Len())
	for at, p := range k.programs {
		var err error
		if k.of[at], err = p.Values(k.all); err != nil {
			return err
		}
	}
	return nil
}

// appendKey appends the key of a row, as types.AppendKey does.
func (k *keyColumns) appendKey(dst []byte, i int) []byte {
	for _, v := range k.of {
		dst = v.AppendKey(dst, i)
	}
	return dst
}

// row copies the values of a row, which may be kept.
func (k *keyColumns) row(to types.Row, i int) {
	for at, v := range k.of {
		to[at] = v.Kept(i)
	}
}
