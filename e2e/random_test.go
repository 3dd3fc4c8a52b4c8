package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"zproxy/internal/testseed"
)

// dice makes random tables, rows and statements. What they give does not depend on the
// order in which rows are read: no sums of floats, no equal values that look different,
// no expressions that can fail, and LIMIT only under a total order.
type dice struct{ *rand.Rand }

var roundsFlag = flag.Int("rounds", 1, "how many times as many rounds of random tests there are")

// seeds are those of a random test, each for a round of its own. A failure prints its
// seed, which as -seed is the first round's.
func seeds(t *testing.T, rounds int) []uint64 {
	first := testseed.Of(t)
	out := make([]uint64, rounds**roundsFlag)
	for i := range out {
		out[i] = first + uint64(i)
	}
	return out
}

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 0))} }

// chance is true in one of n cases.
func (d dice) chance(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d dice, from []T) T { return from[d.IntN(len(from))] }

// some is a random choice of at most n, in random order, of at least one.
func some[T any](d dice, from []T, n int) []T {
	out := slices.Clone(from)
	d.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:1+d.IntN(min(n, len(out)))]
}

// kindOfValue is a type of the random tables. Values are few, so that they meet, and
// have those at the ends of what the type holds.
type kindOfValue struct {
	sql          string
	values       []string // in ascending order, as far as they have one that does not depend on the type
	edges        []string // values that no row has, for conditions
	comparesWith []string // types with which its values compare
	number       bool     // that sum and avg take without rounding
	text         bool
}

var (
	wholes    = []string{"int2", "int4", "int8", "float8", "numeric"}
	instants  = []string{"date", "timestamp", "timestamptz"}
	kindTable = []kindOfValue{
		{sql: "bool", values: []string{"f", "t"}},
		{sql: "int2", values: []string{"-32768", "-1", "0", "1", "2", "3", "7", "32767"}, edges: []string{"-2", "300"}, comparesWith: wholes, number: true},
		{sql: "int4", values: []string{"-2147483648", "-1", "0", "1", "2", "3", "255", "256", "2147483647"}, edges: []string{"-2147483647", "100"}, comparesWith: wholes, number: true},
		{sql: "int8", values: []string{"-9223372036854775808", "-1", "0", "1", "2", "3", "4294967296", "9223372036854775807"},
			edges: []string{"9223372036854775806", "9007199254740993"}, comparesWith: wholes, number: true},
		{sql: "float4", values: []string{"-Infinity", "-1.5", "0", "0.1", "1", "2", "16777216", "Infinity", "NaN"},
			edges: []string{"-0", "1e-45", "3.4e+38"}, comparesWith: []string{"float4", "float8", "int4", "numeric"}},
		{sql: "float8", values: []string{"-Infinity", "-1.5", "0", "0.1", "1", "2", "1e+300", "Infinity", "NaN"},
			edges: []string{"-0", "5e-324", "-1e+300"}, comparesWith: []string{"float4", "float8", "int8", "numeric"}},
		{sql: "numeric", values: []string{"-100000000000000000000", "-1.5", "0", "0.1", "1", "2", "2.5", "99.999", "9007199254740992", "9007199254740993", "NaN"},
			edges: []string{"-1e300", "0.1000000000000000000001", "9007199254740992.5", "1e300"}, comparesWith: wholes,
			number: true},
		{sql: "numeric(8,2)", values: []string{"-999999.99", "-0.01", "0.00", "0.10", "1.00", "2.00", "123.45"}, edges: []string{"0.05"}, comparesWith: wholes, number: true},
		{sql: "text", values: []string{"", "B", "a", "a\x01", "a%", "a_c", "ab", "abc", "abcdefgh", "abcdefghi", "abcdefghij", "b", "zz", "é"},
			edges:        []string{"abcdefg", "abcdefgh\x01", "abcdefghz", "\U0010ffff"},
			comparesWith: []string{"text", "varchar(5)"}, text: true},
		{sql: "varchar(5)", values: []string{"", "a", "ab", "abc", "abcde", "b", "éa"}, edges: []string{"abcd"}, comparesWith: []string{"text", "varchar(5)"}, text: true},
		{sql: "char(4)", values: []string{"", "a", "ab", "abc", "b", "éa"}, edges: []string{"a  b"}},
		{sql: "bytea", values: []string{`\x`, `\x00`, `\x0000`, `\x01`, `\x61`, `\x6161616161616161`, `\x616161616161616100`, `\x61ff`, `\xff`, `\xffff`},
			edges: []string{`\x6161616161616162`, `\xffffffffffffffffff`}},
		{sql: "date", values: []string{"-infinity", "1969-12-31", "2000-01-01", "2024-02-29", "2024-03-01", "infinity"},
			edges: []string{"4713-01-01 BC", "294276-12-31"}, comparesWith: instants},
		{sql: "timestamp", values: []string{"-infinity", "1999-12-31 23:59:59.999999", "2000-01-01 00:00:00", "2024-03-01 00:00:00", "2024-03-01 12:30:00", "infinity"},
			edges: []string{"4713-01-01 00:00:00 BC", "294276-12-31 23:59:59.999999"}, comparesWith: instants},
		{sql: "timestamptz", values: []string{"-infinity", "2000-01-01 00:00:00+00", "2024-02-29 23:00:00+00", "2024-03-01 00:00:00+00", "infinity"},
			edges: []string{"4713-01-01 00:00:00+00 BC", "294276-12-31 23:59:59.999999+00"}, comparesWith: instants},
		{sql: "time", values: []string{"00:00:00", "00:00:00.000001", "12:30:00", "23:59:59.999999", "24:00:00"}, edges: []string{"12:30:00.5"}},
		{sql: "timetz", values: []string{"00:00:00+15:59", "12:30:00+00", "14:30:00+02", "24:00:00-15:59"}, edges: []string{"13:00:00+00"}},
		{sql: "interval", values: []string{"-1 days", "00:00:00", "1 day", "24:00:00.000001", "1 mon", "100 years", "178000000 years"}, edges: []string{"30 days", "-178000000 years"}},
		{sql: "uuid", values: []string{"00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001", "80000000-0000-4000-8000-000000000000",
			"80000000-0000-4000-8000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff"}, edges: []string{"80000000-0000-4000-7fff-ffffffffffff"}},
	}
)

