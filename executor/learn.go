package executor

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/extent"
	"zproxy/types"
)

// learnedColumns are the columns, and the axes of points, from which the keys of a table are made: where there are
// statistics, those that have a greatest value.
func learnedColumns(t *catalog.Table) []measured {
	if t.Foreign != nil {
		return nil
	}
	var out []measured
	add := func(id uint32) {
		if t.Stats.Known && t.Stats.Columns[id].Max.IsNull() {
			return
		}
		if !slices.ContainsFunc(out, func(m measured) bool { return m.ID == id }) {
			out = append(out, measured{Source: t.Source(id)})
		}
	}
	of := func(l *catalog.Layout) {
		for _, id := range l.Columns() {
			if axes := axis.Of(id, t.Source(id).Type); axes != nil {
				for _, a := range axes {
					add(a)
				}
				continue
			}
			add(axis.Unformed(id))
		}
	}
	of(&t.Primary)
	for i := range t.Indexes {
		of(&t.Indexes[i].Layout)
	}
	return out
}

// learn notes what the keys of new rows are made from, by which conditions are estimated until there are statistics.
func (t *table) learn(changes []change) {
	if t.learned == nil || len(changes) == 0 {
		return
	}
	if t.Stats.Known {
		t.learnGrowth(changes)
		return
	}
	var key []byte
	t.Stats.Extent.Written(func(rows extent.Rows) {
		added := 0
		for i := range changes {
			if changes[i].old != nil {
				added--
			}
			if changes[i].new != nil {
				added++
				key = t.learnRow(changes[i].new, rows, key)
			}
		}
		rows.Added(added)
	})
}

// learnRow notes a row. The buffer is used for keys, and returned for those of the next row.
func (t *table) learnRow(row types.Row, rows extent.Rows, key []byte) []byte {
	for _, column := range t.learned {
		v, h := column.value(row), uint64(0)
		if !v.IsNull() {
			key = types.AppendKey(key[:0], v)
			h = hash(key)
		}
		rows.Value(column.ID, h, v)
	}
	for _, l := range t.layouts {
		if address, ok := l.codec.Address(row); ok {
			id := catalog.TableIndex{Table: t.Table, Index: l.index}.Number()
			rows.Entry(id, func() uint64 { return address })
		}
	}
	return key
}

// learnGrowth notes what is written beyond the least and greatest values that the statistics know.
func (t *table) learnGrowth(changes []change) {
	for _, column := range t.learned {
		known, tails := t.Stats.Columns[column.ID], extent.Tails{}
		note := func(row types.Row, by int) {
			if row == nil {
				return
			}
			v, end := column.value(row), 0
			switch {
			case v.IsNull():
				return
			case types.Compare(v, known.Max) > 0:
				end = +1
			case types.Compare(v, known.Min) < 0:
				end = -1
			default:
				return
			}
			if by < 0 || !fits(v) {
				v = types.Null
			}
			tails.Note(end, by, v)
		}
		for i := range changes {
			note(changes[i].old, -1)
			note(changes[i].new, +1)
		}
		t.Stats.Growth.Add(column.ID, tails)
	}
}
