package planner

import (
	"slices"

	"zproxy/encoding/cells"
	"zproxy/expr"
	"zproxy/types"
)

// The functions below begin with the same arguments: the state of a row, the milliseconds from and before which
// versions were written, how many versions the table keeps, and the rank of one of them or how many are wanted.

// cellBetween is the version of a cell, by the number of its column and its newest value.
var cellBetween = &expr.Function{
	Name: "cell_between", NotStrict: true, Result: types.OIDAnyElement, Args: []types.OID{types.OIDBytea, types.OIDInt8,
		types.OIDInt8, types.OIDInt8, types.OIDInt8, types.OIDInt8, types.OIDAnyElement},
	FnN: func(_ *expr.Context, args []types.Value) (types.Value, error) {
		s, p, err := picking(args)
		if err != nil {
			return types.Null, err
		}
		return p.Value(&s, uint32(args[5].Int()), args[6]), nil
	},
}

// cellsBetween is the state of a row that has nothing but the versions of a rank.
var cellsBetween = &expr.Function{
	Name: "cells_between", Result: types.OIDBytea,
	Args: []types.OID{types.OIDBytea, types.OIDInt8, types.OIDInt8, types.OIDInt8, types.OIDInt8},
	FnN: func(_ *expr.Context, args []types.Value) (types.Value, error) {
		s, p, err := picking(args)
		if err != nil {
			return types.Null, err
		}
		picked := p.State(&s)
		return types.NewBytes(picked.Append(nil)), nil
	},
}

// written makes the function that says whether any cell of a row, or the row, was written in the range.
func (r *timeRange) written() *expr.Function {
	columns := r.columns()
	return &expr.Function{
		Name: "written_between", Result: types.OIDBool,
		Args: []types.OID{types.OIDBytea, types.OIDInt8, types.OIDInt8, types.OIDInt8},
		FnN: func(_ *expr.Context, args []types.Value) (types.Value, error) {
			s, p, err := picking(args)
			return types.NewBool(err == nil && p.Count(&s, columns) > 0), err
		},
	}
}

// ranks makes the function that returns the ranks of versions that a row has in the range, at most so many.
func (r *timeRange) ranks() *expr.Function {
	columns := r.columns()
	return &expr.Function{
		Name: "versions_between", Result: types.OIDInt8,
		Args: []types.OID{types.OIDBytea, types.OIDInt8, types.OIDInt8, types.OIDInt8, types.OIDInt8},
		Rows: func(_ *expr.Context, args []types.Value) expr.Set {
			return func(yield func(types.Row, error) bool) {
				s, p, err := picking(args[:4])
				if err != nil {
					yield(nil, err)
					return
				}
				for rank := range min(p.Count(&s, columns), args[4].Int()) {
					if !yield(types.Row{types.NewInt(rank)}, nil) {
						return
					}
				}
			}
		},
	}
}

// columns are the numbers of the columns of the table that have cells, and that of the row itself. A column that was
// dropped may have some in old rows.
func (r *timeRange) columns() []uint32 {
	out := []uint32{cells.Row}
	for _, c := range r.layout.Columns {
		out = append(out, c.ID)
	}
	return slices.Clip(out)
}

// picking reads the arguments that such functions begin with.
func picking(args []types.Value) (cells.State, cells.Pick, error) {
	p := cells.Pick{Min: args[1].Int(), Max: args[2].Int(), Most: args[3].Int()}
	if len(args) > 4 {
		p.Rank = args[4].Int()
	}
	s, err := cells.Decode(args[0].Bytes())
	return s, p, err
}

// forgetting is the state of a row without older versions of some columns.
func forgetting(state expr.Expr, columns []uint32) expr.Expr {
	return expr.Call{T: state.Type(), Args: []expr.Expr{state}, Fn: &expr.Function{
		Name: "forget_versions", Args: []types.OID{types.OIDBytea}, Result: types.OIDBytea,
		Fn1: func(_ *expr.Context, times types.Value) (types.Value, error) {
			s, err := cells.Decode(times.Bytes())
			if err != nil {
				return types.Null, err
			}
			s.Older = slices.DeleteFunc(s.Older, func(v cells.Version) bool { return slices.Contains(columns, v.Column) })
			return types.NewBytes(s.Append(nil)), nil
		},
	}}
}
