package system

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/text"
	"zproxy/sqlerr"
	"zproxy/types"
)

// privileges is a family of functions that ask for privileges on objects of one kind.
type privileges struct {
	function, class string
	what            string   // they are asked on, for documentation
	all             []string // that there are
	column          bool     // of a relation
	anyColumn       bool     // of a relation
	byNameOnly      bool     // the objects have no numbers
	kind            RelationKind
}

var privilegeFamilies = []privileges{
	{function: "has_table_privilege", class: classRelation, what: "a relation", all: []string{"SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"}},
	{function: "has_any_column_privilege", class: classRelation, what: "any column of a relation", anyColumn: true, all: []string{"SELECT", "INSERT", "UPDATE", "REFERENCES"}},
	{function: "has_column_privilege", class: classRelation, what: "a column of a relation", column: true, all: []string{"SELECT", "INSERT", "UPDATE", "REFERENCES"}},
	{function: "has_sequence_privilege", class: classRelation, what: "a sequence", kind: SequenceRelation, all: []string{"USAGE", "SELECT", "UPDATE"}},
	{function: "has_database_privilege", class: classDatabase, what: "a database", all: []string{"CREATE", "TEMPORARY", "TEMP", "CONNECT"}},
	{function: "has_function_privilege", class: classFunction, what: "a function", all: []string{"EXECUTE"}},
	{function: "has_schema_privilege", class: classSchema, what: "a schema", all: []string{"CREATE", "USAGE"}},
	{function: "has_type_privilege", class: classType, what: "a type", all: []string{"USAGE"}},
	{function: "has_language_privilege", class: classLanguage, what: "a language", all: []string{"USAGE"}},
	{function: "has_tablespace_privilege", class: classTablespace, what: "a tablespace", all: []string{"CREATE"}},
	{function: "has_foreign_data_wrapper_privilege", class: classWrapper, what: "a foreign-data wrapper", all: []string{"USAGE"}},
	{function: "has_server_privilege", class: classServer, what: "a foreign server", all: []string{"USAGE"}},
	{function: "has_parameter_privilege", what: "a setting", byNameOnly: true, all: []string{"SET", "ALTER SYSTEM"}},
	{function: "pg_has_role", class: classRole, what: "a role", all: []string{"MEMBER", "USAGE"}},
}

var privilegeFunctions = func() []*expr.Function {
	var all []*expr.Function
	for i := range privilegeFamilies {
		all = append(all, privilegeFamilies[i].functions()...)
	}
	return all
}()

// functions are the overloads: the user is the present one, or is given by name or number,
// and so are the object and the column.
func (p *privileges) functions() []*expr.Function {
	objects := []types.OID{pg.Text, pg.OID}
	if p.class == classRole {
		objects[0] = pg.Name
	}
	if p.byNameOnly {
		objects = objects[:1]
	}
	columns := []pg.Sig{nil}
	if p.column {
		columns = []pg.Sig{{pg.Text}, {pg.Int2}}
	}
	var all []*expr.Function
	for _, user := range []pg.Sig{nil, {pg.Name}, {pg.OID}} {
		for _, object := range objects {
			for _, column := range columns {
				all = append(all, p.function1(slices.Concat(user, pg.Sig{object}, column, pg.Sig{pg.Text}),
					len(user) == 1))
			}
		}
	}
	return all
}

func (p *privileges) function1(args pg.Sig, user bool) *expr.Function {
	f := &expr.Function{Name: p.function, Args: args, Result: pg.Boolean, Volatility: expr.Stable}
	f.Doc = "Whether the user has one of some privileges on " + p.what + "."
	if user {
		f.Doc = "Whether a user has one of some privileges on " + p.what + "."
	}
	ask := func(c *expr.Context, values []types.Value) (types.Value, error) { return p.ask(c, args, values, user) }
	if f.FnN = ask; len(args) == 2 {
		f.FnN, f.Fn2 = nil, func(c *expr.Context, a, b types.Value) (types.Value, error) {
			return ask(c, []types.Value{a, b})
		}
	}
	return f
}

