// Package ranges makes the types of ranges that CREATE TYPE ... AS RANGE describes. It finds what they are over and by
// which functions and operator classes, and refuses what no range can be over. Begin with Type.
package ranges

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/opclass"
	"zproxy/expr/builtin"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// options are what CREATE TYPE ... AS RANGE may say.
var options = []string{
	"subtype", "subtype_opclass", "collation", "canonical", "subtype_diff", "multirange_type_name",
}

// Type makes the type of ranges that a statement describes, without its type of multiranges, whose name may be given.
func Type(n *bind.Names, tree *ast.CreateRange) (t *catalog.Type, multirange *ast.Name, err error) {
	given := map[string]*ast.AggregateOption{}
	for i := range tree.Options {
		o := &tree.Options[i]
		switch {
		case !slices.Contains(options, o.Name):
			return nil, nil, sqlerr.New(sqlerr.SyntaxError, "type attribute \"%s\" not recognized", o.Name)
		case given[o.Name] != nil:
			return nil, nil, sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(int(o.Pos))
		case o.Value == nil:
			return nil, nil, sqlerr.New(sqlerr.SyntaxError, "%s requires a parameter", o.Name)
		}
		given[o.Name] = o
	}
	b := builder{n, given}
	t = &catalog.Type{Name: tree.Name.Name, Range: &catalog.Range{}}
	for _, step := range []func(*catalog.Range) error{b.subtype, b.class, b.collation, b.canonical, b.diff} {
		if err := step(t.Range); err != nil {
			return nil, nil, err
		}
	}
	t.Range.Subtype.Def = nil // it is looked up anew
	if o := given["multirange_type_name"]; o != nil {
		multirange = &o.Func
	}
	return t, multirange, nil
}

type builder struct {
	*bind.Names
	given map[string]*ast.AggregateOption
}

func (b builder) subtype(of *catalog.Range) error {
	o := b.given["subtype"]
	if o == nil {
		return sqlerr.New(sqlerr.SyntaxError, "type attribute \"subtype\" is required")
	}
	name := o.Type
	if name == nil {
		name = &ast.TypeName{Name: *o.Value}
	}
	name.Pos = -1
	t, err := b.TypeNamed(*name)
	if err != nil {
		return err
	}
	of.Subtype = t.Bare()
	if types.InfoOf(t.OID).Category == types.CategoryPseudo && t.Domain == nil {
		return sqlerr.New(sqlerr.DatatypeMismatch, "range subtype cannot be %s", t.Bare())
	}
	return nil
}

// class finds the operator class by which bounds are ordered.
func (b builder) class(of *catalog.Range) (err error) {
	if o := b.given["subtype_opclass"]; o != nil {
		of.Class, err = opclass.Chosen(string(catalog.BTree), bind.Dotted(o.Func), of.Subtype)
		return err
	}
	if !analyze.Ordered(of.Subtype) {
		return sqlerr.New(sqlerr.UndefinedObject,
			"data type %s has no default operator class for access method \"btree\"", of.Subtype).
			WithHint("You must specify an operator class for the range type or define a default operator class for the subtype.")
	}
	return nil
}

// The collations that there are, by their numbers in pg_collation.
var collations = map[string]uint32{"default": 100, "C": 950, "POSIX": 951, "ucs_basic": 12351}

// hasTexts says whether values of a type have a collation: texts and arrays of them.
func hasTexts(t types.T) bool {
	if element, ok := types.ElementOf(t); ok {
		t = element
	}
	return types.InfoOf(t.OID).Category == types.CategoryString
}

func (b builder) collation(of *catalog.Range) error {
	o := b.given["collation"]
	switch takes := hasTexts(of.Subtype.Base()); {
	case !takes && o != nil:
		return sqlerr.New(sqlerr.WrongObjectType, "range collation specified but subtype does not support collation")
	case o != nil:
		of.Collation = collations[o.Func.Name]
	case of.Subtype.OID == types.OIDName:
		of.Collation = collations["C"]
	case takes:
		of.Collation = collations["default"]
	}
	return nil
}

// canonical refuses a function that makes ranges canonical: it would have to be in another language than those that
// there are, as these take no type that is not complete.
func (b builder) canonical(*catalog.Range) error {
	if b.given["canonical"] == nil {
		return nil
	}
	return sqlerr.New(sqlerr.InvalidObjectDefinition,
		"cannot specify a canonical function without a pre-created shell type").
		WithHint("Create the type as a shell type, then create its canonicalization function, then do a full CREATE TYPE.")
}

// diff finds the function of just the subtype that tells how far two bounds lie from each other.
func (b builder) diff(of *catalog.Range) error {
	o := b.given["subtype_diff"]
	if o == nil {
		return nil
	}
	found := b.procedure(o.Func, []types.OID{of.Subtype.Number(), of.Subtype.Number()})
	called := analyze.Called{Schema: o.Func.Schema, Name: o.Func.Name, Types: []types.T{of.Subtype, of.Subtype}}
	invalid := func(what string) error {
		return sqlerr.New(sqlerr.InvalidObjectDefinition, "range subtype diff function %s must %s", called, what)
	}
	switch {
	case found.number == 0:
		return sqlerr.New(sqlerr.UndefinedFunction, "function %s does not exist", called)
	case found.result != types.OIDFloat8:
		return invalid("return type double precision")
	case found.volatility != 'i':
		return invalid("be immutable")
	}
	of.Diff = found.number
	return nil
}

// procedure is what is known of a function of pg_proc.
type procedure struct {
	number     uint32
	result     types.OID
	volatility byte
}

// procedure finds a function of just some types, which has no number where there is none.
func (b builder) procedure(n ast.Name, args []types.OID) (out procedure) {
	if n.Schema == "" || n.Schema == catalog.PgCatalogName {
		for _, p := range builtin.ProcsNamed("", n.Name) {
			if slices.Equal(p.Args, args) {
				return procedure{p.OID, p.Result, p.Volatility}
			}
		}
	}
	path := b.SearchPath
	if n.Schema != "" {
		path = []string{n.Schema}
	}
	for _, schema := range path {
		if f := b.Catalog.Function(schema, n.Name, args); f != nil {
			return procedure{f.ID, f.Result.Number(), f.Volatility[0]}
		}
	}
	return procedure{}
}
