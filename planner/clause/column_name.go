package clause

import (
	"cmp"
	"strings"

	"zproxy/parser/ast"
	"zproxy/types"
)

// ColumnName is the name of a column without an alias, as PostgreSQL chooses it.
func ColumnName(e ast.Expr) string {
	if name := strongName(e); name != "" {
		return name
	}
	switch e := e.(type) {
	case *ast.Cast:
		if info, ok := types.Lookup(e.Type.Name); ok {
			return info.Name
		}
		return strings.TrimPrefix(e.Type.Name, "information_schema.")
	case *ast.Case:
		return "case"
	case *ast.Subscript:
		return ColumnName(e.Arg)
	case *ast.Collate:
		return ColumnName(e.Arg)
	case *ast.JSONInput:
		return ColumnName(e.Arg)
	case *ast.JSONOutput:
		return ColumnName(e.Arg)
	}
	return "?column?"
}

// IndexColumnName is the name of a column of an index over an expression, as PostgreSQL chooses it.
func IndexColumnName(e ast.Expr) string {
	if name := ColumnName(e); name != "?column?" {
		return name
	}
	return "expr"
}

// strongName is the name of an expression that has one of its own.
func strongName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Column:
		if e.Parts[0] == ast.MergeActionName {
			return "merge_action"
		}
		return e.Parts[len(e.Parts)-1]
	case *ast.Star:
		if len(e.Table) > 0 {
			return e.Table[len(e.Table)-1]
		}
	case *ast.Call:
		return e.Name
	case *ast.Cast:
		return strongName(e.Arg)
	case *ast.Case:
		if e.Else != nil {
			return strongName(e.Else)
		}
	case *ast.Coalesce:
		return "coalesce"
	case *ast.NullIf:
		return "nullif"
	case *ast.Extreme:
		if e.Least {
			return "least"
		}
		return "greatest"
	case *ast.GroupingCall:
		return "grouping"
	case *ast.Subquery:
		return subqueryName(e)
	case *ast.ArrayLiteral:
		return "array"
	case *ast.Row:
		return "row"
	case *ast.Subscript:
		return strongName(e.Arg)
	case *ast.Field:
		return e.Name
	case *ast.Collate:
		return strongName(e.Arg)
	case *ast.JSONQuery:
		return strings.ToLower(e.Name)
	case *ast.JSONInput:
		return strongName(e.Arg)
	case *ast.JSONOutput:
		return strongName(e.Arg)
	}
	return ""
}

func subqueryName(e *ast.Subquery) string {
	switch e.Kind {
	case ast.ExistsSubquery:
		return "exists"
	case ast.ArraySubquery:
		return "array"
	case ast.ScalarSubquery:
		for s := e.Select; s != nil; s = s.SetOp.Left {
			if s.SetOp == nil {
				if len(s.Targets) > 0 {
					return cmp.Or(s.Targets[0].Alias, ColumnName(s.Targets[0].Expr))
				}
				return "column1"
			}
		}
	}
	return ""
}
