package executor

import (
	"slices"

	"zproxy/catalog"
	"zproxy/planner/plan"
	"zproxy/planner/referential"
	"zproxy/planner/rowlock"
	"zproxy/store"
	"zproxy/types"
)

// parentBatch is how many parents are looked up together.
const parentBatch = 1000

// mostParentTries is how often parents are looked up again that others move to other rows meanwhile.
const mostParentTries = 10

// checkParents wants rows of the parent to have some keys, and to stay until the transaction ends. No row may have
// keys with NULL among them: they are only given where the foreign key is MATCH FULL.
func (f keyKeeper) checkParents(r *plan.Reference, keys []types.Row) error {
	whole, mixed := keys, []types.Row(nil)
	if slices.ContainsFunc(keys, mixesNulls) {
		whole = slices.DeleteFunc(slices.Clone(keys), mixesNulls)
		mixed = slices.DeleteFunc(slices.Clone(keys), func(k types.Row) bool { return !mixesNulls(k) })
	}
	for tries := 0; len(whole) > 0; tries++ {
		missing, err := f.missing(r, whole, (*parentKeys).lookUp)
		if err != nil {
			return err
		}
		whole, err = f.moved(r, missing)
		switch {
		case err != nil:
			return err
		case len(whole) > 0 && (tries == mostParentTries || f.env.Locks != nil && f.env.Locks.Fixed()):
			return concurrent("update")
		}
	}
	return f.refused(r, referential.Mixed(r), mixed)
}

// moved are those of some keys, to which rows still refer, that rows of the parent have by now: no lock keeps these
// rows yet, so the keys are to be looked up again. It is an error if no row has one.
func (f keyKeeper) moved(r *plan.Reference, missing []types.Row) ([]types.Row, error) {
	if err := f.refused(r, referential.Missing(r), missing); err != nil || len(missing) == 0 {
		return nil, err
	}
	s := referential.Referring(r)
	s.Keys = missing
	return f.env.References.Run(f.ctx, s)
}

func mixesNulls(key types.Row) bool { return slices.ContainsFunc(key, types.Value.IsNull) }

// refused is the error about keys that no row may refer to, if rows still do as a statement finds: a row that did may
// be no more.
func (f keyKeeper) refused(r *plan.Reference, s referential.Statement, keys []types.Row) error {
	if len(keys) == 0 {
		return nil
	}
	if f.env.References != nil {
		s.Keys = keys
		found, err := f.env.References.Run(f.ctx, s)
		if err != nil || len(found) == 0 {
			return err
		}
		keys = found
	}
	if mixesNulls(keys[0]) {
		return referential.Unmet(r.Child, r.Key.Name).WithDetail(referential.MixedNulls)
	}
	return f.notPresent(r, keys[0])
}

// parentLookup says which of some keys rows have.
type parentLookup func(*parentKeys) ([]bool, error)

// missing are those of some keys that no row of the parent has.
func (f keyKeeper) missing(r *plan.Reference, keys []types.Row, by parentLookup) ([]types.Row, error) {
	var out []types.Row
	for some := range slices.Chunk(keys, parentBatch) {
		none, err := f.missingOf(r, some, by)
		if err != nil {
			return nil, err
		}
		out = append(out, none...)
	}
	return out, nil
}

// parentKeys are keys that are looked up in one table: the parent, or a partition of it.
type parentKeys struct {
	frame
	table  *table
	layout *layout
	asked  []types.Row // keys
	rows   []types.Row // rows of the parent that would have them
}

func (f keyKeeper) missingOf(r *plan.Reference, keys []types.Row, by parentLookup) (out []types.Row, err error) {
	of := map[int]*parentKeys{}
	var order []*parentKeys
	for _, key := range keys {
		row, ok := f.parentRow(r, key)
		part := 0
		if ok && r.Partitions != nil {
			if part, _, err = r.Partitions.Find(f.env.Expr, row); err != nil {
				return nil, err
			}
			ok = part >= 0
		}
		if !ok {
			out = append(out, key)
			continue
		}
		p := of[part]
		if p == nil {
			if p, err = f.parentKeys(r, part); err != nil {
				return nil, err
			}
			of[part], order = p, append(order, p)
		}
		p.asked, p.rows = append(p.asked, key), append(p.rows, row)
	}
	for _, p := range order {
		there, err := by(p)
		if err != nil {
			return nil, err
		}
		for i, ok := range there {
			if !ok {
				out = append(out, p.asked[i])
			}
		}
	}
	return out, nil
}

