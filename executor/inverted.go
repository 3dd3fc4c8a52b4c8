package executor

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/inverted"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// Of an inverted index a row has an entry for each element of its values. None of them is unique, so that they are
// written without a look at what is there: those of elements that a row loses go, and those of elements that it gets
// come. That the row is guarded is enough.

// elementsOf is how elements of rows are found, and the ordinal in the table of the column that keys are made of.
type elementsOf struct {
	column int
	keys   []keyElements
}

// keyElements is one column of the key of an inverted index.
type keyElements struct {
	ordinal int
	class   *inverted.Class
}

// newElementsOf is nil for an index that is not inverted.
func newElementsOf(t *catalog.Table, x *catalog.Index) *elementsOf {
	if x == nil || !x.Method.Inverted() {
		return nil
	}
	out := &elementsOf{column: t.Ordinal(catalog.Element)}
	for i, k := range x.Layout.Key {
		out.keys = append(out.keys, keyElements{t.Ordinal(k.ID), inverted.Find(string(x.Method), x.Classes[i])})
	}
	return out
}

// of are the elements of a row, each once, in order.
func (e *elementsOf) of(c *expr.Context, row types.Row) (out []string, err error) {
	for i, k := range e.keys {
		list, err := k.class.Elements(c, i, row[k.ordinal])
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// same says whether two versions of a row have the same elements, as far as that can be told without finding them.
func (e *elementsOf) same(a, b types.Row) bool {
	return !slices.ContainsFunc(e.keys, func(k keyElements) bool {
		return !types.Identical(a[k.ordinal], b[k.ordinal])
	})
}

// each calls something with the row as the entry of each of some elements is made of it.
func (e *elementsOf) each(row types.Row, elements []string, do func() error) error {
	defer func() { row[e.column] = types.Null }()
	for _, one := range elements {
		row[e.column] = types.NewBytes([]byte(one))
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// without are elements that are not among others, which are in order.
func without(elements, others []string) []string {
	return slices.DeleteFunc(elements, func(e string) bool {
		_, there := slices.BinarySearch(others, e)
		return there
	})
}

// postings is a writer of the entries of inverted indexes.
type postings struct{ *writer }

// newInvertings are some inverted indexes, each with the condition of the rows that it holds.
func newInvertings(layouts []*layout, holds []plan.Predicate, c *expr.Context) ([]inverting, error) {
	conds, err := partial(layouts, holds, c)
	if err != nil || len(layouts) == 0 {
		return nil, err
	}
	out := make([]inverting, len(layouts))
	for i, l := range layouts {
		if out[i].layout = l; conds != nil {
			out[i].holds = conds[i]
		}
	}
	return out, nil
}

// inverting is an inverted index that is written, and which rows it holds; nil: all.
type inverting struct {
	*layout
	holds expr.Predicate
}

// elementsIn are the elements for which an inverted index has entries of a row.
func (w postings) elementsIn(x inverting, row types.Row) ([]string, error) {
	if row == nil || w.table.cells != nil && w.gone(row) {
		return nil, nil
	}
	if x.holds != nil {
		if held, err := x.holds(row); err != nil || !held {
			return nil, err
		}
	}
	return x.elements.of(w.env.Expr, row)
}

// leave deletes the entries that rows lose.
func (w postings) leave(changes []change) error {
	for _, x := range w.inverted {
		for _, c := range changes {
			if c.old == nil || w.keeps(x, c) {
				continue
			}
			old, err := w.elementsIn(x, c.old)
			if err != nil { // the writer of the row has met that
				continue
			}
			stay, err := w.staying(x, c)
			if err != nil {
				return err
			}
			lost := without(old, stay)
			if err := x.elements.each(c.old, lost, func() error { return w.remove(x.layout, c) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// keeps says whether all entries of a row stay as they are.
func (w postings) keeps(x inverting, c change) bool {
	return c.old != nil && c.new != nil && x.makes && x.holds == nil && w.table.cells == nil &&
		x.elements.same(c.old, c.new) && w.sameItem(x.layout, c) && w.sameRow(c)
}

// sameRow says whether the key of a row stays.
func (w postings) sameRow(c change) bool {
	return sameKey(w.table.rows.codec.Key(c.old), w.table.rows.codec.Key(c.new))
}

// staying are the elements whose entries are there before a change and behind it.
func (w postings) staying(x inverting, c change) ([]string, error) {
	if c.old == nil || c.new == nil || !x.makes || !w.sameRow(c) {
		return nil, nil
	}
	return w.elementsIn(x, c.new)
}

func (w postings) remove(l *layout, c change) error {
	key, guard := l.codec.Key(c.old), c.guard(l.leaving())
	if err := w.spend(l, key, change{old: c.old}, guard); err != nil {
		return err
	}
	if err := w.deleteItem(l, key, guard); err != nil {
		return w.storeError(err, "delete from", l.space.Name)
	}
	return nil
}

// put makes the entries that a row gets.
func (w postings) put(c change) error {
	for _, x := range w.inverted {
		if c.new == nil || !x.makes || w.keeps(x, c) {
			continue
		}
		gets, err := w.elementsIn(x, c.new)
		if err != nil {
			return err
		}
		if c.old != nil && w.sameRow(c) && w.sameItem(x.layout, c) {
			if old, err := w.elementsIn(x, c.old); err == nil {
				gets = without(gets, old)
			}
		}
		if err := x.elements.each(c.new, gets, func() error { return w.make(x.layout, c.new) }); err != nil {
			return err
		}
	}
	return nil
}

func (w postings) make(l *layout, row types.Row) error {
	key, guard := l.codec.Key(row), store.Always
	if err := l.codec.CheckLength(key, w.env.Tables.Store, l.name); err != nil {
		return w.keyError(l, err)
	}
	switch {
	case l.loose:
		guard = store.Loose
	case w.watched:
		guard = store.Unchanged
	}
	if err := w.spend(l, key, change{new: row}, guard); err != nil {
		return err
	}
	w.values = l.item(w.values[:0], row)
	if err := w.putItem(l, store.Item{Key: key, Values: w.values}, guard); err != nil {
		return w.storeError(err, "put into", l.space.Name)
	}
	return nil
}
