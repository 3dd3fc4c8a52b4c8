package levels

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/internal/anomaly"
)

// writing is a statement that appends a value to lists.
type writing struct {
	sql  string // returns each list that was changed, as it is now
	args []any
	// covers are the lists that it may change.
	covers []list
	value  int
	below  int // lists have had at least so many values
	// tells says that a list which it did not change was not there, in the snapshot of the transaction. A newer one
	// may not be told of.
	tells bool
}

// write draws a statement that writes, and notes what it wrote.
func (c *client) write() error {
	table := tables[c.IntN(2)]
	low, high := c.rangeOfIDs()
	switch n := c.IntN(10); {
	case n == 0 && ends(low):
		return c.remove(table, low)
	case n == 1 && c.block:
		return c.reinsert(table, low)
	case n == 2 && c.block:
		return c.writeBack(table, low)
	default:
		return c.append(c.drawAppend(table, low, high))
	}
}

// drawAppend makes a statement that appends to some of the lists from low to high.
func (c *client) drawAppend(table string, low, high int) writing {
	w := writing{value: int(c.counter.Add(1))}
	returning := fmt.Sprintf(" RETURNING '%s' || %s.id, %s.v", table, table, table)
	set := fmt.Sprintf("UPDATE %s SET v = v || ',%d', n = n + 1 WHERE ", table, w.value)
	switch n := c.IntN(8); {
	case n == 0:
		w.sql, w.args = set+"id BETWEEN $1 AND $2"+returning, []any{low, high}
		w.covers, w.tells = within(table, low, high, all), true
	case n == 1:
		val := c.IntN(20)
		w.sql, w.args = set+"val = $1 AND id BETWEEN $2 AND $3"+returning, []any{val, low, high}
		w.covers, w.tells = within(table, low, high, func(id int) bool { return valOf(id) == val }), true
	case n == 2:
		w.below = 1 + c.IntN(4)
		w.sql, w.args = set+"n >= $1 AND id BETWEEN $2 AND $3"+returning, []any{w.below, low, high}
		w.covers, w.tells = within(table, low, high, all), true
	case n < 6 && !ends(low):
		row := fmt.Sprintf("(%d, %d, 1, ',%d')", low, valOf(low), w.value)
		onConflict := fmt.Sprintf("DO UPDATE SET v = %s.v || excluded.v, n = %s.n + 1", table, table)
		if c.IntN(4) == 0 {
			onConflict = "DO NOTHING"
		}
		w.sql = fmt.Sprintf("INSERT INTO %s VALUES %s ON CONFLICT (id) %s", table, row, onConflict) + returning
		w.covers = []list{{table, low}}
	default:
		w.sql, w.args = set+"id = $1"+returning, []any{low}
		w.covers, w.tells = []list{{table, low}}, true
	}
	return w
}

// append runs a statement that appends, and notes to which lists it did. If it fails, that may be any.
func (c *client) append(w writing) error {
	rows, err := c.query(w.sql, w.args...)
	changed := map[string]bool{}
	for _, row := range rows {
		values, err := valuesOf(*row[1])
		if err != nil || !slices.Contains(values, w.value) || len(values) <= w.below {
			return fmt.Errorf("%s: %s became %q: %w", w.sql, *row[0], *row[1], err)
		}
		changed[*row[0]] = true
	}
	for _, l := range w.covers {
		op := anomaly.Op{Key: l.key(), Predicate: true}
		switch {
		case changed[op.Key] || err != nil:
			op.Action, op.Value = anomaly.Append, w.value
		case !w.tells || c.at.Level < anomaly.RepeatableRead:
			continue
		case w.below > 0:
			op.Action, op.Value = anomaly.Below, w.below
		default:
			op.Gone = ends(l.id)
		}
		c.at.Ops = append(c.at.Ops, op)
	}
	return err
}

// remove deletes a list that may be.
func (c *client) remove(table string, id int) error {
	values, there, err := c.take(table, id)
	if there || err != nil {
		c.at.Ops = append(c.at.Ops, anomaly.Op{Action: anomaly.Delete, Key: key(table, id), List: values})
	}
	return err
}

// take deletes the row of a list.
func (c *client) take(table string, id int) (values []int, there bool, err error) {
	rows, err := c.query("DELETE FROM "+table+" WHERE id = $1 RETURNING v", id)
	if err != nil || len(rows) == 0 {
		return nil, false, err
	}
	values, err = valuesOf(*rows[0][0])
	return values, true, err
}

// reinsert appends to a list by taking its row away and inserting another one.
func (c *client) reinsert(table string, id int) error {
	values, there, err := c.take(table, id)
	if err != nil || !there {
		return err
	}
	value := int(c.counter.Add(1))
	c.at.Ops = append(c.at.Ops, anomaly.Op{Action: anomaly.Append, Key: key(table, id), Value: value})
	return c.exec(fmt.Sprintf("INSERT INTO %s VALUES (%d, %d, %d, '%s')", table, id, valOf(id), len(values)+1,
		text(append(values, value))))
}

// writeBack locks a list, and writes what it has read with another value.
func (c *client) writeBack(table string, id int) error {
	rows, err := c.query(fmt.Sprintf("SELECT v FROM %s WHERE id = %d FOR UPDATE", table, id))
	if err != nil || len(rows) == 0 {
		return err
	}
	values, err := valuesOf(*rows[0][0])
	if err != nil {
		return err
	}
	value := int(c.counter.Add(1))
	c.at.Ops = append(c.at.Ops, anomaly.Op{Key: key(table, id), List: values},
		anomaly.Op{Action: anomaly.Append, Key: key(table, id), Value: value})
	return c.exec(fmt.Sprintf("UPDATE %s SET v = '%s', n = %d WHERE id = %d", table, text(append(values, value)),
		len(values)+1, id))
}

// text is that of a list.
func text(values []int) string {
	var out strings.Builder
	for _, v := range values {
		fmt.Fprintf(&out, ",%d", v)
	}
	return out.String()
}
