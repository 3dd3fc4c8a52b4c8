package plain

import (
	"zproxy/catalog"
	"zproxy/catalog/conversion"
	"zproxy/catalog/define"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pgproc"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Casts makes casts.
type Casts struct{ define.Builder }

// Between are the types that a cast names.
func (b Casts) Between(from, to ast.TypeName) (out [2]types.T, err error) {
	for i, n := range []ast.TypeName{from, to} {
		if out[i], err = typeNamed(b.Builder, n); err != nil {
			return out, err
		}
	}
	return out, nil
}

// Cast makes the cast that a CREATE CAST describes, without a number, and tells where it will be ignored.
func (b Casts) Cast(tree *ast.CreateCast, superuser bool, tell func(*sqlerr.Error) error) (*catalog.Plain, error) {
	of, err := b.Between(tree.From, tree.To)
	if err != nil {
		return nil, err
	}
	for i, what := range []string{"source", "target"} {
		if types.InfoOf(of[i].OID).Category == types.CategoryPseudo && of[i].Domain == nil && !of[i].OID.IsRow() {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "%s data type %s is a pseudo-type", what, of[i].Bare())
		}
	}
	if err := b.mayCast(of, superuser); err != nil {
		return nil, err
	}
	for i, what := range []string{"source", "target"} {
		if of[i].Domain == nil {
			continue
		}
		if err := tell(sqlerr.Warn(sqlerr.WrongObjectType,
			"cast will be ignored because the %s data type is a domain", what)); err != nil {
			return nil, err
		}
	}
	def := &conversion.Definition{From: of[0].Number(), To: of[1].Number(), Context: tree.Context}
	parameters := 0
	switch {
	case tree.Function != nil:
		def.Method = conversion.ByFunction
		if parameters, err = b.function(def, of, *tree.Function); err != nil {
			return nil, err
		}
	case tree.InOut:
		def.Method = conversion.ByTexts
	default:
		def.Method = conversion.AsTheyAre
		if err := asTheyAre(of, superuser); err != nil {
			return nil, err
		}
	}
	if def.From == def.To && parameters < 2 {
		return nil, invalidCast("source data type and target data type are the same")
	}
	if b.Catalog.Cast(def.From, def.To) != nil || builtInCast(def.From, def.To) {
		return nil, sqlerr.New(sqlerr.DuplicateObject, "cast from type %s to type %s already exists", of[0].Bare(),
			of[1].Bare())
	}
	return &catalog.Plain{Version: 1, Kind: catalog.CastKind, Cast: def}, nil
}

func invalidCast(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidObjectDefinition, format, args...)
}

// mayCast wants the role to own one of the types, and to have the right to use both.
func (b Casts) mayCast(of [2]types.T, superuser bool) error {
	if !superuser && !b.owns(of[0]) && !b.owns(of[1]) {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "must be owner of type %s or type %s", of[0].Bare(),
			of[1].Bare())
	}
	for _, t := range of {
		if err := mayUse(b.Builder, t.Number()); err != nil {
			return err
		}
	}
	return nil
}

func (b Casts) owns(t types.T) bool {
	of, _ := b.Catalog.TypeOf(t.Number())
	return of != nil && b.Catalog.Owns(b.Role, of)
}

// function finds the function of a cast, and says how many parameters it has.
func (b Casts) function(def *conversion.Definition, of [2]types.T, s ast.Signature) (parameters int, err error) {
	args := make([]types.OID, len(s.Args))
	for i, n := range s.Args {
		t, err := b.TypeNamed(n)
		if err != nil {
			return 0, err
		}
		args[i] = t.Number()
	}
	var fn *expr.Function
	if s.Any {
		all := append(b.Functions(s.Schema, s.Name.Name), builtin.Listed(s.Schema, s.Name.Name)...)
		switch len(all) {
		case 0:
			return 0, sqlerr.New(sqlerr.UndefinedFunction, "could not find a function named %q", bind.Dotted(s.Name))
		case 1:
			fn = all[0]
		default:
			return 0, sqlerr.New(sqlerr.AmbiguousFunction, "function name %q is not unique", bind.Dotted(s.Name)).
				WithHint("Specify the argument list to select the function unambiguously.")
		}
	} else if fn, err = exactFunction(b.Builder, s.Name, args); err != nil {
		return 0, err
	}
	def.Function = fn.OID
	switch n := len(fn.Args); {
	case n < 1 || n > 3:
		err = invalidCast("cast function must take one to three arguments")
	case !define.Coercible(of[0].OID, fn.Args[0]):
		err = invalidCast("argument of cast function must match or be binary-coercible from source data type")
	case n > 1 && fn.Args[1] != types.OIDInt4:
		err = invalidCast("second argument of cast function must be type integer")
	case n > 2 && fn.Args[2] != types.OIDBool:
		err = invalidCast("third argument of cast function must be type boolean")
	case !define.Coercible(types.Of(fn.Result).OID, of[1].OID):
		err = invalidCast("return data type of cast function must match or be binary-coercible to target data type")
	case fn.Rows != nil:
		err = invalidCast("cast function must not return a set")
	}
	return len(fn.Args), err
}

// asTheyAre wants values of two types to be held in the same way.
func asTheyAre(of [2]types.T, superuser bool) error {
	if !superuser {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "must be superuser to create a cast WITHOUT FUNCTION")
	}
	from, to := types.InfoOf(of[0].OID), types.InfoOf(of[1].OID)
	is := func(what func(types.T) bool) bool { return what(of[0]) || what(of[1]) }
	switch {
	case from.Size != to.Size:
		return invalidCast("source and target data types are not physically compatible")
	case is(types.T.IsComposite):
		return invalidCast("composite data types are not binary-compatible")
	case is(func(t types.T) bool { return t.Kind() == types.KindEnum }):
		return invalidCast("enum data types are not binary-compatible")
	case is(func(t types.T) bool { return t.Kind() == types.KindArray }):
		return invalidCast("array data types are not binary-compatible")
	case is(func(t types.T) bool { return t.Domain != nil }):
		return invalidCast("domain data types must not be marked binary-compatible")
	case of[0].Kind() != of[1].Kind():
		return sqlerr.Unsupported("a cast WITHOUT FUNCTION between types %s and %s", of[0].Bare(), of[1].Bare())
	}
	return nil
}

// builtInCast says whether PostgreSQL has a cast.
func builtInCast(from, to types.OID) bool {
	for _, c := range pgproc.CastRows() {
		if c.From == from && c.To == to {
			return true
		}
	}
	return false
}

// BuiltInCast says whether PostgreSQL has a cast between types.
func BuiltInCast(of [2]types.T) bool { return builtInCast(of[0].Number(), of[1].Number()) }