func kindNamed(sql string) kindOfValue {
	return kindTable[slices.IndexFunc(kindTable, func(k kindOfValue) bool { return k.sql == sql })]
}

// randomTable is a table with its indexes.
type randomTable struct {
	name    string
	columns []randomColumn
	key     []randomColumn
	layout  string // how its keys are laid out
	indexes []randomIndex
	held    []string // conditions of its partial indexes
	wide    bool     // its rows are many, and have values of their own
}

type randomColumn struct {
	name string
	kindOfValue
	notNull bool
	check   string // what all its values keep to, from which maps may be made
}

type randomIndex struct {
	name, sql string
	columns   []randomColumn
}

func (d dice) table() randomTable {
	t := randomTable{name: "t"}
	for i := range 2 + d.IntN(5) {
		c := randomColumn{name: fmt.Sprintf("c%d", i), kindOfValue: pick(d, kindTable), notNull: d.chance(5)}
		if d.chance(2) {
			c.values = slices.DeleteFunc(slices.Clone(c.values),
				func(v string) bool { return strings.Contains(v, "infinity") })
		}
		if d.chance(4) {
			c.check = d.check(c)
		}
		t.columns = append(t.columns, c)
	}
	t.key = some(d, t.columns, 3)
	if d.chance(2) { // or the key has few values, and the table few rows
		id := randomColumn{name: "id", kindOfValue: kindOfValue{sql: "int4", comparesWith: wholes, number: true}}
		for i := range 1000 {
			id.values = append(id.values, strconv.Itoa(i))
		}
		t.columns, t.key = append(t.columns, id), append(t.key[:len(t.key)-1:len(t.key)-1], id)
	}
	if d.chance(2) {
		t.layout = d.tableLayout(t.key)
	}
	for i := range d.IntN(5) {
		t.indexes = append(t.indexes, d.index(&t, fmt.Sprintf("i%d", i)))
	}
	return t
}

func names(columns []randomColumn) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.name
	}
	return out
}

func (t *randomTable) create() string {
	var parts []string
	for _, c := range t.columns {
		part := c.name + " " + c.sql
		if c.notNull {
			part += " NOT NULL"
		}
		part += c.check
		parts = append(parts, part)
	}
	parts = append(parts, "PRIMARY KEY ("+strings.Join(names(t.key), ", ")+")")
	return "CREATE TABLE " + t.name + " (" + strings.Join(parts, ", ") + ")"
}

