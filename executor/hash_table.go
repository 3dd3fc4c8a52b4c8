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
	nulls   []bool      // whether NULLs of a key are equal
	rows    rowList
	next    []int32 // of each row the next one in its chain, counted from 1; 0 ends it
	held    hold
	whole   bool // the key is one whole number
	numbers keyTable
	chains  []chain // of the keys by their numbers
	key     []byte
}

// chain is the first row and the last one of a chain, counted from 1.
type chain struct{ first, last int32 }

// prepare chooses how keys are kept.
func (t *hashTable) prepare() {
	t.whole = len(t.keys) == 1 && !t.nulls[0] && wholeNumber(t.keys[0].Type())
}

// clear forgets all rows.
func (t *hashTable) clear() {
	t.rows, t.next, t.numbers, t.chains = rowList{width: t.rows.width}, nil, keyTable{}, nil
	t.held.release()
}

// different is how many different keys there are.
func (t *hashTable) different() int { return len(t.chains) }

// add keeps a row.
func (t *hashTable) add(row types.Row) error {
	t.rows.add(row)
	t.next = append(t.next, 0)
	if err := t.held.addRow(row); err != nil {
		return err
	}
	c, err := t.chain(t.keys, row, true)
	if err != nil || c == nil {
		return err
	}
	at := int32(t.rows.count)
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
	c, err := t.chain(asks, row, false)
	if err != nil || c == nil {
		return 0, err
	}
	return c.first, nil
}

// chain is the one of the keys of a row, nil when there is none and none is to be made.
func (t *hashTable) chain(keys []expr.Expr, row types.Row, add bool) (*chain, error) {
	var number int
	var there bool
	if t.whole {
		var key [1]types.Value
		if err := evaluate(key[:], keys, t.context, row); err != nil || key[0].IsNull() {
			return nil, err
		}
		number, there = t.numbers.ofInt(key[0].Int(), add)
	} else {
		t.key = t.key[:0]
		for i, k := range keys {
			v, err := k.Eval(t.context, row)
			if err != nil || v.IsNull() && !t.nulls[i] {
				return nil, err
			}
			t.key = types.AppendKey(t.key, v)
		}
		number, there = t.numbers.ofBytes(t.key, add)
	}
	switch {
	case there:
		return &t.chains[number], nil
	case !add:
		return nil, nil
	}
	t.chains = append(t.chains, chain{})
	return &t.chains[number], t.held.add(int64(len(t.key)) + rowOverhead)
}
