package planner

import (
	"zproxy/catalog"
	"zproxy/catalog/dynamic"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// target is a column that a statement gives a value: one of the table, or one of the dynamic columns that are in it.
type target struct {
	ordinal int    // -1 takes no value
	dynamic string // its name; empty: a column of the table
	through int    // the number of a column of a view that it is named by, from 1; 0: it is named itself
	at      []step // the path behind its name
}

// tableTarget is the column of a table that a statement names.
func tableTarget(t *catalog.Table, n ast.ColumnName) (target, error) {
	i, err := TableColumn(t, n)
	if at := bind.DynamicAt(t); err != nil && at >= 0 && t.Column(n.Name) < 0 {
		return target{ordinal: at, dynamic: n.Name}, nil
	}
	return target{ordinal: i}, err
}

// specified refuses a column that is named twice, or with the column that it is in. Several subscripts of one may get
// values.
func specified(g *goal, targets []target, n ast.ColumnName, next target) error {
	for _, before := range targets {
		if before.through != next.through {
			if before.ordinal == next.ordinal && next.ordinal >= 0 {
				return sqlerr.New(sqlerr.SyntaxError, "multiple assignments to same column %q",
					g.table.Columns[next.ordinal].Name)
			}
			continue
		}
		if before.at != nil && next.at != nil {
			continue
		}
		same := before.dynamic == next.dynamic || before.dynamic == "" || next.dynamic == ""
		if before.ordinal == next.ordinal && same {
			return sqlerr.New(sqlerr.DuplicateColumn, "column %q specified more than once", n.Name).At(int(n.Pos))
		}
	}
	return nil
}

// columnsOf are targets as columns of rows.
func columnsOf(t *catalog.Table, targets []target) []plan.Column {
	out := make([]plan.Column, len(targets))
	for i, to := range targets {
		if out[i] = plan.TableColumns(t, []int{to.ordinal})[0]; to.dynamic != "" {
			c := dynamicColumn(t, to.dynamic)
			out[i] = plan.Column{Name: c.Name, Type: c.Type}
		}
	}
	return out
}

// ordinals are the columns that targets are or are in, each once.
func ordinals(targets []target) []int {
	var out []int
	seen := map[int]bool{}
	for _, t := range targets {
		if !seen[t.ordinal] {
			out = append(out, t.ordinal)
		}
		seen[t.ordinal] = true
	}
	return out
}

// dynamicColumn is a dynamic column as one of a table.
func dynamicColumn(t *catalog.Table, name string) catalog.Column {
	of := types.Of(types.OIDBytea)
	if dynamic.Of(t.Options) == dynamic.JSON {
		of = types.JSONB
	}
	return catalog.Column{Name: name, Type: of}
}

// members are the arguments of jsonb_build_object for a dynamic column with a value.
func (p writer) members(t *catalog.Table, name string, value expr.Expr, pos ast.Pos) ([]expr.Expr, error) {
	c := dynamicColumn(t, name)
	var err error
	switch typ := value.Type(); {
	case c.Type.OID == types.OIDBytea:
		if value, err = p.Assign(value, name, c.Type, pos); err == nil {
			value, err = p.Call("encode", value, expr.Const{Value: types.NewText("hex"), T: types.Text})
		}
	case typ.OID == types.OIDUnknown:
		value, err = p.Assign(value, name, c.Type, pos)
	default:
		value, err = p.Call("to_jsonb", value)
	}
	return []expr.Expr{expr.Const{Value: types.NewText(name), T: types.Text}, value}, err
}

// changed are dynamic columns of a row with new values for some.
func (p writer) changed(rel *bind.Relation, at int, members []expr.Expr) (plan.Assignment, error) {
	made, err := p.Call("jsonb_build_object", members...)
	if err != nil {
		return plan.Assignment{}, err
	}
	empty, err := types.ParseText("{}", types.JSONB, nil)
	if err != nil {
		return plan.Assignment{}, err
	}
	old := expr.Coalesce{Args: []expr.Expr{rel.At(at), expr.Const{Value: empty, T: types.JSONB}}, T: types.JSONB}
	value, err := p.Call("jsonb_concat", old, made)
	return plan.Assignment{Column: at, Value: value}, err
}

// merged is the value that UPSERT gives the dynamic columns of a row that is there.
func merged(table string) ast.Expr {
	of := func(relation string) ast.Expr {
		empty := &ast.Literal{Kind: ast.LiteralString, Text: "{}", Pos: -1}
		return &ast.Coalesce{Args: []ast.Expr{
			&ast.Column{Parts: []string{relation, dynamic.Option}, Pos: -1}, empty}, Pos: -1}
	}
	return &ast.Operator{Name: "||", Left: of(table), Right: of("excluded"), Pos: -1}
}
