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
		out.keys = append(out.keys, keyElements{t.Ordinal(k.ID), inverted.Of(x, i)})
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
	if held, err := inIndex(w.writer, x.holds, row); err != nil || !held {
		return nil, err
	}
	return x.elements.of(w.env.Expr, row)
}

// had are the elements for which it has entries of a row that is stored: none if they cannot be found, which the writer
// of the row would have met.
func (w postings) had(x inverting, row types.Row) []string {
	elements, err := w.elementsIn(x, row)
	if err != nil {
		return nil
	}
	return elements
}

// leave deletes all entries of rows that go, or leave their keys. Those of other rows may come to be there.
func (w postings) leave(changes []change) error {
	for _, x := range w.inverted {
		for _, c := range changes {
			if c.old == nil || w.stays(x, c) {
				continue
			}
			if err := w.drop(x, c, w.had(x, c.old)); err != nil {
				return err
			}
		}
	}
	return nil
}

// stays says whether a row that changes keeps its key, and gets entries of elements that it keeps.
func (w postings) stays(x inverting, c change) bool {
	return c.old != nil && c.new != nil && x.makes &&
		sameKey(w.table.rows.codec.Key(c.old), w.table.rows.codec.Key(c.new))
}

// put makes the entries of a row. Of one that keeps its key those of elements that it loses go, and only others come.
func (w postings) put(c change) error {
	for _, x := range w.inverted {
		if c.new == nil || !x.makes {
			continue
		}
		stays := w.stays(x, c)
		if stays && x.holds == nil && w.table.cells == nil && x.elements.same(c.old, c.new) && w.sameItem(x.layout, c) {
			continue
		}
		gets, err := w.elementsIn(x, c.new)
		if err != nil {
			return err
		}
		if stays {
			had := w.had(x, c.old)
			if err := w.drop(x, c, without(slices.Clone(had), gets)); err != nil {
				return err
			}
			if w.sameItem(x.layout, c) {
				gets = without(gets, had)
			}
		}
		if err := x.elements.each(c.new, gets, func() error { return w.make(x.layout, c.new) }); err != nil {
			return err
		}
	}
	return nil
}

// drop deletes the entries that the old row of a change has under elements.
func (w postings) drop(x inverting, c change, elements []string) error {
	guard := c.guard(x.leaving())
	return x.elements.each(c.old, elements, func() error {
		return removeItem(w.frame, x.layout, x.codec.Key(c.old), change{old: c.old}, guard)
	})
}

// make puts the entry of a row whose element is set.
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
	return putNew(w.writer, l, key, change{new: row}, guard)
}
