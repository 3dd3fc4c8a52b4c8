package access_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog/part"
	"zproxy/internal/testseed"
	"zproxy/types"
)

// forms are conditions on the column c. Of the words in capitals, V is a value of its type, L and H
// are two of which the first is not above the second, O is a value of another type, P a parameter,
// and Y a value of the column y.
var forms = []string{
	"c = V", "V = c", "c = P", "c = V AND c = V", "c = NULL", "c = O",
	"c IN (V, V, V)", "c IN (V, NULL, P)", "c = ANY (ARRAY[V, V, NULL])", "c = ANY (ARRAY[V, P])",
	"c < V", "c <= V", "c > V", "c >= V", "V > c", "c < P", "c >= P", "c > O", "c <= O",
	"c BETWEEN L AND H", "c BETWEEN H AND L", "c > L AND c < H", "c >= L AND c < H", "c > L AND c <= H", "c > L AND c < L", "c >= L AND P > c", "c BETWEEN P AND P",
	"c BETWEEN L AND H AND c < O",
	"(c < V OR c > V)", "(c = V OR c > V)", "(c BETWEEN L AND H OR c = V)", "(c BETWEEN L AND H OR c IS NULL)", "(c > L AND c < H OR c >= L AND c < H)",
	"(c = V OR c IS NULL)", "c IS NULL", "c IS NOT NULL", "c <> V", "c NOT IN (V, V)", "NOT (c > V)", "c IS NOT DISTINCT FROM V",
	"(c, y) > (V, Y)", "(c, y) <= (V, Y)", "(y, c) >= (Y, V)", "(c, y) < (P, Y)", "(c, y) = (V, Y)", "(c, y) IN ((V, Y), (V, Y))", "c BETWEEN L AND H AND (y, c) > (Y, V)",
	"(c, y, id + 0) > (V, Y, 2)", "(c, y, id + 0) <= (V, Y, 20)", "(c, id + 0) >= (V, 3)", "(c, y) < (V, id)",
}

// likes are forms for texts.
var likes = []string{"c LIKE 'a%'", "c LIKE 'a,%'", "c LIKE E'a\n%'", `c LIKE 'ab\_%'`, "c LIKE '%'", "c LIKE ''",
	"c LIKE 'a'", "c NOT LIKE 'a%'",
	"c ^@ 'a'", "c ~ '^a,?'", "c SIMILAR TO 'a%' AND c < V"}

// years are forms for dates and timestamps, and cuts for timestamps: some dates are none.
var years = []string{"extract(year FROM c) = extract(year FROM V)", "extract(year FROM c) > extract(year FROM V)"}

var cuts = []string{
	"c::date = V::date", "c::date IN (V::date, V::date)", "c::date BETWEEN L::date AND H::date", "date_trunc('month', c) = date_trunc('month', V)",
	"date_trunc('day', c) >= L AND date_trunc('week', c) < H", "c::timestamptz > V", "c::timestamp <= V",
}

// tails are what forms are joined with.
var tails = []string{"", "", " AND y = Y", " AND y IN (Y, Y)", " AND y BETWEEN 0 AND 7", " AND y IS NULL",
	" AND (y IS NULL OR y = Y)"}

// numbersOfY are the values of y.
var numbersOfY = []string{"0", "5", "7", "42"}

// TestEveryPartOfEveryType tries each kind of part over each type that it may be over with each form of
// condition, on stores whose partitions have an order and on others: a path reads each row that is
// wanted once, no other passes its conditions, and the whole of a unique key leads to one partition.
func TestEveryPartOfEveryType(t *testing.T) {
	seed := testseed.Of(t)
	for i, d := range domains {
		t.Run(d.typ, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			for _, layout := range d.tables(r) {
				tryPart(t, r, d, layout, "")
			}
			for _, layout := range d.indexes(r) {
				tryPart(t, r, d, "PRIMARY KEY (x, id))", layout)
			}
		})
	}
}

