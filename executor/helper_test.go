package executor

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
)

// world is a store with one table, in one transaction.
type world struct {
	t     testing.TB
	store store.Store
	env   *Env
	table *catalog.Table
}

func newWorld(t testing.TB, table *catalog.Table) *world {
	return newWorldIn(t, table, memstore.New(memstore.Options{}))
}

func newWorldIn(t testing.TB, table *catalog.Table, st store.Store) *world {
	w := &world{t: t, store: st, table: table}
	ctx := context.Background()
	w.check(w.store.Create(ctx, table.TableSpace()))
	for i := range table.Indexes {
		w.check(w.store.Create(ctx, table.IndexSpace(&table.Indexes[i])))
	}
	w.env = &Env{
		Expr:   &expr.Context{Env: &types.Env{}},
		Store:  w.store.Capabilities(),
		Tables: NewTables(),
	}
	w.begin()
	return w
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) begin() {
	w.t.Helper()
	txn, err := w.store.Begin(context.Background(), store.Mode{})
	w.check(err)
	w.env.Txn = txn
}

func (w *world) commit() {
	w.t.Helper()
	w.check(w.env.Txn.Commit(context.Background()))
	w.begin()
}

// insert runs an INSERT of rows and says how it went.
func (w *world) insert(n plan.Insert, rows ...[]types.Value) string {
	n.Table, n.Input = w.table, valuesOf(w.table, rows)
	return w.write(n)
}

func (w *world) write(n plan.Node) string {
	made, _, err := Write(context.Background(), n, w.env)
	if err != nil {
		return shown(err)
	}
	return fmt.Sprint(made)
}

func shown(err error) string {
	e := sqlerr.From(err)
	if e.Code == sqlerr.InternalError {
		return err.Error()
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Code, e.Message, e.Detail))
}

// rows runs a plan and shows its rows.
func (w *world) rows(n plan.Node) string { return show(Run(context.Background(), n, w.env)) }

func show(rows Rows) string {
	var out []string
	for batch, err := range rows {
		if err != nil {
			return strings.Join(append(out, shown(err)), " ")
		}
		for i := range batch.Len() {
			out = append(out, rowText(batch.Row(i)))
		}
	}
	return strings.Join(out, " ")
}

func rowText(row types.Row) string {
	var out []string
	for _, v := range row {
		out = append(out, valueText(v))
	}
	return "(" + strings.Join(out, ",") + ")"
}

func valueText(v types.Value) string {
	kinds := map[types.Kind]types.T{
		types.KindBool: types.Bool, types.KindInt: types.Int8, types.KindFloat: types.Float8,
		types.KindText:    types.Text,
		types.KindNumeric: types.Numeric,
	}
	if v.IsNull() {
		return "null"
	}
	return types.FormatText(v, kinds[v.Kind()], nil)
}

// tableOf makes a table from "id int4 not null, a text", keyed by its first columns.
func tableOf(columns string, keys int) *catalog.Table {
	t := &catalog.Table{ID: 7, Schema: "public", Name: "t", PrimaryKey: "t_pkey", Space: catalog.NewSpace(70, "t")}
	oids := map[string]types.T{
		"int4": types.Int4, "int8": types.Int8, "text": types.Text, "numeric": types.Numeric, "float8": types.Float8,
		"bool": types.Bool,
	}
	for i, c := range strings.Split(columns, ", ") {
		words := strings.Fields(c)
		t.Columns = append(t.Columns, catalog.Column{ID: uint32(i + 1), Name: words[0], Type: oids[words[1]],
			NotNull: len(words) > 2 || i < keys})
	}
	parts := partsOf(t.Columns[:keys]...)
	t.Primary = catalog.Layout{Partition: parts[:1], Sort: parts[1:], Unique: true}
	return t
}

// keyless is a table keyed by a hidden row id behind its columns.
func keyless(columns string) *catalog.Table {
	t := tableOf(columns+", "+catalog.RowID+" int8 not null", 1)
	t.Columns[0].NotNull = false
	id := &t.Columns[len(t.Columns)-1]
	id.Hidden = true
	t.PrimaryKey, t.Primary = "", catalog.Layout{Partition: partsOf(*id), Unique: true}
	return t
}

func partsOf(columns ...catalog.Column) []catalog.Part {
	var parts []catalog.Part
	for _, c := range columns {
		parts = append(parts, catalog.Part{Column: c.ID})
	}
	return parts
}

