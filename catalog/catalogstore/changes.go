package catalogstore

import (
	"context"
	"encoding/json"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/extent"
	"zproxy/catalog/tally"
	"zproxy/store"
)

// Changed is how many rows of a table were changed since its statistics were made, and which lie beyond the values that
// these know, as all processes together have written that down.
type Changed struct {
	Space uint64    // in which the rows lie
	Made  time.Time // the statistics; zero: there are none
	tally.Changes
	Tails map[uint32]extent.Tails // by column
}

// storedChanged is the form of Changed in the store: values as texts of their types.
type storedChanged struct {
	Space uint64
	Made  time.Time `json:",omitzero"`
	tally.Changes
	Tails map[uint32]storedTails `json:",omitempty"`
}

type storedTails struct {
	Below, Above storedTail `json:",omitzero"`
}

type storedTail struct {
	Rows  float64
	Value *string `json:",omitempty"`
}

// follows says whether some changes are of later statistics, or of a table that has been emptied since.
func (c Changed) follows(o Changed) bool {
	return c.Space > o.Space || c.Space == o.Space && c.Made.After(o.Made)
}

// AddChanged adds what a process has counted since some statistics to what is stored, which it gives. What is stored of
// earlier statistics is replaced, and that of later ones stays: what was counted is of rows that these have seen.
func AddChanged(ctx context.Context, txn store.Txn, t *catalog.Table, c Changed) (Changed, error) {
	var in storedChanged
	if _, err := read(ctx, txn, kindChanged, uint64(t.ID), &in); err != nil {
		return Changed{}, err
	}
	sum := in.of(t)
	switch {
	case sum.Made.Equal(c.Made):
		sum.Space = c.Space
		sum.Add(c.Changes)
		sum.Tails = extent.Sum(sum.Tails, c.Tails)
	case c.follows(sum):
		sum = c
	default:
		return sum, nil
	}
	return sum, putRead(txn, kindChanged, uint64(t.ID), sum.stored(t))
}

// EachChanged gives what is stored of each table of a catalog, and the numbers of those that are no more with nil.
func EachChanged(ctx context.Context, txn store.Txn, whole *catalog.Whole,
	f func(id uint32, t *catalog.Table, c Changed),
) error {
	return each(ctx, txn, kindChanged, func(id uint64, body string) error {
		var in storedChanged
		if err := json.Unmarshal([]byte(body), &in); err != nil {
			return damaged(kindChanged, id, err)
		}
		if t := whole.Table(uint32(id)); t != nil {
			f(uint32(id), t, in.of(t))
		} else {
			f(uint32(id), nil, Changed{})
		}
		return nil
	})
}

// DeleteChanged forgets what is stored of tables that are no more.
func DeleteChanged(txn store.Txn, tables []uint32) error {
	for _, id := range tables {
		if err := txn.Delete(space, keyOf(kindChanged, uint64(id)), store.Always); err != nil {
			return err
		}
	}
	return nil
}

func (c *Changed) stored(t *catalog.Table) storedChanged {
	out := storedChanged{Space: c.Space, Made: c.Made, Changes: c.Changes, Tails: map[uint32]storedTails{}}
	for id, tails := range c.Tails {
		if of, ok := typeOf(&t.Stats, t, id); ok {
			tail := func(in extent.Tail) storedTail { return storedTail{in.Rows, textOf(in.Value, of)} }
			out.Tails[id] = storedTails{tail(tails.Below), tail(tails.Above)}
		}
	}
	return out
}

// of reads what was stored. Values that are not of the type of their column are left out: nothing depends on them.
func (c storedChanged) of(t *catalog.Table) Changed {
	out := Changed{Space: c.Space, Made: c.Made, Changes: c.Changes}
	for id, tails := range c.Tails {
		of, ok := typeOf(&t.Stats, t, id)
		if !ok {
			continue
		}
		below, err := valueOf(tails.Below.Value, of)
		above, wrong := valueOf(tails.Above.Value, of)
		if err != nil || wrong != nil {
			continue
		}
		if out.Tails == nil {
			out.Tails = map[uint32]extent.Tails{}
		}
		out.Tails[id] = extent.Tails{Below: extent.Tail{Rows: tails.Below.Rows, Value: below},
			Above: extent.Tail{Rows: tails.Above.Rows, Value: above}}
	}
	return out
}