// tables are ends of definitions of tables: primary keys over the column x, and how they are laid out.
func (d *domain) tables(r *rand.Rand) []string {
	const key = "PRIMARY KEY (x, y))"
	out := []string{
		key, "PRIMARY KEY (x DESC, y))", "PRIMARY KEY (y, x DESC))", key + " PARTITION BY HASH (y, x)",
		"PRIMARY KEY (x DESC, y DESC)) PARTITION BY HASH (x, y)",
		key + " WITH (shards = 3)", key + " WITH (shards = 3, shard_by = 'random')",
		key + " PARTITION BY HASH (x) WITH (shards = 2)",
		key + " WITH (" + d.heavy(r) + ")", "PRIMARY KEY (y, x DESC)) PARTITION BY HASH (x) WITH (" + d.heavy(r) + ")",
		key + " PARTITION BY HASH (y) WITH (shards = 2, shard_by = 'random')",
	}
	if _, array := strings.CutSuffix(d.typ, "[]"); !array {
		const zorder = "PRIMARY KEY USING zorder (x, y))"
		out = append(out, zorder, zorder+" WITH (shards = 3)", zorder+" WITH (partition_bits = 3)",
			zorder+" WITH (shards = 3, shard_by = 'random')", zorder+" PARTITION BY HASH (x)",
			zorder+" PARTITION BY HASH (y)", zorder+" PARTITION BY HASH (y) WITH (shards = 2)",
			key+" WITH (key_order = 'zorder')", zorder+" WITH (partition_key = '{y}')")
	}
	for _, unit := range d.units() {
		out = append(out, fmt.Sprintf("%s PARTITION BY HASH (date_trunc('%s', x))", key, unit),
			fmt.Sprintf("PRIMARY KEY (y, x DESC)) PARTITION BY HASH (y, date_trunc('%s', x))", unit),
			fmt.Sprintf("PRIMARY KEY (x DESC, y)) PARTITION BY HASH (date_trunc('%s', x), y) WITH (shards = 2)", unit))
	}
	for _, size := range d.sizes() {
		out = append(out, fmt.Sprintf("%s PARTITION BY HASH (bucket(x, %s))", key, size),
			fmt.Sprintf("PRIMARY KEY (y, x DESC)) PARTITION BY HASH (y, bucket(x, %s))", size),
			fmt.Sprintf("PRIMARY KEY (x DESC, y)) PARTITION BY HASH (bucket(x, %s), y) WITH (shards = 2)", size))
	}
	for _, text := range d.templates(r, "x") {
		out = append(out, key+" WITH ("+text+")")
	}
	return out
}

// indexes are ends of definitions of indexes over the columns n and y, which may be NULL.
func (d *domain) indexes(r *rand.Rand) []string {
	out := []string{"(n)", "(n DESC, y)", "(y, n DESC)", "(n) WITH (shards = 3)", "(n, y DESC) WITH (shards = 3)",
		"(n) WITH (" + d.heavy(r) + ")", "(n DESC, y) WITH (" + d.heavy(r) + ")"}
	if _, array := strings.CutSuffix(d.typ, "[]"); !array {
		out = append(out, "USING zorder (n, y) WITH (partition_bits = 3)", "USING zorder (n, y) WITH (shards = 3)",
			"USING zorder (n) WITH (partition_key = '{y}')")
	}
	for _, text := range d.templates(r, "n") {
		out = append(out, "(n, y) WITH ("+text+")", "USING zorder (y) WITH ("+text+")")
	}
	return out
}

// heavy gives some of the values shards: a single one where values that follow each other may be equal.
func (d *domain) heavy(r *rand.Rand) string {
	values := d.literals
	if at := r.IntN(len(values)); d.typ == "interval" || d.typ == "numeric" || strings.HasPrefix(d.typ, "float") {
		values = values[at : at+1]
	}
	return heavyKeys(r, values)
}

// heavyKeys is the option that gives some of the values of a column shards.
func heavyKeys(r *rand.Rand, values []string) string {
	var keys []string
	for _, i := range r.Perm(len(values))[:1+r.IntN(min(len(values), 3))] {
		text, _ := json.Marshal(values[i])
		keys = append(keys, fmt.Sprintf("%s: %d", text, 2+r.IntN(4)))
	}
	return "heavy_keys = '{" + strings.ReplaceAll(strings.Join(keys, ", "), "'", "''") + "}'"
}

// units are the units of time that a type is cut into.
func (d *domain) units() []part.Unit {
	switch d.typ {
	case "timestamp", "timestamptz":
		return part.AllUnits
	case "date":
		return part.AllUnits[slices.Index(part.AllUnits, part.Day):]
	}
	return nil
}

// sizes are those of buckets that a type is cut into.
func (d *domain) sizes() []string {
	switch d.typ {
	case "int2", "int4", "int8":
		return []string{"1", "10", "32767"}
	case "numeric":
		return []string{"1", "0.25", "100", "1e-20"}
	}
	return nil
}

// templates are texts with each of the type's holes, alone or beside other pieces.
func (d *domain) templates(r *rand.Rand, column string) []string {
	var out []string
	offset := r.IntN(5)
	for i, hole := range d.holes {
		hole = strings.NewReplacer("c}", column+"}", "c:", column+":", "(c", "("+column, " c ",
			" "+column+" ").Replace(hole)
		switch (i + offset) % 5 {
		case 0:
			out = append(out, quoted(hole))
		case 1:
			out = append(out, quoted("{y:04},"+hole))
		case 2:
			out = append(out, quoted(hole+"/{y}"))
		case 3:
			out = append(out, quoted("{shard}-"+hole)+", shards = 2")
		default:
			options := ", shards = 3"
			if column == "x" {
				options += ", shard_by = 'random'"
			}
			out = append(out, quoted(hole+":{shard:02}")+options)
		}
	}
	return out
}