// index adds an index over columns; one that begins with - descends, one that begins
// with + is only stored.
func index(t *catalog.Table, unique bool, columns ...string) *catalog.Index {
	n := uint32(len(t.Indexes) + 1)
	x := catalog.Index{
		ID: 100 + n, Name: "t_" + strings.Join(columns, "_") + "_idx", Method: catalog.BTree, Unique: unique,
		Space: catalog.NewSpace(100+uint64(n), "t", "x"),
	}
	var parts []catalog.Part
	for _, name := range columns {
		id := t.Columns[t.Column(strings.TrimLeft(name, "+-"))].ID
		if strings.HasPrefix(name, "+") {
			x.Include = append(x.Include, id)
			continue
		}
		parts = append(parts, catalog.Part{Column: id, Desc: strings.HasPrefix(name, "-")})
	}
	x.Keys = len(parts)
	x.Layout = catalog.Layout{Partition: parts[:1], Sort: parts[1:], Unique: unique, Tie: t.Primary.Parts()}
	t.Indexes = append(t.Indexes, x)
	return &t.Indexes[len(t.Indexes)-1]
}

func valuesOf(t *catalog.Table, rows [][]types.Value) plan.Values {
	v := plan.Values{Cols: plan.TableColumns(t, t.StoredOrdinals(nil))}
	for _, row := range rows {
		exprs := make([]expr.Expr, len(t.Columns))
		for i := range exprs {
			exprs[i] = expr.Const{T: t.Columns[i].Type}
			if i < len(row) {
				exprs[i] = expr.Const{Value: row[i], T: t.Columns[i].Type}
			}
		}
		v.Rows = append(v.Rows, exprs)
	}
	return v
}

// row makes values of ints, texts, bools, floats and nil.
func row(values ...any) []types.Value {
	var out []types.Value
	for _, v := range values {
		out = append(out, value(v))
	}
	return out
}

func value(v any) types.Value {
	switch v := v.(type) {
	case int:
		return types.NewInt(int64(v))
	case string:
		return types.NewText(v)
	case bool:
		return types.NewBool(v)
	case float64:
		return types.NewFloat(v)
	case types.Value:
		return v
	}
	return types.Null
}

func constant(v any) expr.Expr { return expr.Const{Value: value(v), T: types.Int8} }

func column(i int) expr.Expr { return expr.Column{Index: i, Name: fmt.Sprint("c", i), T: types.Int4} }

func compare(op expr.CompareOp, left, right expr.Expr) expr.Expr {
	return expr.Compare{Op: op, Left: left, Right: right}
}

// scanOf reads all columns of a table along a path.
func scanOf(t *catalog.Table, a plan.Access) plan.Scan {
	reads := t.StoredOrdinals(nil)
	return plan.Scan{Table: t, Reads: reads, Access: &a, Cols: plan.TableColumns(t, reads)}
}

// whole reads all of a space.
func whole(entries plan.Entries) plan.Access { return plan.Access{Path: plan.Whole{Entries: entries}} }

// spansOf reads what bounds leave of the leading parts of a layout.
func spansOf(entries plan.Entries, parts int, bounds ...plan.Bound) plan.Spans {
	return plan.Spans{Entries: entries, Sides: []plan.Side{{Parts: parts, Bounds: bounds}}}
}

// filtering is an access that checks entries for conditions, too.
func filtering(a plan.Access, conds ...expr.Expr) *plan.Access {
	e := a.Entries()
	e.Filter = conds
	a = a.WithEntries(e)
	return &a
}

// lookingUp is an access that reads some columns of entries and looks up their rows.
func lookingUp(a plan.Access, reads ...int) *plan.Access {
	e := a.Entries()
	e.Reads = reads
	a = a.WithEntries(e)
	a.Lookup = &plan.Lookups{}
	return &a
}

// along is an access along another path of the same space.
func along(a plan.Access, parts int, bounds ...plan.Bound) *plan.Access {
	a.Path = spansOf(a.Entries(), parts, bounds...)
	return &a
}

// boundsOf are those of an access by spans.
func boundsOf(a *plan.Access) []plan.Bound {
	spans, _ := a.Spans()
	return spans.Bounds()
}

// term bounds a column by an operator against values.
func term(column uint32, op plan.TermOp, values ...any) plan.Bound {
	b := plan.Bound{Column: column, Terms: []plan.Term{{Op: op}}}
	for _, v := range values {
		b.Terms[0].Args = append(b.Terms[0].Args, constant(v))
	}
	return b
}
