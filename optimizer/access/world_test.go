package access_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/encoding/zorder"
	"zproxy/internal/plantest"
	"zproxy/sqlerr"
	"zproxy/types"
)

// world is a random table, its indexes and its rows.
type world struct {
	*rand.Rand
	t       *testing.T
	schema  plantest.Schema
	columns []column
	ddl     []string
	indexes []string
	groups  [][]int  // the columns of indexes, by their ordinals in columns
	primary []int    // columns of the primary key, by their ordinals in columns
	held    []string // conditions of partial indexes
	rows    []types.Row
}

// column is one that random tables have, with the literals that are tried.
type column struct {
	name, typ string
	literals  []string
}

var columns = []column{
	{"a", "int4", []string{"-1", "0", "1", "2", "3"}},
	{"b", "int8", []string{"0", "1", "2", "5000000000"}},
	{"c", "text", []string{"''", "'a'", "'a\n'", "'a '", "'a\x01'", "'ab'", "'ab_'", "'abc'", "'b'", "'a-'", "'a,1'", "'abcdefgh'", "'abcdefghi'"}},
	{"d", "bool", []string{"true", "false"}},
	{"e", "float8", []string{"-1.5", "'-0'", "0", "2.25", "'NaN'", "'Infinity'", "'-Infinity'"}},
	{"f", "varchar", []string{"'a'", "'ab'", "'abcdefghi'"}},
	{"g", "date", []string{"'0001-12-31 BC'", "'1999-12-31'", "'2016-08-31'", "'2016-09-01'", "'2016-09-02'", "'2016-10-01'", "'5000000-01-01'", "'infinity'"}},
	{"h", "timestamp", []string{"'2016-08-31 23:59:59.999999'", "'2016-09-01'", "'2016-09-01 00:00:30'", "'2016-09-01 00:01'", "'2016-09-01 05:30'", "'2016-11-02'", "'2019-01-01'", "'-infinity'", "'0044-03-15 12:00 BC'"}},
	{"k", "char(3)", []string{"''", "'a'", "'ab'", "'abc'", "'b'"}},
}

// others are columns that stand, now and then, in place of b, e and k.
var others = []column{
	{"", "smallint", []string{"'-32768'", "-1", "0", "7", "32767"}},
	{"", "float4", []string{"-1.5", "'-0'", "0", "0.5", "'NaN'", "'Infinity'"}},
	{"", "numeric", []string{"-1.5", "-1.50", "0", "9007199254740992", "9007199254740993", "1e400", "'NaN'"}},
	{"", "uuid", []string{"'00000000-0000-0000-0000-000000000000'", "'80000000-0000-4000-8000-000000000000'", "'80000000-0000-4000-8000-000000000001'"}},
	{"", "timestamptz", []string{"'2016-09-01 00:00:00+00'", "'2016-09-01 00:00:00.000001+00'", "'2024-02-29 12:00:00+00'", "'-infinity'"}},
	{"", "bytea", []string{"'\\x'", "'\\x00'", "'\\x0001'", "'\\x61ff'", "'\\xff'", "'\\xffff'"}},
	{"", "inet", []string{"'9.0.0.0/8'", "'10.0.0.1'", "'10.0.0.0/8'", "'::1'"}},
	{"", "time", []string{"'00:00:00'", "'12:30:00'", "'12:30:00.000001'", "'24:00:00'"}},
	{"", "timetz", []string{"'12:30:00+00'", "'14:30:00+02'", "'00:00:00+15:59'", "'24:00:00-15:59'"}},
	{"", "interval", []string{"'-1 day'", "'0'", "'30 days'", "'1 mon'", "'178000000 years'"}},
}

func newWorld(t *testing.T, r *rand.Rand) *world {
	w := &world{Rand: r, t: t, columns: slices.Clone(columns)}
	for _, ordinal := range []int{1, 4, 8} {
		if w.IntN(3) == 0 {
			name := w.columns[ordinal].name
			w.columns[ordinal] = others[w.IntN(len(others))]
			w.columns[ordinal].name = name
		}
	}
	w.define(w.table)
	for i := range 5 {
		name := fmt.Sprint("i", i)
		w.indexes = append(w.indexes, name)
		w.define(func() string { return w.index(name) })
	}
	w.fill()
	w.learn()
	if w.IntN(2) == 0 {
		w.know()
	}
	return w
}

// know makes of the rows what ANALYZE would find, but for how many there are.
func (w *world) know() {
	t := *w.schema.Catalog.Table("public", "t")
	t.Stats = catalog.Stats{Known: true, Rows: []float64{50, 1e6}[w.IntN(2)], Columns: map[uint32]catalog.ColumnStats{}}
	for i, c := range t.Columns {
		s := catalog.ColumnStats{Distinct: 10}
		for _, row := range w.rows {
			v := row[i]
			switch {
			case v.IsNull():
				s.Nulls += 1 / float64(len(w.rows))
				continue
			case s.Min.IsNull():
				s.Min, s.Max = v, v
			case types.Compare(v, s.Min) < 0:
				s.Min = v
			case types.Compare(v, s.Max) > 0:
				s.Max = v
			}
		}
		t.Stats.Columns[c.ID] = s
	}
	w.schema.Catalog = w.schema.Catalog.With(&t)
}