func quoted(template string) string {
	return "partition_key = '" + strings.ReplaceAll(template, "'", "''") + "'"
}

// tryPart makes one table, and perhaps an index, and tries all forms.
func tryPart(t *testing.T, r *rand.Rand, d domain, table, index string) {
	w := &world{Rand: r, t: t, columns: []column{{name: "x"}}}
	w.ddl = []string{fmt.Sprintf("CREATE TABLE t (x %s, y int4, n %s, id int4, %s", d.typ, d.typ, table)}
	on, hint := "x", "primary"
	if index != "" {
		on, hint = "n", "i"
		w.ddl = append(w.ddl, "CREATE INDEX i ON t "+index)
	}
	for _, sql := range w.ddl {
		if err := w.schema.Define(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	w.fillWith(d)
	met := map[string]int{}
	all := forms
	if slices.Contains([]string{"text", "varchar(5)", "char(3)"}, d.typ) {
		all = slices.Concat(forms, likes)
	}
	if d.units() != nil {
		all = slices.Concat(forms, years)
	}
	if strings.HasPrefix(d.typ, "timestamp") {
		all = slices.Concat(all, cuts)
	}
	for i, form := range all {
		if strings.Contains(form, "ANY") && strings.HasSuffix(d.typ, "[]") {
			continue // of arrays there are none
		}
		q := query{hint: hint, unordered: (i+r.IntN(2))%2 == 0}
		where := w.formed(&q, d, form+tails[r.IntN(len(tails))], on)
		q.sql = "SELECT x, y FROM t WHERE " + where +
			[]string{"", " ORDER BY " + on, " ORDER BY " + on + " DESC, y DESC", " ORDER BY y LIMIT 3"}[r.IntN(4)]
		w.check(q, met)
	}
	w.checkPoints(met)
	if met["spans"]+met["box"]+met["several boxes"] == 0 || met["rows"] == 0 {
		t.Errorf("%s: no condition narrowed a path, or none found rows: %v", strings.Join(w.ddl, "; "), met)
	}
}

// fillWith makes rows of all values of a type.
func (w *world) fillWith(d domain) {
	table := w.schema.Catalog.Table("public", "t")
	for i, literal := range d.literals {
		for range 2 {
			row := types.Row{w.value(literal, table.Columns[0].Type), types.Null, types.Null,
				types.NewInt(int64(len(w.rows)))}
			if table.Columns[1].NotNull || w.IntN(4) > 0 {
				row[1] = w.value(numbersOfY[w.IntN(len(numbersOfY))], types.Int4)
			}
			if w.IntN(4) > 0 {
				row[2] = w.value(d.literals[(i+w.IntN(2))%len(d.literals)], table.Columns[2].Type)
			}
			for _, c := range table.Columns[4:] {
				row = append(row, types.NewInt(int64(w.IntN(c.Shards))))
			}
			w.rows = append(w.rows, row)
		}
	}
	w.keep(table)
}

// formed is a form of a condition with its words filled in.
func (w *world) formed(q *query, d domain, form, column string) string {
	low := w.IntN(len(d.literals))
	high := min(low+w.IntN(4), len(d.literals)-1)
	value := func(i int) string { return "'" + strings.ReplaceAll(d.literals[i], "'", "''") + "'::" + d.typ }
	var out strings.Builder
	for i := range len(form) {
		alone := (i == 0 || !letter(form[i-1])) && (i+1 == len(form) || !letter(form[i+1]))
		switch word := form[i]; {
		case !alone:
			out.WriteByte(word)
		case word == 'c':
			out.WriteString(column)
		case word == 'V':
			out.WriteString(value(w.IntN(len(d.literals))))
		case word == 'L':
			out.WriteString(value(low))
		case word == 'H':
			out.WriteString(value(high))
		case word == 'O' && len(d.others) > 0:
			out.WriteString(d.others[w.IntN(len(d.others))])
		case word == 'O':
			out.WriteString(value(w.IntN(len(d.literals))))
		case word == 'P':
			q.params = append(q.params, "'"+d.literals[min(low+w.IntN(3), len(d.literals)-1)]+"'")
			fmt.Fprintf(&out, "$%d", len(q.params))
		case word == 'Y':
			out.WriteString(numbersOfY[w.IntN(len(numbersOfY))])
		default:
			out.WriteByte(word)
		}
	}
	return out.String()
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '\'' || c == '_'
}
