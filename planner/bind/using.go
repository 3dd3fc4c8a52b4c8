package bind

import (
	"slices"

	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// UsingNames are the names of the columns that a join merges: those of USING, or in a NATURAL join those that both
// sides have. Its sides may have no relation of one name.
func UsingNames(j *ast.FromJoin, left, right []Relation) (out []ast.ColumnName, err error) {
	for _, r := range right {
		same := func(l Relation) bool { return l.Name == r.Name && l.Schema == r.Schema }
		if r.Name != "" && slices.ContainsFunc(left, same) {
			return nil, sqlerr.New(sqlerr.DuplicateAlias, "table name %q specified more than once", r.Name)
		}
	}
	if !j.Natural {
		return j.Using, nil
	}
	theirs := NewScope(right...).Visible()
	for _, v := range NewScope(left...).Visible() {
		name := left[v.Relation].Cols[v.Column].Name
		if slices.ContainsFunc(theirs, func(o Var) bool { return right[o.Relation].Cols[o.Column].Name == name }) {
			out = append(out, ast.ColumnName{Name: name, Pos: -1})
		}
	}
	return out, nil
}

// UsingColumns are the columns of both sides of a join that a name in USING merges.
func UsingColumns(name ast.ColumnName, left, right []Relation) (l, r Var, err error) {
	if l, err = usingColumn(name, left, "left"); err == nil {
		r, err = usingColumn(name, right, "right")
	}
	return l, r, err
}

func usingColumn(name ast.ColumnName, relations []Relation, side string) (out Var, err error) {
	found := false
	for _, v := range NewScope(relations...).Visible() {
		if relations[v.Relation].Cols[v.Column].Name != name.Name {
			continue
		}
		if found {
			return v, sqlerr.New(sqlerr.AmbiguousColumn, "common column name %q appears more than once in %s table",
				name.Name, side).At(int(name.Pos))
		}
		out, found = v, true
	}
	if !found {
		return out, sqlerr.New(sqlerr.UndefinedColumn, "column %q specified in USING clause does not exist in %s table",
			name.Name, side).At(int(name.Pos))
	}
	return out, nil
}

// MergedSide is the side of a join, 0 or 1, whose column stands for those of both that USING names: the one that always
// has a row. Where both have one it is the left, unless only the right is a column of the type that they have in
// common. It is -1 where neither always has a row.
func MergedSide(kind ast.JoinKind, common [2]bool) int {
	switch kind {
	case ast.FullJoin:
		return -1
	case ast.RightJoin:
		return 1
	case ast.InnerJoin:
		if !common[0] && common[1] {
			return 1
		}
	}
	return 0
}

// Joined are the relations of a join: first the merged columns, if there are any, which hide those that they stand for
// from names without a relation, and last the alias that USING gives them.
func Joined(j *ast.FromJoin, merged Relation, left, right []Relation) []Relation {
	if merged.Cols == nil {
		return slices.Concat(left, right)
	}
	out := slices.Concat([]Relation{merged}, left, right)
	for k := 1; k < len(out); k++ {
		r := &out[k]
		r.Mark(Merged, func(i int) bool {
			return slices.ContainsFunc(merged.Cols, func(m plan.Column) bool { return m.Name == r.Cols[i].Name })
		})
	}
	if j.UsingAlias != "" {
		merged.Name = j.UsingAlias
		merged.Mark(Merged, func(int) bool { return true })
		out = append(out, merged)
	}
	return out
}