// parentRow is a row of the parent with a key, as far as it can have it: the values are cast to the types there, and
// are in the collations there.
func (f keyKeeper) parentRow(r *plan.Reference, key types.Row) (types.Row, bool) {
	row := make(types.Row, len(r.Parent.Columns))
	for i, at := range r.Refers {
		from, to := r.Child.Columns[r.Own[i]].Type, r.Parent.Columns[at].Type.Bare()
		v := key[i]
		if from.OID != to.OID {
			cast, ok := types.FindCast(from.OID, to.OID)
			if !ok {
				return nil, false
			}
			var err error
			if v, err = cast.Fn(v, to, f.env.Expr.Env); err != nil {
				return nil, false // no value of the type equals it
			}
		}
		row[at] = to.Collate(v)
	}
	return row, true
}

// parentKeys prepares the lookup in the parent, or in a partition of it.
func (f keyKeeper) parentKeys(r *plan.Reference, part int) (*parentKeys, error) {
	t, index := r.Parent, r.Index
	if r.Partitions != nil {
		t = r.Partitions.Of[part].Table
		if index != nil {
			index = index.OfPartition(t)
		}
	}
	p, err := f.env.Tables.of(t)
	if err != nil {
		return nil, err
	}
	l, err := p.layoutOf(index)
	return &parentKeys{frame: f.frame, table: p, layout: l}, err
}

// ask asks for the keys, and says of which of them each key that can be in the index is.
func (p *parentKeys) ask(get *store.Get) []int {
	at := make([]int, 0, len(p.rows))
	for i, row := range p.rows {
		if p.layout.codec.CheckValues(row, p.layout.name) == nil {
			at, get.Keys = append(at, i), append(get.Keys, p.layout.codec.Everywhere(row)...)
		}
	}
	return at
}

// lookUp says which of the keys rows have. These are locked, in a store that other processes share by the commit.
func (p *parentKeys) lookUp() ([]bool, error) {
	get := store.Get{Remember: true, Hold: p.holds() && p.layout.index == nil, Stats: &p.profile().Stats}
	at := p.ask(&get)
	out := make([]bool, len(p.rows))
	if len(get.Keys) == 0 {
		return out, nil
	}
	switch {
	case p.layout.index != nil:
		get.Columns = p.layout.columns(p.table.KeyOrdinals())
	case !get.Hold:
		get.Columns = p.keyColumns()
	}
	items, found, err := p.get(p.layout, &get)
	if err != nil {
		return nil, err
	}
	var want []int
	var held []store.Key
	for i, there := range found {
		if !there {
			continue
		}
		of := at[i/p.layout.keysPerRow]
		switch {
		case get.Hold:
			out[of] = true
			err = p.spend(p.layout, get.Keys[i], change{}, store.Unchanged)
		case p.holds():
			want, held = append(want, of), append(held, p.keyOf(items.Row(i)))
		default:
			out[of], err = p.lockParent(p.rows[of], items.Row(i))
		}
		if err != nil {
			return nil, err
		}
	}
	return out, p.holdRows(held, want, out)
}

// holdRows holds rows of the parent that an index has shown, and notes which of the wanted ones have the keys that they
// should: an entry has no guard of its own, since that of its row stands for both.
func (p *parentKeys) holdRows(keys []store.Key, want []int, out []bool) error {
	if len(keys) == 0 {
		return nil
	}
	get := store.Get{Keys: keys, Remember: true, Hold: true, Columns: p.keyColumns(), Stats: &p.profile().Stats}
	rows, found, err := p.get(p.table.rows, &get)
	if err != nil {
		return err
	}
	for i, there := range found {
		if of := want[i]; there && p.has(rows.Row(i), p.rows[of]) {
			out[of] = true
			if err := p.spend(p.table.rows, keys[i], change{}, store.Unchanged); err != nil {
				return err
			}
		}
	}
	return nil
}

