// Package plain makes the objects of the catalog that have neither rows nor columns from the statements that describe
// them, such as operators. It finds the types and functions that they name, and refuses what PostgreSQL refuses.
// What the statements do to the catalog besides is in the package `ddl`. Read Operators first.
package plain

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/operator"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pgproc"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Operators makes operators.
type Operators struct{ define.Builder }

// NewOperator is an operator without a number, with what names others in its definition.
type NewOperator struct {
	*catalog.Plain
	Commutator, Negator *ast.Name // nil: none
	Unknown             []string  // the options that there are not
}

var operatorOptions = map[string]bool{
	"leftarg": true, "rightarg": true, "function": true, "procedure": true, "commutator": true, "negator": true,
	"restrict": true, "join": true, "hashes": true, "merges": true,
	// These are of the time before merges, which each of them means.
	"sort1": true, "sort2": true, "ltcmp": true, "gtcmp": true,
}

type operatorBuilder struct {
	define.Builder
	name    ast.Name
	options map[string]*ast.AggregateOption
	*operator.Definition
}

func invalid(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidFunctionDefinition, format, args...)
}

// has says whether an option stands there.
func (o operatorBuilder) has(name string) bool { return o.options[name] != nil }

// typeOf is the type that an option names.
func (o operatorBuilder) typeOf(name string) (types.T, error) {
	a := o.options[name]
	tree := a.Type
	if tree == nil {
		tree = &ast.TypeName{Name: *a.Value, Pos: -1}
	}
	return typeNamed(o.Builder, *tree)
}

// typeNamed finds a type where statements have no positions.
func typeNamed(b define.Builder, n ast.TypeName) (types.T, error) {
	t, err := b.TypeNamed(n)
	if err != nil {
		e := *sqlerr.From(err)
		e.Position = 0
		return t, &e
	}
	return t, nil
}

// Operator makes the operator that a CREATE OPERATOR describes, in a schema.
func (b Operators) Operator(tree *ast.Operators, schema string) (out NewOperator, err error) {
	o := operatorBuilder{name: tree.Name, Definition: &operator.Definition{}}
	o.Builder, o.options = b.Builder, map[string]*ast.AggregateOption{}
	out.Plain = &catalog.Plain{Version: 1, Kind: catalog.OperatorKind, Schema: schema, Name: tree.Name.Name,
		Operator: o.Definition}
	for i := range tree.Options {
		a := &tree.Options[i]
		switch {
		case !operatorOptions[a.Name]:
			out.Unknown = append(out.Unknown, a.Name)
		case a.Set && (a.Name == "leftarg" || a.Name == "rightarg"):
			return out, invalid("SETOF type not allowed for operator argument")
		case a.Name == "procedure":
			o.options["function"] = a
		default:
			o.options[a.Name] = a
		}
	}
	for _, step := range []func() error{o.operands, o.calls, o.estimators, o.traits} {
		if err := step(); err != nil {
			return out, err
		}
	}
	if c := o.options["commutator"]; c != nil {
		out.Commutator = &c.Func
	}
	if n := o.options["negator"]; n != nil {
		out.Negator = &n.Func
	}
	return out, nil
}

// operands finds the types of the operands.
func (o operatorBuilder) operands() (err error) {
	if !o.has("function") {
		return invalid("operator function must be specified")
	}
	for option, to := range map[string]*types.OID{"leftarg": &o.Left, "rightarg": &o.Right} {
		if !o.has(option) {
			continue
		}
		t, err := o.typeOf(option)
		if err != nil {
			return err
		}
		*to = t.Number()
	}
	switch {
	case o.Right == 0 && o.Left == 0:
		return invalid("operator argument types must be specified")
	case o.Right == 0:
		return invalid("operator right argument type must be specified").
			WithDetail("Postfix operators are not supported.")
	}
	for _, oid := range o.Operands() {
		if err := mayUse(o.Builder, oid); err != nil {
			return err
		}
	}
	return nil
}

// mayUse wants the role to have the right to use a type.
func mayUse(b define.Builder, oid types.OID) error {
	of, _ := b.Catalog.TypeOf(oid)
	if of == nil || b.Role == 0 {
		return nil
	}
	if have, _ := b.Catalog.Privileges(b.Role, of); have&catalog.MayUse == 0 {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for type %s", of.Name)
	}
	return nil
}

// calls finds the function that the operator calls.
func (o operatorBuilder) calls() error {
	fn, err := exactFunction(o.Builder, o.options["function"].Func, o.Operands())
	if err != nil {
		return err
	}
	o.Function, o.Result = fn.OID, fn.Result
	return mayUse(o.Builder, o.Result)
}

// exactFunction finds the function of a name that has parameters of just some types.
func exactFunction(b define.Builder, name ast.Name, args []types.OID) (*expr.Function, error) {
	for _, fn := range slices.Concat(b.Functions(name.Schema, name.Name), builtin.Listed(name.Schema, name.Name)) {
		if slices.Equal(fn.Args, args) {
			return fn, nil
		}
	}
	if name.Schema != "" && !b.HasSchema(name.Schema) {
		return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", name.Schema)
	}
	shown := make([]types.T, len(args))
	for i, oid := range args {
		shown[i] = b.Typed(oid)
	}
	return nil, sqlerr.New(sqlerr.UndefinedFunction, "function %s does not exist",
		analyze.Called{Schema: name.Schema, Name: name.Name, Types: shown})
}

// The types of the parameters of estimators.
var (
	restricts = []types.OID{types.OIDInternal, types.OIDOID, types.OIDInternal, types.OIDInt4}
	joins     = []types.OID{types.OIDInternal, types.OIDOID, types.OIDInternal, types.OIDInt2}
	joinsLong = append(slices.Clip(joins), types.OIDInternal)
)

