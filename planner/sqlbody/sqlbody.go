// Package sqlbody is the body of a function in SQL: its statements, the names of its parameters in them, and what its
// last statement must deliver. It plans nothing itself: who makes a function plans the statements to check them, and
// the session to run them. Read Parse, Parameters and CheckResult first.
package sqlbody

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/routine"
	"zproxy/expr"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Parse reads the statements of a function.
func Parse(f *catalog.Function) ([]ast.Parsed, error) { return parser.Parse(f.Body) }

// Parameters are the parameters of a function as its statements name them: where no column has the name.
type Parameters struct {
	Function string
	Names    []string
	Types    []types.T
	Values   []expr.Expr // what the parameters stand for; nil: themselves
}

// ParametersOf are the parameters of a function that is called with some types.
func ParametersOf(f *catalog.Function, of []types.T) *Parameters {
	out := &Parameters{Function: f.Name, Types: of}
	for _, p := range f.Inputs() {
		out.Names = append(out.Names, p.Name)
	}
	return out
}

// Named implements bind.Variables.
func (p *Parameters) Named(parts []string) expr.Expr {
	find := func(name string) expr.Expr {
		if i := slices.Index(p.Names, name); i >= 0 && name != "" {
			return p.Numbered(i + 1)
		}
		return nil
	}
	field := func(of expr.Expr, name string) expr.Expr {
		if of == nil || of.Type().Def == nil {
			return nil
		}
		row := of.Type().Def
		if i := slices.Index(row.Names, name); i >= 0 {
			return expr.Field{Arg: of, Ordinal: i, Name: name, T: row.Types[i]}
		}
		return nil
	}
	switch {
	case len(parts) == 1:
		return find(parts[0])
	case len(parts) == 2:
		if parts[0] == p.Function {
			if out := find(parts[1]); out != nil {
				return out
			}
		}
		return field(find(parts[0]), parts[1])
	case len(parts) == 3 && parts[0] == p.Function:
		return field(find(parts[1]), parts[2])
	}
	return nil
}

// Numbered implements bind.Variables.
func (p *Parameters) Numbered(n int) expr.Expr {
	if n < 1 || n > len(p.Types) {
		return nil
	}
	if p.Values != nil {
		return p.Values[n-1]
	}
	return expr.Param{Number: n - 1, T: p.Types[n-1]}
}

// Conflicts implements bind.Variables.
func (*Parameters) Conflicts() bool { return false }

// Delivers says whether a statement delivers rows.
func Delivers(s ast.Statement) bool {
	switch s := s.(type) {
	case *ast.Select:
		return true
	case *ast.Insert:
		return s.Returning != nil
	case *ast.Update:
		return s.Returning != nil
	case *ast.Delete:
		return s.Returning != nil
	case *ast.Merge:
		return s.Returning != nil
	}
	return false
}

// mismatch is the error of a body that does not deliver what the function says.
func mismatch(result types.T, detail string, args ...any) error {
	return sqlerr.New(sqlerr.InvalidFunctionDefinition, "return type mismatch in function declared to return %s",
		result.Bare()).WithDetail(detail, args...)
}

// ResultTypes are the types of the columns that the last statement of a function must deliver, nil where it delivers
// one value or nothing.
func ResultTypes(f *catalog.Function, result types.T) []types.T {
	if result.OID == types.OIDRecord && result.Def != nil {
		return result.Def.Types
	}
	if row := routine.ResultRow(f); row != nil {
		return row.Types
	}
	if result.Def != nil {
		return result.Def.Types
	}
	return nil
}

// CheckResult wants the last statement of a function, with its columns, to deliver what the function returns. It says
// whether a row as a whole, in its only column, is the result.
func CheckResult(f *catalog.Function, result types.T, last ast.Statement, cols []plan.Column) (whole bool, err error) {
	if result.OID == types.OIDVoid || f.Procedure && routine.ResultRow(f) == nil {
		return false, nil
	}
	if last == nil || !Delivers(last) {
		return false, mismatch(result,
			"Function's final statement must be SELECT or INSERT/UPDATE/DELETE RETURNING.")
	}
	fields := ResultTypes(f, result)
	if fields == nil && result.OID == types.OIDRecord {
		return len(cols) == 1 && cols[0].Type.IsComposite(), nil
	}
	if fields == nil {
		if len(cols) != 1 {
			return false, mismatch(result, "Final statement must return exactly one column.")
		}
		if !assignable(cols[0].Type, result) {
			return false, mismatch(result, "Actual return type is %s.", cols[0].Type.Bare())
		}
		return false, nil
	}
	if len(cols) == 1 && (cols[0].Type.OID == result.OID && result.OID.IsRow() ||
		cols[0].Type.OID == types.OIDRecord && result.OID.IsRow()) {
		return true, nil
	}
	for i, c := range cols {
		if i >= len(fields) {
			return false, mismatch(result, "Final statement returns too many columns.")
		}
		if !assignable(c.Type, fields[i]) {
			return false, mismatch(result, "Final statement returns %s instead of %s at column %d.", c.Type.Bare(),
				fields[i].Bare(), i+1)
		}
	}
	if len(cols) < len(fields) {
		return false, mismatch(result, "Final statement returns too few columns.")
	}
	return false, nil
}

// assignable says whether a value of a type can be one of another by an assignment.
func assignable(from, to types.T) bool {
	if from.OID == to.OID || from.OID == types.OIDUnknown || to.OID == types.OIDRecord && from.IsComposite() {
		return true
	}
	by, ok := types.FindCast(from.OID, to.OID)
	return ok && by.Context <= types.Assignment
}