// keyOf is the key of the row that an entry of the index is of.
func (p *parentKeys) keyOf(entry types.Row) store.Key {
	row := make(types.Row, len(p.table.Columns))
	for i, at := range p.table.KeyOrdinals() {
		row[at] = entry[i]
	}
	return p.table.rows.codec.Key(row)
}

// has says whether a row has the key of another one: 1.0 is that of 1.00.
func (p *parentKeys) has(row, want types.Row) bool {
	return !slices.ContainsFunc(p.layout.key, func(at int) bool { return !types.Equal(want[at], row[at]) })
}

// holds says whether the commit keeps the rows that are found as they are, and not a lock.
func (p *parentKeys) holds() bool { return p.env.Locks == nil || p.env.Locks.Shared() }

// keyColumns are the columns of the table, but for those that no key has which only one row may have.
func (p *parentKeys) keyColumns() []int {
	out := slices.Repeat([]int{store.NoColumn}, len(p.table.Columns))
	for _, l := range p.table.layouts {
		if l.unique {
			for _, at := range l.key {
				out[at] = at
			}
		}
	}
	for _, at := range p.table.KeyOrdinals() {
		out[at] = at
	}
	return out
}

// get reads items, and says at which keys there are some. A transaction that does not keep to one state reads what is
// committed now.
func (p *parentKeys) get(l *layout, get *store.Get) (*types.Batch, []bool, error) {
	get.Latest = !p.holds() && !p.env.Locks.Fixed() && unique{&writer{frame: p.frame}}.late(l, get.Keys) != nil
	items := types.NewBatch(len(get.Columns))
	found, err := p.env.Txn.Get(p.ctx, l.space, get, items)
	if err != nil {
		return nil, nil, p.storeError(err, "get from", l.space.Name)
	}
	return items, found, nil
}

// lockParent locks the row of an item, and says whether it has the wanted key then.
func (p *parentKeys) lockParent(want, item types.Row) (bool, error) {
	row := item
	if p.layout.index != nil {
		rows, found, err := p.get(p.table.rows, &store.Get{Keys: []store.Key{p.keyOf(item)}, Remember: true,
			Columns: p.keyColumns(), Stats: &p.profile().Stats})
		if err != nil || !found[0] {
			return false, err
		}
		row = rows.Row(0)
	}
	newest, v, err := p.lockRow(p.table, rowlock.Lock{Strength: rowlock.KeyShare}, row)
	switch {
	case err != nil:
		return false, err
	case v == rowGone && p.env.Locks.Fixed():
		return false, concurrent("delete")
	case v == rowChanged && p.env.Locks.Fixed():
		return false, concurrent("update")
	case v == rowGone:
		return false, nil
	}
	return p.has(newest, want), nil
}

// writtenLater keeps a row that others have written later than another transaction sees, and skips others.
func writtenLater(f frame, t *table, row types.Row) lockVerdict {
	key := t.rows.codec.Key(row)
	if f.env.Later.Overtaken(t.rows.space, key, nil) && !f.env.Later.Wrote(t.rows.space, key) {
		return rowSame
	}
	return rowSkipped
}

// notPresent says that no row of the parent has a key that a row refers to.
func (f keyKeeper) notPresent(r *plan.Reference, key types.Row) error {
	return f.kin(r.Child).notPresent(r.Key.Name, r.Parent.Name, r.Own, rowOf(r.Own, key, len(r.Child.Columns)))
}

// stillReferred says that rows refer to a key that is there no more.
func (f keyKeeper) stillReferred(r *plan.Reference, key types.Row) error {
	return f.kin(r.Parent).stillReferred(r.Child, r.Key.Name, r.Refers,
		rowOf(r.Refers, key, len(r.Parent.Columns)))
}

// kin is what tells of rows of a table.
func (f keyKeeper) kin(t *catalog.Table) kin {
	return kin{&writer{frame: f.frame, table: &table{Table: t}}}
}

// rowOf is a row of some width with the values of a key.
func rowOf(ordinals []int, key types.Row, width int) types.Row {
	row := make(types.Row, width)
	for i, at := range ordinals {
		row[at] = key[i]
	}
	return row
}