// estimators finds the functions by which PostgreSQL's planner estimates the operator.
func (o operatorBuilder) estimators() (err error) {
	if r := o.options["restrict"]; r != nil && r.Value != nil {
		if o.Restrict, err = estimator(o.Builder, r.Func, "restriction", restricts); err != nil {
			return err
		}
	}
	if j := o.options["join"]; j != nil && j.Value != nil {
		o.Join, err = estimator(o.Builder, j.Func, "join", joinsLong, joins)
	}
	return err
}

// estimator finds one with parameters of one of several kinds.
func estimator(b define.Builder, name ast.Name, kind string, all ...[]types.OID) (uint32, error) {
	for _, args := range all {
		for _, p := range builtin.ProcsNamed(catalog.PgCatalogName, name.Name) {
			if !slices.Equal(p.Args, args) || name.Schema != "" && name.Schema != catalog.PgCatalogName {
				continue
			}
			if p.Result != types.OIDFloat8 {
				return 0, sqlerr.New(sqlerr.InvalidObjectDefinition,
					"%s estimator function %s must return type float8", kind, bind.Dotted(name))
			}
			return p.OID, nil
		}
	}
	_, err := exactFunction(b, name, all[0]) // there is none: no function of users takes what is internal
	return 0, err
}

// traits checks what the operator is besides.
func (o operatorBuilder) traits() error {
	on := func(name string) bool {
		a := o.options[name]
		return a != nil && (a.Value == nil || *a.Value == "true" || *a.Value == "on" || *a.Value == "1")
	}
	o.Hashes = on("hashes")
	for _, name := range []string{"merges", "sort1", "sort2", "ltcmp", "gtcmp"} {
		o.Merges = o.Merges || on(name) || name != "merges" && o.has(name)
	}
	if !validSign(o.name.Name) {
		return sqlerr.New(sqlerr.InvalidName, "%q is not a valid operator name", o.name.Name)
	}
	binary, boolean := o.Left != 0, o.Result == types.OIDBool
	for _, rule := range []struct {
		broken bool
		text   string
	}{
		{!binary && o.has("commutator"), "only binary operators can have commutators"},
		{!binary && o.Join != 0, "only binary operators can have join selectivity"},
		{!binary && o.Merges, "only binary operators can merge join"},
		{!binary && o.Hashes, "only binary operators can hash"},
		{!boolean && o.has("negator"), "only boolean operators can have negators"},
		{!boolean && o.Restrict != 0, "only boolean operators can have restriction selectivity"},
		{!boolean && o.Join != 0, "only boolean operators can have join selectivity"},
		{!boolean && o.Merges, "only boolean operators can merge join"},
		{!boolean && o.Hashes, "only boolean operators can hash"},
	} {
		if rule.broken {
			return invalid("%s", rule.text)
		}
	}
	return nil
}

// validSign says whether a name may be that of an operator.
func validSign(sign string) bool {
	const all, special = "+-*/<>=~!@#%^&|`?", "~!@#%^&|`?"
	switch {
	case sign == "" || len(sign) > 63 || sign == "=>" || sign == "!=":
		return false
	case strings.Trim(sign, all) != "" || strings.Contains(sign, "--") || strings.Contains(sign, "/*"):
		return false
	}
	last := sign[len(sign)-1]
	return len(sign) == 1 || last != '+' && last != '-' || strings.ContainsAny(sign, special)
}

// Altered is an operator with the estimators that an ALTER OPERATOR gives it.
func (b Operators) Altered(p *catalog.Plain, tree *ast.Operators) (*catalog.Plain, error) {
	def := *p.Operator
	for i := range tree.Options {
		a := &tree.Options[i]
		var err error
		switch {
		case (a.Name == "restrict" || a.Name == "join") && a.Type == nil && a.Value != nil:
			return nil, sqlerr.New(sqlerr.SyntaxError, "operator attribute %q cannot be changed", a.Name)
		case a.Name == "restrict":
			if def.Restrict = 0; a.Value != nil {
				def.Restrict, err = estimator(b.Builder, a.Func, "restriction", restricts)
			}
		case a.Name == "join":
			if def.Join = 0; a.Value != nil {
				def.Join, err = estimator(b.Builder, a.Func, "join", joinsLong, joins)
			}
		case operatorOptions[a.Name]:
			err = sqlerr.New(sqlerr.SyntaxError, "operator attribute %q cannot be changed", a.Name)
		default:
			err = sqlerr.New(sqlerr.SyntaxError, "operator attribute %q not recognized", a.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	boolean := def.Result == types.OIDBool
	switch {
	case def.Left == 0 && def.Join != 0:
		return nil, invalid("only binary operators can have join selectivity")
	case !boolean && def.Restrict != 0:
		return nil, invalid("only boolean operators can have restriction selectivity")
	case !boolean && def.Join != 0:
		return nil, invalid("only boolean operators can have join selectivity")
	}
	c := *p
	c.Operator, c.Version = &def, p.Version+1
	return &c, nil
}

// BuiltIn finds an operator of PostgreSQL by its sign and the types of its operands; 0: there is none.
func BuiltIn(sign string, left, right types.OID) uint32 {
	for _, o := range pgproc.OperatorsNamed(sign) {
		if o.Left == left && o.Right == right {
			return o.OID
		}
	}
	return 0
}

// Unmade is an operator that another one names before it is made.
func Unmade(schema, sign string, left, right types.OID) *catalog.Plain {
	return &catalog.Plain{Version: 1, Kind: catalog.OperatorKind, Schema: schema, Name: sign,
		Operator: &operator.Definition{Left: left, Right: right}}
}
