package planner

import (
	"slices"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// typesToCome are types of PostgreSQL that zproxy does not have yet. Their absence is no
// mistake of the statement.
var typesToCome = []string{
	"abstime", "money", "tsquery", "tsvector", "xml",
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
		return domain, nil
	}
	n, err := ofSpanner(n)
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
	t := types.Of(info.OID)
	args := n.Args
	if info.OID == types.OIDInterval && len(n.Words) > 0 {
		args = types.IntervalFields(n.Words[0], args)
	}
	if len(args) > 0 {
		if t.Mod, err = types.Modifier(info.OID, args); err != nil {
			return types.T{}, at(err, n.Pos)
		}
	}
	if !n.Array || info.Element != types.OIDInvalid {
		return t, nil // PostgreSQL does not count dimensions
	}
	array, ok := types.ArrayOf(t)
	if !ok {
		return t, noType(n)
	}
	return array, nil
}

// ofSpanner is the PostgreSQL type that one of Spanner's means, in names that PostgreSQL has no
// type of. The length of bytes(n) is not kept, as bytea has none; that of string(max) the parser
// has left out.
func ofSpanner(n ast.TypeName) (ast.TypeName, error) {
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
	case "bytes":
		if len(n.Args) == 1 && n.Args[0] < 1 {
			return n, sqlerr.New(sqlerr.InvalidParameterValue, "length for type bytes must be at least 1").At(int(n.Pos))
		}
		n.Name = "bytea"
		if len(n.Args) == 1 {
			n.Args = nil
		}
	}
	return n, nil
}

func noType(n ast.TypeName) error {
	name := n.Name
	if n.Array {
		name += "[]"
	}
	return sqlerr.New(sqlerr.UndefinedObject, "type %q does not exist", name).At(int(n.Pos))
}
