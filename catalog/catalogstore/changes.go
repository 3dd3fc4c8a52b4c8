package catalogstore

import (
	"context"
	"encoding/json"
	"time"

	"zproxy/catalog/tally"
	"zproxy/store"
)

// Changed is how many rows of a table were changed since its statistics were made, as all processes together have
// written that down.
type Changed struct {
	Space uint64    // in which the rows lie
	Made  time.Time `json:",omitzero"` // the statistics; zero: there are none
	tally.Changes
}

// follows says whether some changes are of later statistics, or of a table that has been emptied since.
func (c Changed) follows(o Changed) bool {
	return c.Space > o.Space || c.Space == o.Space && c.Made.After(o.Made)
}

// AddChanged adds what a process has counted since some statistics to what is stored, which it gives. What is stored of
// earlier statistics is replaced, and that of later ones stays: what was counted is of rows that these have seen.
func AddChanged(ctx context.Context, txn store.Txn, table uint32, c Changed) (Changed, error) {
	var sum Changed
	if _, err := read(ctx, txn, kindChanged, uint64(table), &sum); err != nil {
		return sum, err
	}
	switch {
	case sum.Made.Equal(c.Made):
		sum.Space = c.Space
		sum.Add(c.Changes)
	case c.follows(sum):
		sum = c
	default:
		return sum, nil
	}
	return sum, putRead(txn, kindChanged, uint64(table), sum)
}

// EachChanged gives what is stored of each table, also of tables that are no more.
func EachChanged(ctx context.Context, txn store.Txn, f func(table uint32, c Changed)) error {
	return each(ctx, txn, kindChanged, func(id uint64, body string) error {
		var c Changed
		err := json.Unmarshal([]byte(body), &c)
		if err == nil {
			f(uint32(id), c)
		}
		return err
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
