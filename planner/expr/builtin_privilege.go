package expr

import (
	"slices"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types"
)

// privileges is a family of functions that ask for privileges on objects of one kind. The
// user of a session may do everything with everything that there is.
type privileges struct {
	function, class string
	what            string   // they are asked on, for documentation
	all             []string // that there are
	public          []string // that everybody has, also the role public
	column          bool     // of a relation
	byNameOnly      bool     // the objects have no numbers
	kind            RelationKind
}

var privilegeFamilies = []privileges{
	{function: "has_table_privilege", class: classRelation, what: "a relation", all: []string{"SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"}},
	{function: "has_any_column_privilege", class: classRelation, what: "any column of a relation", all: []string{"SELECT", "INSERT", "UPDATE", "REFERENCES"}},
	{function: "has_column_privilege", class: classRelation, what: "a column of a relation", column: true, all: []string{"SELECT", "INSERT", "UPDATE", "REFERENCES"}},
	{function: "has_sequence_privilege", class: classRelation, what: "a sequence", kind: SequenceRelation, all: []string{"USAGE", "SELECT", "UPDATE"}},
	{function: "has_database_privilege", class: classDatabase, what: "a database", all: []string{"CREATE", "TEMPORARY", "TEMP", "CONNECT"}, public: []string{"TEMPORARY", "TEMP", "CONNECT"}},
	{function: "has_function_privilege", class: classFunction, what: "a function", all: []string{"EXECUTE"}, public: []string{"EXECUTE"}},
	{function: "has_schema_privilege", class: classSchema, what: "a schema", all: []string{"CREATE", "USAGE"}},
	{function: "has_type_privilege", class: classType, what: "a type", all: []string{"USAGE"}, public: []string{"USAGE"}},
	{function: "has_language_privilege", class: classLanguage, what: "a language", all: []string{"USAGE"}, public: []string{"USAGE"}},
	{function: "has_tablespace_privilege", class: classTablespace, what: "a tablespace", all: []string{"CREATE"}},
	{function: "has_foreign_data_wrapper_privilege", class: classWrapper, what: "a foreign-data wrapper", all: []string{"USAGE"}},
	{function: "has_server_privilege", class: classServer, what: "a foreign server", all: []string{"USAGE"}},
	{function: "has_parameter_privilege", what: "a setting", byNameOnly: true, all: []string{"SET", "ALTER SYSTEM"}},
	{function: "pg_has_role", class: classRole, what: "a role", all: []string{"MEMBER", "USAGE"}},
}

var privilegeFunctions = func() []*Function {
	var all []*Function
	for i := range privilegeFamilies {
		all = append(all, privilegeFamilies[i].functions()...)
	}
	return all
}()

// functions are the overloads: the user is the present one, or is given by name or number,
// and so are the object and the column.
func (p *privileges) functions() []*Function {
	objects := []types.OID{text, oid}
	if p.class == classRole {
		objects[0] = name
	}
	if p.byNameOnly {
		objects = objects[:1]
	}
	columns := []sig{nil}
	if p.column {
		columns = []sig{{text}, {int2}}
	}
	var all []*Function
	for _, user := range []sig{nil, {name}, {oid}} {
		for _, object := range objects {
			for _, column := range columns {
				all = append(all, p.function1(slices.Concat(user, sig{object}, column, sig{text}), len(user) == 1))
			}
		}
	}
	return all
}

func (p *privileges) function1(args sig, user bool) *Function {
	f := &Function{Name: p.function, Args: args, Result: boolean, Volatility: Stable}
	f.Doc = "Whether the user has one of some privileges on " + p.what + "."
	if user {
		f.Doc = "Whether a user has one of some privileges on " + p.what + "."
	}
	ask := func(c *Context, values []types.Value) (types.Value, error) { return p.ask(c, args, values, user) }
	if f.FnN = ask; len(args) == 2 {
		f.FnN, f.Fn2 = nil, func(c *Context, a, b types.Value) (types.Value, error) { return ask(c, []types.Value{a, b}) }
	}
	return f
}

// ask answers as PostgreSQL does for a superuser. An object that is given by its number and
// is not there makes NULL, one that is given by name is an error.
func (p *privileges) ask(c *Context, args sig, values []types.Value, user bool) (types.Value, error) {
	may, everybody := true, false
	if user {
		var err error
		if may, everybody, err = c.mayAll(args[0], values[0]); err != nil {
			return types.Null, err
		}
		args, values = args[1:], values[1:]
	}
	id, err := p.objectOf(c, args[0], values[0])
	if err != nil {
		return types.Null, err
	}
	asked, err := p.read(values[len(values)-1].Text())
	if err != nil {
		return types.Null, err
	}
	if there, err := p.check(c, id, args, values); !there || err != nil {
		return types.Null, err
	}
	if everybody || !may {
		granted := p.public
		if p.class == classSchema && (id == oidOfPublicSchema || id == oidOfCatalogSchema) {
			granted = []string{"USAGE"}
		}
		may = slices.ContainsFunc(asked, func(privilege string) bool { return slices.Contains(granted, privilege) })
	}
	return types.NewBool(may), nil
}

// The schemas that everybody may use.
const (
	oidOfPublicSchema  = 2200
	oidOfCatalogSchema = 11
)

// mayAll says whether a user is the one who may do everything, or everybody.
func (c *Context) mayAll(of types.OID, user types.Value) (may, everybody bool, err error) {
	if of == oid {
		return c.object(classRole, user.Int()) != nil, user.Int() == 0, nil
	}
	if user.Text() == "public" {
		return false, true, nil
	}
	_, err = c.find(classRole, QuoteIdent(user.Text()))
	return true, false, err
}

func (p *privileges) objectOf(c *Context, of types.OID, v types.Value) (uint32, error) {
	switch {
	case of == oid:
		return uint32(v.Int()), nil
	case p.byNameOnly:
		return 0, nil
	case p.class == classRelation || p.class == classFunction || p.class == classType:
		return c.find(p.class, v.Text())
	}
	return c.find(p.class, QuoteIdent(v.Text()))
}

// read takes a list of privileges apart.
func (p *privileges) read(list string) ([]string, error) {
	var out []string
	for word := range strings.SplitSeq(list, ",") {
		word = strings.Trim(word, identSpace)
		privilege := strings.ToUpper(word)
		for _, option := range []string{" WITH GRANT OPTION", " WITH ADMIN OPTION"} {
			if p.class == classRole || option == " WITH GRANT OPTION" {
				privilege = strings.TrimSuffix(privilege, option)
			}
		}
		if !slices.Contains(p.all, privilege) {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized privilege type: \"%s\"", word)
		}
		out = append(out, privilege)
	}
	return out, nil
}

// check says whether the object is there, and the column.
func (p *privileges) check(c *Context, id uint32, args sig, values []types.Value) (there bool, err error) {
	if p.byNameOnly {
		return true, nil
	}
	o := c.object(p.class, int64(id))
	switch {
	case o == nil:
		return false, nil
	case p.kind != 0 && o.Relation.Kind != p.kind:
		return false, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a sequence", o.Name)
	case !p.column:
		return true, nil
	case args[1] == int2:
		return o.Relation.Column(values[1].Int()) != nil, nil
	case o.Relation.ColumnNamed(values[1].Text()) == nil:
		return false, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", values[1].Text(), o.Name)
	}
	return true, nil
}
