package executor

import (
	"zproxy/planner/expr"
	"zproxy/types"
)

// hashTable keeps rows by the values of keys. Rows with equal keys are a chain in the order
// in which they came. A NULL among the keys equals nothing, unless its key says so; such a
// row is kept, but not found.
type hashTable struct {
	context *expr.Context
	keys    []expr.Expr // over the rows of the table
	nulls   []bool      // whether NULLs of a key are equal
	rows    []types.Row
	next    []int32 // of each row the next one in its chain, counted from 1; 0 ends it
	slab    slab
	held    hold
	single  bool // the key is one whole number
	ints    intChains
	others  map[string]int // places in chains of keys that are no whole number
	chains  []chain
	key     []byte
}

// chain is the first row and the last one of a chain, counted from 1.
type chain struct{ first, last int32 }

// prepare chooses how keys are kept.
func (t *hashTable) prepare() {
	t.single = len(t.keys) == 1 && !t.nulls[0] && wholeNumber(t.keys[0].Type().Kind())
	t.others = map[string]int{}
}

// clear forgets all rows.
func (t *hashTable) clear() {
	t.rows, t.next, t.ints, t.others, t.chains = nil, nil, intChains{}, map[string]int{}, nil
	t.slab = slab{width: t.slab.width}
	t.held.release()
}

// different is how many different keys there are.
func (t *hashTable) different() int { return t.ints.taken + len(t.chains) }

// wholeNumber says whether values of a kind are equal when their integers are.
func wholeNumber(k types.Kind) bool {
	return k == types.KindInt || k == types.KindDate || k == types.KindTimestamp || k == types.KindTime
}

// add keeps a row.
func (t *hashTable) add(row types.Row) error {
	t.rows, t.next = append(t.rows, t.slab.keep(row)), append(t.next, 0)
	if err := t.held.addRow(row); err != nil {
		return err
	}
	c, err := t.chain(t.keys, row, true)
	if err != nil || c == nil {
		return err
	}
	at := int32(len(t.rows))
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
	if t.single {
		v, err := keys[0].Eval(t.context, row)
		if err != nil || v.IsNull() {
			return nil, err
		}
		return t.ints.at(v.Int(), add), nil
	}
	t.key = t.key[:0]
	for i, k := range keys {
		v, err := k.Eval(t.context, row)
		if err != nil || v.IsNull() && !t.nulls[i] {
			return nil, err
		}
		t.key = types.AppendKey(t.key, v)
	}
	at, ok := t.others[string(t.key)]
	switch {
	case ok:
		return &t.chains[at], nil
	case !add:
		return nil, nil
	}
	at = len(t.chains)
	t.others[string(t.key)] = at
	t.chains = append(t.chains, chain{})
	return &t.chains[at], t.held.add(int64(len(t.key)) + rowOverhead)
}

// intChains finds chains by a number: open addressing with linear probing (Knuth, The Art
// of Computer Programming, volume 3, 6.4, algorithm L). At most half of the places are
// taken.
type intChains struct {
	places []intChain
	taken  int
	shift  uint
}

type intChain struct {
	key int64
	chain
}

// at is the chain of a key, nil when there is none and none is to be made.
func (c *intChains) at(key int64, add bool) *chain {
	if add && 2*c.taken >= len(c.places) {
		c.grow()
	}
	if len(c.places) == 0 {
		return nil
	}
	for i := c.hash(key); ; i = (i + 1) & (len(c.places) - 1) {
		p := &c.places[i]
		switch {
		case p.last != 0 && p.key == key:
			return &p.chain
		case p.last != 0:
		case !add:
			return nil
		default:
			p.key = key
			c.taken++
			return &p.chain
		}
	}
}

// hash spreads keys by a multiplication (the same, 6.4).
func (c *intChains) hash(key int64) int {
	return int(uint64(key) * 0x9E3779B97F4A7C15 >> c.shift)
}

func (c *intChains) grow() {
	old := c.places
	size, shift := 64, uint(58)
	for size < 2*len(old) {
		size, shift = 2*size, shift-1
	}
	c.places, c.shift = make([]intChain, size), shift
	for _, p := range old {
		if p.last == 0 {
			continue
		}
		i := c.hash(p.key)
		for c.places[i].last != 0 {
			i = (i + 1) & (size - 1)
		}
		c.places[i] = p
	}
}