// define makes what some random DDL says. Such as the planner refuses is thrown away, which
// may happen to texts for keys, to more leading bits than a Z-address has, and to heavy keys: of a key that
// is one column, or with equal values.
func (w *world) define(ddl func() string) {
	for range 100 {
		text := ddl()
		err := w.schema.Define(text)
		if err == nil {
			w.ddl = append(w.ddl, text)
			return
		}
		options := []string{"partition_key", "partition_bits", "heavy_keys"}
		if !slices.ContainsFunc(options, func(o string) bool { return strings.Contains(text, o) }) ||
			!sqlerr.Has(err, sqlerr.InvalidParameterValue) {
			w.t.Fatalf("%s: %v", text, err)
		}
	}
	w.t.Fatal("100 definitions in a row were refused")
}

// pick is up to n columns in random order.
func (w *world) pick(n int) []int { return w.Perm(len(w.columns))[:1+w.IntN(n)] }

// key is up to n columns in random order.
func (w *world) key(n int, desc bool) string { return w.named(w.pick(n), desc) }

func (w *world) named(ordinals []int, desc bool) string {
	var out []string
	for _, i := range ordinals {
		name := w.columns[i].name
		if desc && w.IntN(3) == 0 {
			name += " DESC"
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

func (w *world) table() string {
	var defs []string
	for _, c := range w.columns {
		defs = append(defs, c.name+" "+c.typ+[]string{"", " NOT NULL"}[w.IntN(2)])
	}
	w.primary = w.pick(4)
	if time := 6 + w.IntN(2); w.IntN(2) == 0 && !slices.Contains(w.primary, time) {
		w.primary[0] = time
	}
	if w.IntN(4) == 0 {
		return "CREATE TABLE t (" + strings.Join(defs, ", ") + ", PRIMARY KEY USING zorder (" +
			w.curve(w.primary) + "))" + []string{"", "", " WITH (partition_bits = 2)", " WITH (shards = 3)"}[w.IntN(4)]
	}
	return "CREATE TABLE t (" + strings.Join(defs, ", ") + ", PRIMARY KEY (" + w.named(w.primary, true) + "))" +
		w.tableLayout()
}

func (w *world) index(name string) string {
	kind, on := w.IntN(13), w.pick(4)
	if kind == 0 || kind == 1 || kind == 6 {
		on = on[:min(2, len(on))]
	}
	w.groups = append(w.groups, on)
	switch kind {
	case 0:
		return "CREATE UNIQUE INDEX " + name + " ON t (" + w.named(on, true) + ")" + w.indexLayout(on)
	case 1:
		return "CREATE INDEX " + name + " ON t (" + w.named(on, true) + ") INCLUDE (" + w.key(4, false) + ")" +
			w.indexLayout(on)
	case 2:
		return "CREATE INDEX " + name + " ON t USING zorder (" + w.curve(on) + ")" + w.curveLayout("") +
			w.sometimes(" WHERE ", w.holding)
	case 3:
		w.groups = append(w.groups, []int{2, 0, 4})
		return "CREATE INDEX " + name + " ON t USING zorder (c zorder_ops (bytes = 1), a zorder_ops (bits = 31), e)" +
			w.curveLayout("covering = 'none'")
	case 6:
		return "CREATE NULL_FILTERED INDEX " + name + " ON t (" + w.named(on, true) + ")" + w.indexLayout(on)
	case 7:
		return "CREATE UNIQUE INDEX " + name + " ON t (a, c)" + w.indexLayout([]int{0, 2}) + " WHERE " +
			[]string{"a", "c", "a IS NOT NULL AND c"}[w.IntN(3)] + " IS NOT NULL"
	case 10, 11, 12:
		return "CREATE INDEX " + name + " ON t (" + w.named(on, true) + ")" + w.indexLayout(on) + " WHERE " +
			w.holding()
	case 8:
		return "CREATE NULL_FILTERED INDEX " + name + " ON t USING zorder (" + w.curve(on[:min(2, len(on))]) + ")" +
			w.curveLayout("")
	}
	return "CREATE INDEX " + name + " ON t (" + w.named(on, true) + ")" + w.indexLayout(on)
}

// curve are dimensions of a Z-order index, some with bits of their own.
func (w *world) curve(on []int) string {
	var out []string
	for _, i := range on {
		bits := ""
		switch {
		case w.IntN(3) > 0:
		case slices.Contains([]string{"text", "varchar", "char(3)"}, w.columns[i].typ):
			bits = fmt.Sprintf(" zorder_ops (bytes = %d)", 1+w.IntN(12))
		default:
			bits = fmt.Sprintf(" zorder_ops (bits = %d)", 8+w.IntN(57))
		}
		out = append(out, w.columns[i].name+bits)
	}
	return strings.Join(out, ", ")
}

// sometimes is nothing or what a word is followed by.
func (w *world) sometimes(word string, what func() string) string {
	if w.IntN(4) > 0 {
		return ""
	}
	return word + what()
}

// learn gives some dimensions maps made of the rows, as an index on a filled table has them.
func (w *world) learn() {
	t := *w.schema.Catalog.Table("public", "t")
	t.Indexes = slices.Clone(t.Indexes)
	for _, x := range t.TableIndexes() {
		l := x.Layout()
		if x.Method() != catalog.ZOrder {
			continue
		}
		l.Sort = slices.Clone(l.Sort)
		l.Sort[0].Curve = slices.Clone(l.Sort[0].Curve)
		for j := range l.Sort[0].Curve {
			if d := &l.Sort[0].Curve[j]; w.IntN(2) == 0 && d.Bits <= 64 {
				d.Map, d.Knots = w.knots(&t, t.Ordinal(d.Column))
			}
		}
	}
	if w.IntN(2) == 0 { // a large table of few values, through which skips are worth it
		t.Stats = catalog.Stats{Known: true, Rows: 1e6, Columns: map[uint32]catalog.ColumnStats{}}
		for _, c := range t.Columns {
			t.Stats.Columns[c.ID] = catalog.ColumnStats{Distinct: 5}
		}
	}
	w.schema.Catalog = w.schema.Catalog.With(&t)
}

// knots are a map of some values of a column.
func (w *world) knots(t *catalog.Table, column int) (catalog.MapKind, []uint64) {
	var codes []uint64
	for _, row := range w.rows {
		if !row[column].IsNull() && w.IntN(3) > 0 {
			codes = append(codes, keys.Code(row[column], t.Columns[column].Type))
		}
	}
	switch {
	case len(codes) == 0:
		return catalog.MapRaw, nil
	case w.IntN(2) == 0:
		return catalog.MapRange, zorder.Bounds(slices.Min(codes), slices.Max(codes)).Knots
	}
	return catalog.MapQuantile, zorder.Quantiles(codes, 2+w.IntN(20)).Knots
}

// holding is a condition for a partial index.
func (w *world) holding() string {
	for {
		q := query{}
		if cond := w.condition(&q, 2); q.params == nil {
			w.held = append(w.held, cond)
			return cond
		}
	}
}

// fill makes random rows.
func (w *world) fill() {
	table := w.schema.Catalog.Table("public", "t")
	for range 50 {
		w.rows = append(w.rows, w.row(table))
	}
	w.keep(table)
}

// keep drops rows that break a unique key, and those of which a key cannot be made.
func (w *world) keep(table *catalog.Table) {
	layouts := []*catalog.Layout{&table.Primary}
	for i := range table.Indexes {
		layouts = append(layouts, &table.Indexes[i].Layout)
	}
	taken := map[string]bool{}
	w.rows = slices.DeleteFunc(w.rows, func(row types.Row) bool {
		var rowKeys []string
		fits := true
		for _, l := range layouts {
			codec := w.codec(table, l)
			fits = fits && codec.CheckValues(row, "t") == nil
			if k := codec.First(row); l.Unique {
				rowKeys = append(rowKeys, fmt.Sprintf("%p %x %x", l, k.Partition, k.Sort))
			}
		}
		if !fits || slices.ContainsFunc(rowKeys, func(p string) bool { return taken[p] }) {
			return true
		}
		for _, p := range rowKeys {
			taken[p] = true
		}
		return false
	})
}

// row is a random row; in a random shard, if the table has those.
func (w *world) row(table *catalog.Table) types.Row {
	row := make(types.Row, len(table.Columns))
	for i, c := range table.Columns {
		switch {
		case c.Hidden:
			row[i] = types.NewInt(int64(w.IntN(c.Shards)))
		case c.NotNull || w.IntN(5) > 0:
			row[i] = w.value(w.columns[i].literals[w.IntN(len(w.columns[i].literals))], c.Type)
		}
	}
	return row
}

func (w *world) codec(t *catalog.Table, l *catalog.Layout) *keys.Codec {
	codec, err := keys.NewCodec(t, l)
	if err != nil {
		w.t.Fatal(err)
	}
	return codec
}

func (w *world) value(literal string, t types.T) types.Value {
	if literal == "NULL" {
		return types.Null
	}
	v, err := types.ParseText(strings.Trim(literal, "'"), t, &types.Env{})
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}
