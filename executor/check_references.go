package executor

import (
	"context"
	"iter"
	"slices"

	"zproxy/planner/plan"
	"zproxy/planner/referential"
	"zproxy/store"
	"zproxy/types"
)

// Orphans goes through the rows of the table and yields those that refer by a foreign key to a row that is not there.
// The check has no index.
func (x IndexCheck) Orphans(ctx context.Context, r *plan.Reference) iter.Seq2[*Finding, error] {
	return func(yield func(*Finding, error) bool) {
		c, err := x.start(ctx)
		if err == nil {
			defer c.held.release()
			judge := func(at []store.Key, rows []types.Row) ([]*Finding, error) { return c.judgeChildren(r, at, rows) }
			_, err = c.each(side{c.table.rows, judge}, func(f *Finding) bool { return yield(f, nil) })
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// judgeChildren looks for the rows that rows refer to.
func (c *checker) judgeChildren(r *plan.Reference, at []store.Key, rows []types.Row) ([]*Finding, error) {
	found := make([]*Finding, len(rows))
	report := func(i int, detail string) {
		found[i] = &Finding{Class: orphan, Key: kin{&c.writer}.keyOf(r.Own, rows[i]),
			Row: c.keyText(c.table.rows, rows[i]), Detail: detail, at: at[i], ofRow: true}
	}
	var keys []types.Row
	var of []int
	for i, row := range rows {
		key := make(types.Row, len(r.Own))
		for j, ordinal := range r.Own {
			key[j] = row[ordinal]
		}
		switch {
		case !mixesNulls(key):
			keys, of = append(keys, key), append(of, i)
		case r.Key.Full && slices.ContainsFunc(key, func(v types.Value) bool { return !v.IsNull() }):
			report(i, referential.MixedNulls)
		}
	}
	missing, err := keyKeeper{c.frame}.missing(r, keys, (*parentKeys).see)
	if err != nil || len(missing) == 0 {
		return found, err
	}
	for n, i := range of {
		same := func(key types.Row) bool { return slices.EqualFunc(key, keys[n], types.Identical) }
		if slices.ContainsFunc(missing, same) {
			report(i, "No row of table \""+r.Parent.Name+"\" has the key.")
		}
	}
	return found, nil
}

// see says which of the keys rows have, as the transaction sees them.
func (p *parentKeys) see() ([]bool, error) {
	get := store.Get{Stats: &p.profile().Stats}
	at := p.ask(&get)
	out := make([]bool, len(p.rows))
	if len(get.Keys) == 0 {
		return out, nil
	}
	get.Columns = p.layout.columns(p.table.KeyOrdinals())
	found, err := p.env.Txn.Get(p.ctx, p.layout.space, &get, types.NewBatch(len(get.Columns)))
	if err != nil {
		return nil, p.storeError(err, "get from", p.layout.space.Name)
	}
	for i, there := range found {
		if there {
			out[at[i/p.layout.keysPerRow]] = true
		}
	}
	return out, nil
}
