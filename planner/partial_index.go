package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// leaveOut decides which rows an index holds: those without NULL in the columns that its WHERE
// names, or, with NULL_FILTERED, in any column of its key. No other condition is known yet.
func leaveOut(x *catalog.Index, t *catalog.Table, s *ast.CreateIndex) error {
	var key []uint32
	for _, k := range s.Keys {
		key = append(key, t.Columns[t.Column(k.Column)].ID)
	}
	named, ok, err := notNullColumns(t, s.Where)
	if err != nil {
		return err
	}
	if !ok || slices.ContainsFunc(named, func(id uint32) bool { return !slices.Contains(key, id) }) {
		return sqlerr.Unsupported("a partial index").At(int(s.Pos))
	}
	if s.NullFiltered {
		named = append(named, key...)
	}
	for _, id := range named {
		if !slices.Contains(x.NotNull, id) {
			x.NotNull = append(x.NotNull, id)
		}
	}
	return nil
}

// holdsAll says whether an index holds all rows without NULL in some columns.
func holdsAll(x *catalog.Index, notNull []uint32) bool {
	return !slices.ContainsFunc(x.NotNull, func(id uint32) bool { return !slices.Contains(notNull, id) })
}

// notNullColumns reads a IS NOT NULL AND b IS NOT NULL. It says false of a condition that says
// anything else; one that is missing says nothing.
func notNullColumns(t *catalog.Table, cond ast.Expr) (ids []uint32, ok bool, err error) {
	switch e := cond.(type) {
	case nil:
		return nil, true, nil
	case *ast.Logic:
		for _, arg := range e.Args {
			some, only, err := notNullColumns(t, arg)
			if err != nil || !only || e.Or {
				return nil, false, err
			}
			ids = append(ids, some...)
		}
		return ids, true, nil
	case *ast.Is:
		column, isColumn := e.Arg.(*ast.Column)
		if !isColumn || len(column.Parts) != 1 || e.What != ast.IsNull || !e.Not {
			return nil, false, nil
		}
		i, err := tableColumn(t, ast.ColumnName{Name: column.Parts[0], Pos: column.Pos})
		if err != nil {
			return nil, false, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" does not exist", column.Parts[0]).At(int(column.Pos))
		}
		return []uint32{t.Columns[i].ID}, true, nil
	}
	return nil, false, nil
}
