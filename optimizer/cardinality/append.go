package cardinality

import (
	"math"

	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// appended is the rows of all inputs. Columns in which rows of each have values of their own, as keys do, have those of
// all; others are taken to have the same ones in each. Of partitions the statistics of the whole table say more.
func (e *estimate) appended(n plan.Append) profile {
	if len(n.In) == 0 {
		return unknown(1, len(n.Cols))
	}
	out := unknown(0, len(n.Cols))
	inputs := make([]profile, len(n.In))
	for i, node := range n.In {
		inputs[i] = e.of(node)
		out.rows += inputs[i].rows
	}
	for i := range out.columns {
		out.columns[i] = appendedColumn(inputs, i, out.rows)
	}
	partitions(inputs).relate(inputs, &out)
	return out
}

// appendedColumn is a column of so many rows of all inputs.
func appendedColumn(inputs []profile, at int, rows float64) column {
	most, sum, nulls := 1.0, 0.0, 0.0
	for _, in := range inputs {
		c := &in.columns[at]
		if c.distinct >= 0.9*in.rows {
			sum += c.distinct
		}
		most = math.Max(most, c.distinct)
		nulls += c.nulls * in.rows
	}
	out := computed(math.Max(most, sum))
	out.nulls = nulls / math.Max(rows, 1)
	return out
}

// whole is a table whose partitions are read.
type whole struct {
	*relation
	all float64 // the rows of these partitions
}

// partitions is the table whose partitions all inputs read; nil: they do not, or nothing is known of it.
func partitions(inputs []profile) *whole {
	out := &whole{}
	for _, in := range inputs {
		r := in.relation()
		if r == nil || r.whole == nil || !r.whole.Stats.Known || out.relation != nil && r.whole != out.table {
			return nil
		}
		out.relation = &relation{table: r.whole}
		out.all += math.Max(1, r.table.RowCount())
	}
	return out
}

// relation is the one use of a table of which all columns are that are of one; nil: there is none, or several.
func (p profile) relation() *relation {
	var out *relation
	for i := range p.columns {
		if of := p.columns[i].of; of != nil && out != nil && of != out {
			return nil
		} else if of != nil {
			out = of
		}
	}
	return out
}

// relate makes columns of rows of partitions those of the whole table. Of the values that there are in each of them,
// counted together, as many are different as in all rows.
func (w *whole) relate(inputs []profile, out *profile) {
	if w == nil {
		return
	}
	t := *w.table
	t.Stats = w.table.Stats.WithRows(w.all)
	of := &relation{table: &t, rows: out.rows}
	for i := range out.columns {
		id, same := inputs[0].columns[i].id, true
		values, domains, most := 0.0, 0.0, 1.0
		for _, in := range inputs {
			c := &in.columns[i]
			same = same && c.of != nil && c.id == id
			if same {
				values += cost.Distinct(c.of.table, id)
				domains, most = domains+c.domain, math.Max(most, c.domain)
			}
		}
		if !same {
			continue
		}
		c := of.base(id)
		c.nulls = out.columns[i].nulls
		c.domain = math.Max(most, math.Min(domains, domains*c.distinct/math.Max(1, values)))
		c.distinct = math.Min(drawn(c.domain, w.all, out.rows), c.domain)
		out.columns[i] = c
	}
}