// ask answers for the present role or another one. An object that is given by its number
// and is not there makes NULL, one that is given by name is an error.
func (p *privileges) ask(c *expr.Context, args pg.Sig, values []types.Value, user bool) (types.Value, error) {
	role := uint32(0)
	if user {
		var err error
		if role, err = p.roleOf(c, args[0], values[0]); err != nil {
			return types.Null, err
		}
		args, values = args[1:], values[1:]
	} else if hostOf(c).Objects != nil {
		role = hostOf(c).Objects.Role()
	}
	id, err := p.objectOf(c, args[0], values[0])
	if err != nil {
		return types.Null, err
	}
	asked, err := p.read(values[len(values)-1].Text())
	if err != nil {
		return types.Null, err
	}
	there, column, err := p.check(c, id, args, values)
	if !there || err != nil {
		return types.Null, err
	}
	if hostOf(c).Objects == nil {
		return types.NewBool(true), nil
	}
	if p.class == classRole {
		return types.NewBool(belongs(hostOf(c).Objects.Belongs(role, id), asked)), nil
	}
	have, options := hostOf(c).Objects.Privileges(role, p.class, id, column)
	may := slices.ContainsFunc(asked, func(a privilege) bool {
		if a.option {
			return options&a.bit != 0
		}
		return have&a.bit != 0
	})
	return types.NewBool(may), nil
}

// privilege is one that is asked for, or the option to grant it.
type privilege struct {
	name   string
	bit    Privileges
	option bool
}

// belongs says whether a membership is of one of the kinds that are asked for.
func belongs(m Membership, asked []privilege) bool {
	return slices.ContainsFunc(asked, func(a privilege) bool {
		switch {
		case a.option:
			return m.Admin
		case a.name == "USAGE":
			return m.Usage
		}
		return m.Member
	})
}

// roleOf is the role that is asked about, 0 for everybody.
func (p *privileges) roleOf(c *expr.Context, of types.OID, user types.Value) (uint32, error) {
	switch {
	case of == pg.OID:
		return uint32(user.Int()), nil
	case user.Text() == "public" && p.class != classRole:
		return 0, nil
	}
	return find(c, classRole, expr.QuoteIdent(user.Text()))
}

func (p *privileges) objectOf(c *expr.Context, of types.OID, v types.Value) (uint32, error) {
	switch {
	case of == pg.OID:
		return uint32(v.Int()), nil
	case p.byNameOnly:
		return 0, nil
	case p.class == classRelation || p.class == classFunction || p.class == classType:
		return find(c, p.class, v.Text())
	}
	return find(c, p.class, expr.QuoteIdent(v.Text()))
}

// read takes a list of privileges apart.
func (p *privileges) read(list string) ([]privilege, error) {
	var out []privilege
	for word := range strings.SplitSeq(list, ",") {
		word = strings.Trim(word, text.IdentSpace)
		name, option := strings.CutSuffix(strings.ToUpper(word), " WITH GRANT OPTION")
		if p.class == classRole && !option {
			name, option = strings.CutSuffix(name, " WITH ADMIN OPTION")
		}
		if !slices.Contains(p.all, name) {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized privilege type: \"%s\"", word)
		}
		bit := slices.Index(privilegeNames, name)
		if name == "TEMP" {
			bit = slices.Index(privilegeNames, "TEMPORARY")
		}
		one := privilege{name: name, option: option}
		if bit >= 0 {
			one.bit = 1 << bit
		}
		out = append(out, one)
	}
	return out, nil
}

// check says whether the object is there, and which column is meant.
func (p *privileges) check(c *expr.Context, id uint32, args pg.Sig, values []types.Value) (there bool, column int16,
	err error) {
	if p.byNameOnly {
		return true, 0, nil
	}
	o := objectOf(c, p.class, int64(id))
	switch {
	case o == nil:
		return false, 0, nil
	case p.kind != 0 && o.Relation.Kind != p.kind:
		name := o.Name
		if args[0] == pg.Text {
			name = values[0].Text() // as it was given
		}
		return false, 0, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a sequence", name)
	case p.anyColumn:
		return true, AnyColumn, nil
	case !p.column:
		return true, 0, nil
	case args[1] == pg.Int2:
		return o.Relation.Column(values[1].Int()) != nil, int16(values[1].Int()), nil
	}
	found := o.Relation.ColumnNamed(values[1].Text())
	if found == nil {
		return false, 0, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist",
			values[1].Text(), o.Name)
	}
	return true, int16(found.Number), nil
}