// index is one of any kind: several columns, descending ones, unique, covering, partial.
func (d dice) index(t *randomTable, name string) randomIndex {
	if d.chance(2) {
		return d.curve(t, name)
	}
	x := randomIndex{name: name, columns: some(d, t.columns, 4)}
	columns := x.columns
	var keys []string
	for _, c := range columns {
		keys = append(keys, c.name+pick(d, []string{"", "", " DESC"}))
	}
	unique, include, where, options := "", "", "", d.indexLayout(columns)
	if len(t.key) > 1 && options == nil && d.chance(4) {
		options = d.heavyKeys(columns[0])
	}
	switch d.IntN(6) {
	case 0: // with the key it stays unique whatever the rows are
		for _, c := range t.key {
			if !slices.ContainsFunc(columns, func(o randomColumn) bool { return o.name == c.name }) {
				keys = append(keys, c.name)
			}
		}
		unique = "UNIQUE "
	case 1:
		include = " INCLUDE (" + strings.Join(names(some(d, t.columns, 2)), ", ") + ")"
	case 2:
		options = append(options, "INDEX_COVERED_TYPE = 'COVERED_ALL_COLUMNS_IN_SCHEMA'")
	case 3, 4:
		held := d.held(t)
		t.held, where = append(t.held, held), " WHERE "+held
	}
	x.sql = fmt.Sprintf("CREATE %s%sINDEX %s ON %s (%s)%s%s%s", unique, d.nullFiltered(), name, t.name,
		strings.Join(keys, ", "), include, withOptions(options), where)
	return x
}

// held is a condition that a partial index may have.
func (d dice) held(t *randomTable) string {
	c := pick(d, t.columns)
	v := func() string { return "'" + pick(d, c.values) + "'" }
	switch d.IntN(8) {
	case 0:
		return c.name + " IS NOT NULL"
	case 1:
		return c.name + " IS NULL"
	case 2:
		return c.name + pick(d, []string{" IN (", " NOT IN ("}) + v() + ", " + v() + ")"
	case 3:
		return c.name + " BETWEEN " + v() + " AND " + v()
	case 4:
		return d.held(t) + " AND " + d.held(t)
	case 5:
		return "(" + d.held(t) + " OR " + d.held(t) + ")"
	case 6:
		return "NOT (" + d.held(t) + ")"
	}
	return c.name + " " + pick(d, comparisonSigns) + " " + v()
}

// nullFiltered makes some indexes ones without the rows that have NULL in their key.
func (d dice) nullFiltered() string { return pick(d, []string{"", "", "", "", "NULL_FILTERED "}) }

// literal is a value of a kind in SQL.
func (d dice) literal(k kindOfValue) string {
	return "'" + d.valueOf(k) + "'::" + k.sql
}

// valueOf is one that rows have or, now and then, that none has.
func (d dice) valueOf(k kindOfValue) string {
	if len(k.edges) > 0 && d.chance(6) {
		return pick(d, k.edges)
	}
	return pick(d, k.values)
}

// value is one for a column, sometimes NULL.
func (d dice) value(t *randomTable, c randomColumn) string {
	inKey := slices.ContainsFunc(t.key, func(k randomColumn) bool { return k.name == c.name })
	if !c.notNull && !inKey && d.chance(5) {
		return "NULL"
	}
	return "'" + pick(d, c.values) + "'"
}

// insert writes some rows, and does nothing about those that are there.
func (d dice) insert(t *randomTable, rows int) string {
	var all []string
	for range rows {
		var row []string
		for _, c := range t.columns {
			row = append(row, d.value(t, c))
		}
		all = append(all, "("+strings.Join(row, ", ")+")")
	}
	return "INSERT INTO " + t.name + " VALUES " + strings.Join(all, ", ") + " ON CONFLICT DO NOTHING"
}

// change is a statement that writes.
func (d dice) change(t *randomTable) string {
	switch d.IntN(4) {
	case 0:
		return d.insert(t, 1+d.IntN(5))
	case 1:
		return "DELETE " + d.mergeHint(t) + "FROM " + t.name + " WHERE " + d.predicate(t, 1, nil) + " AND " +
			d.predicate(t, 1, nil)
	}
	var set []string
	for _, c := range some(d, t.columns, 2) {
		value := d.value(t, c)
		for _, other := range t.columns {
			if other.sql == c.sql && d.chance(3) {
				value = other.name
			}
		}
		set = append(set, c.name+" = "+value)
	}
	return "UPDATE " + d.mergeHint(t) + t.name + " SET " + strings.Join(set, ", ") + " WHERE " + d.predicate(t, 1, nil)
}

// mergeHint asks, now and then, for a merge of whatever indexes can be merged.
func (d dice) mergeHint(t *randomTable) string {
	if d.chance(2) {
		return ""
	}
	return "/*+ USE_INDEX_MERGE(" + t.name + ") */ "
}
