package executor

import (
	"zproxy/expr"
	"zproxy/types"
)

// hashTable keeps rows by the values of keys. Rows with equal keys are a chain in the order
// in which they came. A NULL among the keys equals nothing, unless its key says so; such a
// row is kept, but not found.
type hashTable struct {
	context *expr.Context
	keys    []expr.Expr // over the rows of the table
	columns keyColumns  // the same for batches
	nulls   []bool      // whether NULLs of a key are equal
	rows    columnList
	next    []int32 // of each row the next one in its chain, counted from 1; 0 ends it
	held    hold
	whole   bool // the key is one whole number
	numbers keyTable
	chains  []chain // of the keys by their numbers
	key     []byte
}

// nextBytes is what a row takes in next.
const nextBytes = 4

// chain is the first row and the last one of a chain, counted from 1.
type chain struct{ first, last int32 }

// prepare chooses how keys are kept.
func (t *hashTable) prepare() {
	t.columns = keyColumns{keys: t.keys, by: t.context}
	t.whole = len(t.keys) == 1 && !t.nulls[0] && wholeNumber(t.keys[0].Type())
}

// clear forgets all rows.
func (t *hashTable) clear() {
	t.rows, t.next, t.numbers, t.chains = newColumnList(t.rows.width()), nil, keyTable{}, nil
	t.held.release()
}

// different is how many different keys there are.
func (t *hashTable) different() int { return len(t.chains) }

// add keeps a row.
func (t *hashTable) add(row types.Row) error {
	before := t.rows.bytes
	t.rows.addRow(row)
	if err := t.kept(1, t.rows.bytes-before); err != nil {
		return err
	}
	number, there, err := t.number(t.keys, row, true)
	if err != nil {
		return err
	}
	return t.link(t.rows.count-1, number, there)
}

// addAll keeps the rows of a batch.
func (t *hashTable) addAll(batch *types.Batch) error {
	if err := t.columns.load(batch); err != nil {
		return err
	}
	first, before := t.rows.count, t.rows.bytes
	t.rows.add(batch)
	if err := t.kept(batch.Len(), t.rows.bytes-before); err != nil {
		return err
	}
	for i := range batch.Len() {
		number, there := t.numberOf(&t.columns, i, true)
		if err := t.link(first+i, number, there); err != nil {
			return err
		}
	}
	return nil
}

// kept is called for rows that are kept, which are in no chain yet.
func (t *hashTable) kept(rows int, bytes int64) error {
	t.next = append(t.next, make([]int32, rows)...)
	return t.held.add(bytes + int64(rows)*nextBytes)
}

// link adds a row to the chain of a key, which is new unless it was there.
func (t *hashTable) link(row, number int, there bool) error {
	switch {
	case number < 0:
		return nil
	case !there:
		t.chains = append(t.chains, chain{})
		if err := t.held.add(int64(len(t.key)) + rowOverhead); err != nil {
			return err
		}
	}
	c, at := &t.chains[number], int32(row+1)
	if c.first == 0 {
		c.first = at
	} else {
		t.next[c.last-1] = at
	}
	c.last = at
	return nil
}

// find is the first row whose keys equal those of another row, counted from 1; 0 is none.
func (t *hashTable) find(asks []expr.Expr, row types.Row) (int32, error) {
	number, _, err := t.number(asks, row, false)
	if err != nil || number < 0 {
		return 0, err
	}
	return t.chains[number].first, nil
}

// findAll is find for all rows of a batch: the first rows are appended to out.
func (t *hashTable) findAll(asks *keyColumns, batch *types.Batch, out []int32) ([]int32, error) {
	if err := asks.load(batch); err != nil {
		return nil, err
	}
	for i := range batch.Len() {
		first := int32(0)
		if number, _ := t.numberOf(asks, i, false); number >= 0 {
			first = t.chains[number].first
		}
		out = append(out, first)
	}
	return out, nil
}

// number is the number of the keys of a row, and whether it was there. It is negative when there is none and none is
// to be made.
func (t *hashTable) number(keys []expr.Expr, row types.Row, add bool) (int, bool, error) {
	if t.whole {
		var key [1]types.Value
		if err := evaluate(key[:], keys, t.context, row); err != nil || key[0].IsNull() {
			return -1, false, err
		}
		number, there := t.numbers.ofInt(key[0].Int(), add)
		return number, there, nil
	}
	t.key = t.key[:0]
	for i, k := range keys {
		v, err := k.Eval(t.context, row)
		if err != nil || v.IsNull() && !t.nulls[i] {
			return -1, false, err
		}
		t.key = types.AppendKey(t.key, v)
	}
	number, there := t.numbers.ofBytes(t.key, add)
	return number, there, nil
}

// numberOf is number for a row of columns.
func (t *hashTable) numberOf(keys *keyColumns, i int, add bool) (int, bool) {
	if t.whole {
		if keys.of[0].IsNull(i) {
			return -1, false
		}
		return t.numbers.ofInt(keys.of[0].Int(i), add)
	}
	t.key = t.key[:0]
	for at, v := range keys.of {
		if v.IsNull(i) && !t.nulls[at] {
			return -1, false
		}
		t.key = v.AppendKey(t.key, i)
	}
	return t.numbers.ofBytes(t.key, add)
}
