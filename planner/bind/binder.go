// Package bind makes executable expressions from syntax trees, which package analyze analyzes: it resolves names of
// columns, infers the types of parameters, computes casts of constants, and compares values that have the same
// representation without casts. It has the scopes of queries, and finds relations and types by name. FROM, the
// clauses of a SELECT, the nodes of plans and the queries inside of expressions are the planner's. Read Scalars
// first, then Scope and Binder.
package bind

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/inline"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Binder binds the expressions of one statement. It learns the types of the statement's parameters as
// their uses tell.
type Binder struct {
	Names
	Constants
	// Params are the types of $1, $2, ...: those that the client declared, and after
	// planning all of them.
	Params []types.T
	// NoParams says that parameters get no values.
	NoParams bool
	// Variables are those of the function whose statement it is; nil: it is of none.
	Variables Variables
	// Inlining says which calls of functions are replaced with what these do; nil: none is.
	Inlining *inline.Bodies

	Nesting nesting
	slots   int              // how many slots of expr.Outer there are
	records map[int]expr.Row // the rows of no type of their own that are in slots
	Numbers int              // how many subqueries and common tables there are
}

// Reading has a text read that was stored with some literals, until the function that it gives is called. It names no
// variables of a function whose statement needs it.
func (b *Binder) Reading(l *catalog.Literals) (func(), error) {
	end, err := b.Constants.Reading(l)
	variables := b.Variables
	b.Variables = nil
	return func() {
		end()
		b.Variables = variables
	}, err
}

// RequireParamTypes wants every parameter to have found its type.
func (b *Binder) RequireParamTypes() error {
	for i, t := range b.Params {
		if t.OID == types.OIDInvalid || t.OID == types.OIDUnknown {
			return sqlerr.New(sqlerr.IndeterminateDatatype, "could not determine data type of parameter $%d", i+1)
		}
	}
	return nil
}

// param is a use of $n, which may be the first.
func (b *Binder) param(e *ast.Param) (expr.Expr, error) {
	if b.Variables != nil {
		if v := b.Variables.Numbered(e.Number); v != nil {
			return v, nil
		}
		return nil, sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", e.Number).At(int(e.Pos))
	}
	if e.Number < 1 || e.Number > 65535 || b.NoParams {
		return nil, sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", e.Number).At(int(e.Pos))
	}
	for len(b.Params) < e.Number {
		b.Params = append(b.Params, types.Unknown)
	}
	t := b.Params[e.Number-1]
	if t.OID == types.OIDInvalid {
		t = types.Unknown
	}
	if t.OID >= types.FirstObject && t.Def == nil { // as the client declared it
		t = b.Typed(t.OID)
		b.Params[e.Number-1] = t
	}
	p := expr.Param{Number: e.Number - 1, T: t}
	if t.Domain != nil {
		return b.Constrained(p, t)
	}
	return p, nil
}
