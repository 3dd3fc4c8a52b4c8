package executor

import (
	"hash/maphash"

	"zproxy/expr"
	"zproxy/types"
)

// hashTable keeps rows by the values of keys. Rows with equal keys are a chain in the order in which they came. A NULL
// among the keys equals nothing, unless its key says so; such a row is kept, but not found. Rows are found when they
// are linked.
type hashTable struct {
	context *expr.Context
	keys    []expr.Expr // over the rows of the table
	columns keyColumns  // the same for batches
	nulls   []bool      // whether NULLs of a key are equal
	rows    columnList
	next    []int32 // of each row the next one in its chain, counted from 1; 0 ends it
	held    hold
	whole   bool // the key is one whole number
	seed    maphash.Seed
	parts   []tablePart // by the first partBits bits of the hashes of keys
	bits    uint        // partBits or none
	key     []byte
	asked   keyBatch
}

// nextBytes is what a row takes in next.
const nextBytes = 4

// newHashTable makes a table of rows of so many columns, by keys whose NULLs are equal or not.
func newHashTable(f frame, width int, keys []expr.Expr, nulls []bool) hashTable {
	t := hashTable{context: f.env.Expr, keys: keys, columns: keyColumns{keys: keys, by: f.env.Expr}, nulls: nulls,
		rows: newColumnList(width), held: f.hold(), seed: maphash.MakeSeed()}
	t.whole = len(keys) == 1 && !nulls[0] && wholeNumber(keys[0].Type())
	t.empty(0)
	return t
}

// empty makes parts without rows.
func (t *hashTable) empty(bits uint) {
	t.bits, t.parts = bits, make([]tablePart, 1<<bits)
	for i := range t.parts {
		t.parts[i].table = keyTable{seed: t.seed, common: bits}
	}
}

// clear forgets all rows.
func (t *hashTable) clear() {
	t.rows, t.next = newColumnList(t.rows.width()), nil
	t.empty(0)
	t.held.release()
}

// different is how many different keys rows have that are linked.
func (t *hashTable) different() (n int) {
	for i := range t.parts {
		n += t.parts[i].table.count
	}
	return n
}

// add keeps a row, which is not linked yet.
func (t *hashTable) add(row types.Row) error {
	before := t.rows.bytes
	t.rows.addRow(row)
	if err := t.kept(1, t.rows.bytes-before); err != nil {
		return err
	}
	key, ok, err := t.keyOf(t.keys, row)
	if err != nil || !ok {
		return err
	}
	return t.held.add(t.arrived(key, t.rows.count))
}

// addAll is add for the rows of a batch.
func (t *hashTable) addAll(batch *types.Batch) error {
	if err := t.columns.load(batch); err != nil {
		return err
	}
	first, before := t.rows.count, t.rows.bytes
	t.rows.add(batch)
	if err := t.kept(batch.Len(), t.rows.bytes-before); err != nil {
		return err
	}
	bytes := int64(0)
	for i := range batch.Len() {
		if key, ok := t.keyAt(&t.columns, i); ok {
			bytes += t.arrived(key, first+i+1)
		}
	}
	return t.held.add(bytes)
}

// kept is called for rows that are kept.
func (t *hashTable) kept(rows int, bytes int64) error {
	t.next = append(t.next, make([]int32, rows)...)
	return t.held.add(bytes + int64(rows)*nextBytes)
}

// find is the first row whose keys equal those of another row, counted from 1; 0 is none.
func (t *hashTable) find(asks []expr.Expr, row types.Row) (int32, error) {
	key, ok, err := t.keyOf(asks, row)
	if err != nil || !ok {
		return 0, err
	}
	return t.first(key), nil
}

// findAll is find for all rows of a batch: the first rows are appended to out.
func (t *hashTable) findAll(asks *keyColumns, batch *types.Batch, out []int32) ([]int32, error) {
	if err := asks.load(batch); err != nil {
		return nil, err
	}
	if !t.whole {
		return t.findBytes(asks, batch.Len(), out), nil
	}
	for i := range batch.Len() {
		first := int32(0)
		if !asks.of[0].IsNull(i) {
			first = t.first(asks.of[0].Int(i))
		}
		out = append(out, first)
	}
	return out, nil
}

// findBytes is findAll where keys are bytes.
func (t *hashTable) findBytes(asks *keyColumns, rows int, out []int32) []int32 {
	t.asked.load(asks, rows, t.hash)
	if t.bits > 0 {
		t.asked.fetch(func(hash int64) *keyTable { return &t.parts[t.part(hash)].table })
	}
	for i := range rows {
		first := int32(0)
		if !t.isNull(asks, i) {
			t.key = t.asked.key(i)
			first = t.first(t.asked.hashes[i])
		}
		out = append(out, first)
	}
	return out
}

// isNull says whether keys equal nothing.
func (t *hashTable) isNull(keys *keyColumns, i int) bool {
	for at, v := range keys.of {
		if v.IsNull(i) && !t.nulls[at] {
			return true
		}
	}
	return false
}

// first is the first row of a key, counted from 1; 0 is none.
func (t *hashTable) first(key int64) int32 {
	p := &t.parts[t.part(key)]
	if p.table.slots == nil {
		return 0
	}
	if t.whole {
		return p.table.intSlot(key).first
	}
	return p.table.hashedSlot(t.key, key).first
}

// keyOf is the key of a row if it is one whole number, or else the hash of t.key, which is the key then. It is false
// where keys equal nothing.
func (t *hashTable) keyOf(keys []expr.Expr, row types.Row) (int64, bool, error) {
	if t.whole {
		var key [1]types.Value
		if err := evaluate(key[:], keys, t.context, row); err != nil || key[0].IsNull() {
			return 0, false, err
		}
		return key[0].Int(), true, nil
	}
	t.key = t.key[:0]
	for i, k := range keys {
		v, err := k.Eval(t.context, row)
		if err != nil || v.IsNull() && !t.nulls[i] {
			return 0, false, err
		}
		t.key = types.AppendKey(t.key, v)
	}
	return t.hash(t.key), true, nil
}

// keyAt is keyOf for a row of columns.
func (t *hashTable) keyAt(keys *keyColumns, i int) (int64, bool) {
	switch {
	case t.isNull(keys, i):
		return 0, false
	case t.whole:
		return keys.of[0].Int(i), true
	}
	t.key = keys.appendKey(t.key[:0], i)
	return t.hash(t.key), true
}

// hash is that of a key of bytes.
func (t *hashTable) hash(key []byte) int64 { return int64(maphash.Bytes(t.seed, key)) }
