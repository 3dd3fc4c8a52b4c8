package bind

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin/pgproc"
	"zproxy/types"
)

// hasOperators says whether users made operators.
func (n *Names) hasOperators() bool {
	return n.Catalog != nil && n.Catalog.HasPlains(catalog.OperatorKind)
}

// UserOperators are the operators that users made, as the functions that they call: those of schemas that come before
// pg_catalog on the search path, and the others. In expressions that are stored, which have no path, those of all
// schemas are found. The sign may have a schema before it.
func (n *Names) UserOperators(sign string, operands int) (first, last []*expr.Function) {
	if !n.hasOperators() {
		return nil, nil
	}
	schema, sign := signIn(sign)
	if schema == catalog.PgCatalogName {
		return nil, nil
	}
	if schema == "" {
		for _, id := range stoodFor(n, types.OIDRegoper, sign) {
			o := n.Catalog.PlainByID(id)
			if o == nil {
				continue
			}
			if fn := n.operatorFunction(o); fn != nil && len(fn.Args) == operands {
				first = append(first, fn)
			}
		}
	}
	if first != nil {
		return first, nil
	}
	path := pathOf(n, schema)
	system := slices.Index(path, catalog.PgCatalogName)
	for i, in := range path {
		for _, o := range n.Catalog.PlainsNamed(catalog.OperatorKind, in, sign) {
			fn := n.operatorFunction(o)
			switch {
			case fn == nil || len(fn.Args) != operands:
			case schema != "" || i < system && n.SearchPath != nil:
				first = append(first, fn)
			case !isBuiltIn(sign, o.Operator.Left, o.Operator.Right):
				last = append(last, fn)
			}
		}
	}
	return first, last
}

// isBuiltIn says whether PostgreSQL has an operator for operands of some types.
func isBuiltIn(sign string, left, right types.OID) bool {
	return slices.ContainsFunc(pgproc.OperatorsNamed(sign), func(o *pgproc.OperatorRow) bool {
		return o.Left == left && o.Right == right
	})
}

// operatorFunction is the function of an operator, nil where it cannot be called. One that is not made yet has none.
func (n *Names) operatorFunction(o *catalog.Plain) *expr.Function {
	via := &expr.Sign{OID: o.ID, Name: o.Name, Shell: o.Operator.Function == 0}
	if via.Shell {
		return &expr.Function{Name: o.Name, Args: o.Operator.Operands(), Via: via}
	}
	fn := n.functionOf(o.Operator.Function)
	if fn == nil {
		return nil
	}
	out := *fn
	out.Via = via
	return &out
}

// usesOperator notes an operator or a cast of the catalog that a stored query has.
func usesOperator(n *Names, via *expr.Sign) {
	if via == nil {
		return
	}
	p := n.Catalog.PlainByID(via.OID)
	notes(n, types.OIDRegoper, p.Name, p.ID)
	usesPlain(n, p)
}

// usesPlain notes an object of the catalog that a stored query has.
func usesPlain(n *Names, p *catalog.Plain) {
	if n.Uses == nil || slices.ContainsFunc(*n.Uses, func(u catalog.Use) bool { return u.ID == p.ID }) {
		return
	}
	*n.Uses = append(*n.Uses, catalog.Use{ID: p.ID, Schema: p.Schema, Name: p.Name})
}
