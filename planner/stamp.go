package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/encoding/cells"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// timeHint gives the timestamp of a write, or of what is read; versionsHint how many versions are read.
const (
	timeHint     = "_l_ts_"
	versionsHint = "_l_versions_"
)

// stamp is the timestamp with which a statement writes cells of a table, nil where they have none.
func stamp(t *catalog.Table, n ast.Name, hints []ast.Hint) (*cells.Stamp, error) {
	out := &cells.Stamp{}
	for _, h := range hints {
		switch {
		case !h.Timed():
			continue
		case h.Name != timeHint:
			return nil, sqlerr.New(sqlerr.SyntaxError, "hint %s is for SELECT", h.Name).At(int(h.Pos))
		case !celltime.Has(t):
			return nil, untimed(t, n, h)
		case out.Given:
			return nil, sqlerr.New(sqlerr.SyntaxError, "hint %s stands twice", h.Name).At(int(h.Pos))
		}
		out.Given, out.Milli = true, h.Number
	}
	if !celltime.Has(t) {
		return nil, nil
	}
	return out, nil
}

// untimed refuses timestamps of a table whose cells have none.
func untimed(t *catalog.Table, n ast.Name, h ast.Hint) error {
	return sqlerr.New(sqlerr.FeatureNotSupported,
		"User-Defined-Timestamp(UDT) is not supported by table in %s mode", t.Mutability()).At(int(h.Pos)).
		WithHint("ALTER TABLE %s SET (%s = '%s') gives its cells timestamps; its indexes may stay.", quotedName(n),
			catalog.MutabilityOption, celltime.UDT)
}

// writes are the columns of which an INSERT writes cells: those that it names, and those that have a default. REPLACE
// writes all.
func writes(t *catalog.Table, s *ast.Insert, targets []int) []uint32 {
	var out []uint32
	for i, c := range t.Columns {
		named := slices.Contains(targets, i) && s.Select != nil
		if !c.Hidden && (named || s.Replace || c.Default != "" || c.Identity != catalog.NoIdentity) {
			out = append(out, c.ID)
		}
	}
	return out
}

// wholeKey are the values of the primary key of the one row that conditions name, in the order of
// catalog.Table.KeyOrdinals; nil where they say more or less than that.
func wholeKey(t *catalog.Table, input plan.Node) []expr.Expr {
	filter, ok := input.(plan.Filter)
	if !ok {
		return nil
	}
	if _, ok := filter.Input.(plan.Scan); !ok {
		return nil
	}
	key := t.KeyOrdinals()
	out := make([]expr.Expr, len(key))
	conds := expr.Conjuncts(filter.Cond)
	for _, cond := range conds {
		column, term, exact, ok := plan.TermOf(cond)
		if !ok || !exact || term.Op != plan.TermEQ || term.Image != nil {
			return nil
		}
		at := slices.Index(key, column)
		if at < 0 || out[at] != nil || term.Args[0].Type().Kind() != t.Columns[column].Type.Kind() {
			return nil
		}
		out[at] = term.Args[0]
	}
	if len(conds) != len(key) {
		return nil
	}
	return out
}
