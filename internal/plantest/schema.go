// Package plantest makes catalogs and plans of SQL, and shows plans as trees, for the
// tests of what reads or makes plans. What a plan should be is in the scripts that use it. Read Schema and Tree
// first.
package plantest

import (
	"fmt"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/define"
	"zproxy/catalog/part"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// Schema is a catalog that grows by SQL. The zero Schema is empty.
type Schema struct {
	Catalog *catalog.Snapshot
	Last    uint64 // ID that was given
}

// Define runs CREATE TABLE, CREATE FOREIGN TABLE, CREATE INDEX and CREATE VIEW statements. Foreign tables are over
// tables with the key attributes PK and SK.
func (s *Schema) Define(sql string) error {
	list, err := parser.Parse(sql)
	if err != nil {
		return err
	}
	for _, parsed := range list {
		if err := s.define(parsed.Statement); err != nil {
			return err
		}
	}
	return nil
}

func (s *Schema) define(statement ast.Statement) error {
	b := s.Builder()
	var made []catalog.Object
	switch tree := statement.(type) {
	case *ast.CreateTable:
		if tree.Foreign != nil {
			t, err := b.CreateForeignTable(tree, "public", outside)
			if err != nil {
				return err
			}
			made = append(made, t.Table)
			break
		}
		t, err := b.CreateTable(tree, "public")
		if err != nil {
			return err
		}
		made = append(made, t.Table)
		for _, q := range t.Sequences {
			made = append(made, q)
		}
	case *ast.CreateIndex:
		t, err := b.Table(tree.Table)
		if err != nil {
			return err
		}
		t, x, err := b.CreateIndex(tree, t)
		if err != nil {
			return err
		}
		fillCurve(t, x)
		made = append(made, t.WithIndex(*x))
	case *ast.CreateView:
		v, err := b.CreateView(tree, "public", nil)
		if err != nil {
			return err
		}
		made = append(made, v)
	default:
		return fmt.Errorf("%T defines nothing", tree)
	}
	s.Catalog = b.Catalog.With(made...)
	return nil
}

func (s *Schema) next() (uint64, error) {
	s.Last++
	return s.Last, nil
}

// fillCurve gives the dimensions without a width the one of their type, as the build of
// an index over no rows does.
func fillCurve(t *catalog.Table, x *catalog.Index) {
	if x.Method != catalog.ZOrder {
		return
	}
	curve := x.Layout.Curve()
	for i := range curve {
		curve[i].Map = catalog.MapRaw
		if curve[i].Bits == 0 {
			curve[i].Bits = part.RawBits(t.Columns[t.Ordinal(curve[i].Column)].Type)
		}
	}
}

// outside is a table of another program.
var outside = &store.OutsideTable{Outside: store.Outside{Table: "App",
	Partition: []store.Attribute{{Name: "PK", Type: types.Text}}, Sort: []store.Attribute{{Name: "SK", Type: types.Text}}}}

// objects is a relation of the system.
var objects = &catalog.Virtual{
	ID: 9999, Schema: catalog.PgCatalogName, Name: "objects", Kind: catalog.TableKind, Rows: 100,
	Columns: []catalog.VirtualColumn{{Name: "oid", Type: types.Of(types.OIDOID)}, {Name: "name", Type: types.Name},
		{Name: "owner", Type: types.Of(types.OIDOID)}},
}

// Builder makes objects of the schema.
func (s *Schema) Builder() define.Builder {
	limits := define.Limits{Store: store.Capabilities{MostPartition: 2048, MostSort: 1024}}
	return define.Builder{Planner: s.Planner(), Limits: limits, Next: s.next}
}

// Planner is a planner over the schema.
func (s *Schema) Planner() *planner.Planner {
	if s.Catalog == nil {
		s.Catalog = catalog.NewSnapshot().Over(catalog.NewSystem(nil, []*catalog.Virtual{objects}))
	}
	return &planner.Planner{
		Binder: bind.Binder{
			Names:     bind.Names{Catalog: s.Catalog, SearchPath: []string{"public"}},
			Constants: bind.Constants{Env: &types.Env{}},
		},
	}
}

// Plan plans one statement, as the planner leaves it.
func (s *Schema) Plan(sql string) (plan.Node, error) {
	list, err := parser.Parse(sql)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("%d statements, want one", len(list))
	}
	return s.Planner().Plan(list[0].Statement)
}

// Know sets what is known of a table: a line "rows 1000", and for columns lines such as
// "a distinct=10 min=1 max=100 nulls=0.5". The axes of a column of points are a.x and a.y.
func (s *Schema) Know(table, text string) error {
	p := s.Planner()
	old := p.Catalog.Table("public", table)
	if old == nil {
		return fmt.Errorf("there is no table %q", table)
	}
	t := *old
	t.Stats = catalog.Stats{Known: true, Columns: map[uint32]catalog.ColumnStats{}}
	for line := range strings.Lines(text) {
		if err := knowLine(&t, strings.Fields(line)); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	s.Catalog = p.Catalog.With(&t)
	return nil
}

func knowLine(t *catalog.Table, words []string) error {
	var err error
	if words[0] == "rows" {
		t.Stats.Rows, err = strconv.ParseFloat(words[1], 64)
		return err
	}
	id, of, ok := known(t, words[0])
	if !ok {
		return fmt.Errorf("there is no column %q", words[0])
	}
	stats := catalog.ColumnStats{}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "distinct":
			stats.Distinct, err = strconv.ParseFloat(value, 64)
		case "nulls":
			stats.Nulls, err = strconv.ParseFloat(value, 64)
		case "width":
			stats.Width, err = strconv.ParseFloat(value, 64)
		case "min":
			stats.Min, err = types.ParseText(value, of, &types.Env{})
		case "max":
			stats.Max, err = types.ParseText(value, of, &types.Env{})
		default:
			err = fmt.Errorf("there is no statistic %q", name)
		}
		if err != nil {
			return err
		}
	}
	t.Stats.Columns[id] = stats
	return nil
}

// known is the number and the type of a column or an axis with a name.
func known(t *catalog.Table, name string) (id uint32, of types.T, ok bool) {
	for _, c := range t.Columns {
		if c.Name == name {
			return c.ID, c.Type, true
		}
		for _, id := range axis.Of(c.ID, c.Type) {
			if axis.Name(id, c.Name) == name {
				return id, types.Float8, true
			}
		}
	}
	return 0, of, false
}
