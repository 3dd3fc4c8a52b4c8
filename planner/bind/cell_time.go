package bind

import (
	"slices"
	"strings"

	"zproxy/catalog/celltime"
	"zproxy/encoding/cells"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// cellTime is a call of zproxy.cell_timestamp with a column, which is a call with the column that has the timestamps of
// its row; nil for any other call.
func (s *Scalars) cellTime(call *ast.Call) (expr.Expr, error) {
	if call.Schema != system.CellTimestamp.Schema || call.Name != system.CellTimestamp.Name || len(call.Args) != 1 {
		return nil, nil
	}
	column, ok := call.Args[0].(*ast.Column)
	if !ok {
		return nil, nil
	}
	return s.timeOf(column, call.Pos)
}

// timeSuffix is behind the name of a column in what stands for the timestamp of its cell, as Lindorm has it.
const timeSuffix = "_l_ts"

// suffixedTime is what c_l_ts means where c is a column and c_l_ts is none: the timestamp of its cell.
func (m maker) suffixedTime(e *ast.Column, missing error) (expr.Expr, error) {
	last := len(e.Parts) - 1
	name, ok := strings.CutSuffix(e.Parts[last], timeSuffix)
	if !ok || name == "" {
		return nil, missing
	}
	of := *e
	of.Parts = append(slices.Clone(e.Parts[:last]), name)
	if found, err := m.Scope.Resolve(&of); err != nil || m.Scope.stored(found) == nil {
		return nil, missing
	}
	return m.timeOf(&of, e.Pos)
}

// stored is the relation of a name that is a column of a table; nil: it is none.
func (s *Scope) stored(found Var) *Relation {
	at, _ := s.further(found.Out)
	r := &at.Relations[found.Relation]
	if r.Table == nil || found.Column < 0 || found.Column >= len(r.Table.Columns) {
		return nil
	}
	return r
}

// timeOf is the timestamp of the cell of a column, which is asked for at a position.
func (s *Scalars) timeOf(column *ast.Column, pos ast.Pos) (expr.Expr, error) {
	if s.queries == nil { // such an expression is kept with the columns that it names
		return nil, sqlerr.New(sqlerr.InvalidColumnReference, "timestamps of cells are not allowed in %s", s.Where).
			At(int(pos))
	}
	found, err := s.Scope.Resolve(column)
	if err != nil {
		return nil, err
	}
	r := s.Scope.stored(found)
	if r == nil {
		return nil, system.NoCell().At(int(column.Pos))
	}
	if err := celltime.Missing(r.Table); err != nil {
		return nil, err.At(int(column.Pos))
	}
	layout, id := celltime.Layout(r.Table), cells.Row
	for _, c := range layout.Columns {
		if c.Ordinal == found.Column {
			id = c.ID
		}
	}
	r.Read(found.Column)
	_, crossed := s.Scope.further(found.Out)
	times := s.carry(r.At(layout.Times), r.full(celltime.Times), crossed)
	args := []expr.Expr{times, expr.Const{Value: types.NewInt(int64(id)), T: types.Int8}}
	return expr.Call{Fn: timeOfCell, Args: args, T: types.Int8}, nil
}

// timeOfCell is when the cell with the number of a column was written, in milliseconds.
var timeOfCell = &expr.Function{
	Name: "cell_timestamp", Args: []types.OID{types.OIDBytea, types.OIDInt8}, Result: types.OIDInt8,
	Fn2: func(_ *expr.Context, times, column types.Value) (types.Value, error) {
		s, err := cells.Decode(times.Bytes())
		if err != nil {
			return types.Null, err
		}
		at := s.Of(uint32(column.Int()))
		if at == cells.Never {
			return types.Null, nil
		}
		return types.NewInt(at.Milli()), nil
	},
}
