package bind

import (
	"slices"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/interval"
	"zproxy/types/spatial"
)

// typesToCome are types of PostgreSQL that zproxy does not have yet. Their absence is no
// mistake of the statement.
var typesToCome = []string{
	"xml",
}

// informationDomain is what lies below a domain of information_schema.
func informationDomain(name string) (types.T, bool) {
	switch name {
	case "information_schema.cardinal_number":
		return types.Int4, true
	case "information_schema.character_data":
		return types.Varchar, true
	case "information_schema.sql_identifier":
		return types.Name, true
	case "information_schema.time_stamp":
		return types.T{OID: types.OIDTimestamptz, Mod: 2}, true
	case "information_schema.yes_or_no":
		return types.T{OID: types.OIDVarchar, Mod: 3 + 4}, true
	}
	return types.T{}, false
}

// TypeOf resolves the name of a type and its modifier.
func TypeOf(n ast.TypeName) (types.T, error) {
	if domain, ok := informationDomain(n.Name); ok && !n.Array {
		if len(n.Args)+len(n.Words) > 0 {
			return domain, sqlerr.New(sqlerr.SyntaxError, "type modifier is not allowed for type %q",
				n.Name).At(int(n.Pos))
		}
		return domain, nil
	}
	if n.Schema != "" {
		return types.T{}, noType(n)
	}
	n, err := ofVendor(n)
	if err != nil {
		return types.T{}, err
	}
	info, ok := types.Lookup(n.Name)
	if !ok && slices.Contains(typesToCome, n.Name) {
		return types.T{}, sqlerr.Unsupported("type %s", n.Name).At(int(n.Pos))
	}
	if !ok {
		return types.T{}, noType(n)
	}
	if err := modifierWords(info, n); err != nil {
		return types.T{}, err
	}
	t := types.Of(info.OID)
	args := n.Args
	if info.OID == types.OIDInterval && len(n.Words) > 0 {
		args = interval.ModifierFields(n.Words[0], args)
	}
	switch {
	case info.OID == types.OIDGeometry && len(args)+len(n.Words) > 0:
		t.Mod, err = spatial.Modifier(n.Words, args)
	case len(args) > 0:
		t.Mod, err = types.Modifier(info.OID, args)
	}
	if err != nil {
		return types.T{}, At(err, n.Pos)
	}
	if !n.Array {
		return t, nil
	}
	array, ok := types.ArrayOf(t) // the name says only that it is one: dimensions are not counted
	if !ok {
		return t, noType(n)
	}
	return array, nil
}

// modifierWords refuses words in the parentheses of a type, but for the fields of an interval and the
// shape of a geometry.
func modifierWords(info *types.Info, n ast.TypeName) error {
	switch {
	case len(n.Words) == 0 || info.OID == types.OIDGeometry || info.OID == types.OIDInterval:
		return nil
	case types.HasModifier(info.OID) && slices.Contains(n.Words, ""):
		return sqlerr.New(sqlerr.SyntaxError, "type modifiers must be simple constants or identifiers").At(int(n.Pos))
	case types.HasModifier(info.OID):
		return sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type integer: %q",
			n.Words[0]).At(int(n.Pos))
	}
	return sqlerr.New(sqlerr.SyntaxError, "type modifier is not allowed for type %q", info.Name).At(int(n.Pos))
}

// ofVendor is the PostgreSQL type that one of Spanner's or Lindorm's means, in names that PostgreSQL has
// no type of. The length of bytes(n) is not kept, as bytea has none.
func ofVendor(n ast.TypeName) (ast.TypeName, error) {
	if (n.Name == "string" || n.Name == "bytes") && len(n.Args) == 0 && slices.Equal(n.Words, []string{"max"}) {
		n.Words = nil
	}
	switch n.Name {
	case "int64":
		n.Name = "int8"
	case "float64":
		n.Name = "float8"
	case "float32":
		n.Name = "float4"
	case "string":
		n.Name = "text"
		if len(n.Args) > 0 {
			n.Name = "varchar"
		}
	case "tinyint":
		n.Name = "int2"
	case "bytes", "varbinary":
		if len(n.Args) == 1 && n.Args[0] < 1 {
			return n, sqlerr.New(sqlerr.InvalidParameterValue,
				"length for type %s must be at least 1", n.Name).At(int(n.Pos))
		}
		n.Name = "bytea"
		if len(n.Args) == 1 {
			n.Args = nil
		}
	}
	return n, nil
}

func noType(n ast.TypeName) error {
	name := Dotted(ast.Name{Schema: n.Schema, Name: n.Name})
	if n.Array {
		name += "[]"
	}
	return sqlerr.New(sqlerr.UndefinedObject, "type %q does not exist", name).At(int(n.Pos))
}
