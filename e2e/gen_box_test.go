package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// curve is a Z-order index of any kind: its columns with bits and maps of their own or without,
// covering all columns, some or none, partial or not.
func (d dice) curve(t *randomTable, name string) randomIndex {
	x := randomIndex{name: name, columns: some(d, t.columns, 5)}
	var dimensions []string
	for _, c := range x.columns {
		dimensions = append(dimensions, c.name+d.dimension(c))
	}
	options := d.curveLayout(len(x.columns))
	include, where := "", ""
	switch d.IntN(6) {
	case 0:
		include = " INCLUDE (" + strings.Join(names(some(d, t.columns, 2)), ", ") + ")"
	case 1:
		options = append(options, "covering = 'none'")
	case 2:
		held := d.held(t)
		t.held, where = append(t.held, held), " WHERE "+held
	}
	x.sql = fmt.Sprintf("CREATE %sINDEX %s ON %s USING zorder (%s)%s%s%s", d.nullFiltered(), name, t.name,
		strings.Join(dimensions, ", "), include, withOptions(options), where)
	return x
}

// dimension says how the values of a column become bits, or leaves that open.
func (d dice) dimension(c randomColumn) string {
	var options []string
	maps := []string{"raw", "range", "quantile"}
	switch d.IntN(5) {
	case 0, 1:
	case 2:
		if c.text || c.sql == "bytea" || c.sql == "char(4)" {
			n := pick(d, []int{1, 2, 4, 9, 16})
			options = append(options, fmt.Sprintf("bytes = %d", n))
			if n > 8 {
				maps = maps[:1]
			}
		}
	default:
		options = append(options, fmt.Sprintf("bits = %d", pick(d, []int{1, 2, 3, 8, 13, 32, 64})))
	}
	if d.chance(2) {
		options = append(options, "map = '"+pick(d, maps)+"'")
	}
	if len(options) == 0 {
		return ""
	}
	return " zorder_ops (" + strings.Join(options, ", ") + ")"
}

// check is a CHECK that no value of a column violates.
func (d dice) check(c randomColumn) string {
	low, high := fmt.Sprintf("%s >= '%s'", c.name, c.values[0]),
		fmt.Sprintf("%s <= '%s'", c.name, c.values[len(c.values)-1])
	return " CHECK (" + pick(d, []string{low, high, low + " AND " + high}) + ")"
}

// lifetime lets some tables find no rows whose values of one column are long past.
func (d dice) lifetime(t *randomTable) []string {
	for _, c := range t.columns {
		if slices.Contains(instants, c.sql) && d.chance(2) {
			return []string{"ALTER TABLE t SET (ttl = '20 years', ttl_column = '" + c.name + "')"}
		}
	}
	return nil
}

// boxes is a condition on several columns, often those of an index: a box, or one of several.
func (d dice) boxes(t *randomTable, params *parameters) string {
	columns := some(d, t.columns, 4)
	if len(t.indexes) > 0 && !d.chance(4) {
		columns = pick(d, t.indexes).columns
	}
	var or []string
	for range pick(d, []int{1, 1, 2, 3, 5}) {
		or = append(or, d.box(columns, params))
	}
	if len(or) == 1 {
		return or[0]
	}
	return "(" + strings.Join(or, " OR ") + ")"
}

// box bounds some of the columns, not always the first one.
func (d dice) box(columns []randomColumn, params *parameters) string {
	var out []string
	for _, c := range columns {
		if !d.chance(4) {
			out = append(out, d.side(c, params))
		}
	}
	if len(out) == 0 {
		return d.side(pick(d, columns), params)
	}
	return "(" + strings.Join(out, " AND ") + ")"
}

// side bounds a column by one interval or several.
func (d dice) side(c randomColumn, params *parameters) string {
	one := func() string { return d.operand(c, params) }
	switch d.IntN(10) {
	case 0, 1, 2:
		low, high := d.IntN(len(c.values)), d.IntN(len(c.values))
		if d.chance(2) {
			high = min(low+d.IntN(1+len(c.values)/20), len(c.values)-1)
		}
		return c.name + " BETWEEN '" + c.values[min(low, high)] + "'::" + c.sql + " AND '" + c.values[max(low, high)] +
			"'::" + c.sql
	case 3:
		return c.name + " > " + one() + " AND " + c.name + pick(d, []string{" < ", " <= "}) + one()
	case 4:
		if d.chance(4) && len(c.values) > 20 { // as many as there is no room for
			return c.name + " IN ('" + strings.Join(some(d, c.values, 100), "', '") + "')"
		}
		return c.name + " IN (" + d.operands(c, params) + ")"
	case 5:
		own := c
		own.comparesWith = nil // of which a cast may fail
		return c.name + " = ANY (ARRAY[" + d.operands(own, params) + "]::" + c.sql + "[])"
	case 6:
		if c.text {
			return c.name + " LIKE '" + pick(d, []string{"a%", "ab%", "abcdefgh%", "é%"}) + "'"
		}
		return c.name + pick(d, []string{" IS NULL", " IS NOT NULL"})
	case 7:
		return "(" + c.name + pick(d, []string{" < ", " <= "}) + one() + " OR " + c.name +
			pick(d, []string{" > ", " >= "}) + one() + ")"
	case 8:
		return "(" + c.name + " IS NULL OR " + c.name + pick(d, []string{" = ", " < ", " > "}) + one() + ")"
	}
	return c.name + " " + pick(d, []string{"=", "=", "<", "<=", ">", ">="}) + " " + one()
}

// upkeep is a statement that changes nothing but how rows are found.
func (d dice) upkeep(t *randomTable) string {
	if len(t.indexes) == 0 || d.chance(3) {
		return pick(d, []string{"ANALYZE", "ANALYZE " + t.name})
	}
	if d.chance(3) {
		return "REINDEX TABLE " + t.name
	}
	return "REINDEX INDEX " + pick(d, []string{"", "CONCURRENTLY "}) + pick(d, t.indexes).name
}

// wideTable is one of a few columns with many values each, and with indexes of both kinds.
func (d dice) wideTable() randomTable {
	t := randomTable{name: "t", wide: true}
	for i, k := range some(d, manyValues, 4) {
		c := randomColumn{name: fmt.Sprintf("c%d", i), kindOfValue: k.kindOfValue, notNull: d.chance(2)}
		for n := range pick(d, []int{2000, 2000, 40}) {
			c.values = append(c.values, k.value(n))
		}
		t.columns = append(t.columns, c)
	}
	id := randomColumn{name: "id", kindOfValue: kindOfValue{sql: "int4", comparesWith: wholes, number: true}}
	for n := range 100_000 {
		id.values = append(id.values, strconv.Itoa(n))
	}
	t.columns, t.key = append(t.columns, id), []randomColumn{id}
	if d.chance(3) {
		t.key = append([]randomColumn{pick(d, t.columns[:len(t.columns)-1])}, id)
	}
	if d.chance(3) {
		t.layout = d.tableLayout(t.key)
	}
	t.indexes = append(t.indexes, d.curve(&t, "i0"), d.curve(&t, "i1"))
	for i := range 2 {
		t.indexes = append(t.indexes, d.index(&t, fmt.Sprintf("i%d", 2+i)))
	}
	return t
}

// manyValues are types with a value for each number from 0 to 1999, in ascending order.
var manyValues = []struct {
	kindOfValue
	value func(n int) string
}{
	{kindOfValue{sql: "int4", comparesWith: wholes, number: true}, func(n int) string { return strconv.Itoa(n - 1000) }},
	{kindOfValue{sql: "int8", comparesWith: wholes, number: true}, func(n int) string { return strconv.Itoa(n * n) }},
	{kindOfValue{sql: "float8", comparesWith: []string{"float8", "int8"}}, func(n int) string { return strconv.FormatFloat(float64(n-1000)/8, 'g', -1, 64) }},
	{kindOfValue{sql: "numeric", comparesWith: wholes, number: true}, func(n int) string { return fmt.Sprintf("%d.%02d", n/3, n%3) }},
	{kindOfValue{sql: "text", comparesWith: []string{"text"}, text: true}, func(n int) string { return fmt.Sprintf("word %04d", n) }},
	{kindOfValue{sql: "timestamp", comparesWith: instants}, func(n int) string {
		return time.Unix(1_700_000_000+int64(n)*977, 0).UTC().Format("2006-01-02 15:04:05")
	}},
	{kindOfValue{sql: "uuid"}, func(n int) string { return fmt.Sprintf("%04x0000-0000-4000-8000-%012x", n*29, n) }},
}
