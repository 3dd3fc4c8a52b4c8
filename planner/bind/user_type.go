package bind

import (
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// userType finds a type that a user made along the search path, nil when there is none.
func (n *Names) userType(name ast.Name) (*catalog.Type, error) {
	path, err := usablePath(n, name.Schema)
	if err != nil {
		return nil, err
	}
	if name.Schema == "" {
		path = pathOf(n, "")
	}
	for _, schema := range path {
		if t := n.Catalog.TypeNamed(schema, name.Name); t != nil {
			n.used(t)
			return t, nil
		}
	}
	return nil, nil
}

// UserType finds a type that a user made, as a statement about types names it.
func (n *Names) UserType(name ast.Name) (*catalog.Type, error) {
	t, err := n.userType(name)
	if err != nil || t != nil {
		return t, err
	}
	if name.Schema != "" && n.Catalog.Schema(name.Schema) == nil {
		return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", name.Schema)
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "type %q does not exist", Dotted(name))
}

// TypeNamed resolves the name of a type. One in a text that is stored goes on to mean the same type, whatever that is
// called later.
func (b *Binder) TypeNamed(tree ast.TypeName) (types.T, error) {
	return b.Constants.TypeNamed(&b.Names, tree)
}

// TypeNamed resolves the name of a type as the constants of a text are read.
func (c *Constants) TypeNamed(n *Names, tree ast.TypeName) (types.T, error) {
	text := Dotted(ast.Name{Schema: tree.Schema, Name: tree.Name})
	known, remembers := c.Reads().Names.(*catalog.Remembered)
	if remembers {
		for _, k := range known.Known {
			if k.Type == types.OIDRegtype && k.Text == text && n.Catalog.TypeByID(k.ID) != nil {
				return n.ofUser(n.Catalog.TypeByID(k.ID), tree)
			}
		}
	}
	t, err := n.TypeNamed(tree)
	if of, _ := n.Catalog.TypeOf(t.Number()); err == nil && of != nil && remembers && known.Note != nil {
		note(known.Note, catalog.Named{Type: types.OIDRegtype, Text: text, ID: of.ID})
	}
	return t, err
}

func note(l *catalog.Literals, named catalog.Named) {
	if !slices.Contains(l.Names, named) {
		l.Names = append(l.Names, named)
	}
}

// ofUser is a user's type as a name of it says: perhaps arrays of it.
func (n *Names) ofUser(t *catalog.Type, tree ast.TypeName) (types.T, error) {
	if t.Shell && tree.Array {
		return types.T{}, noType(tree)
	}
	if err := t.Usable(Dotted(ast.Name{Schema: tree.Schema, Name: tree.Name})); err != nil {
		return types.T{}, At(err, tree.Pos)
	}
	one, _ := t.OIDs()
	return plainType(n.Typed(one), tree)
}

// plainType is a type that has no modifiers as a name of it says: perhaps arrays of it.
func plainType(typed types.T, tree ast.TypeName) (types.T, error) {
	if len(tree.Args)+len(tree.Words) > 0 {
		return types.T{}, sqlerr.New(sqlerr.SyntaxError, "type modifier is not allowed for type %q",
			tree.Name).At(int(tree.Pos))
	}
	if !tree.Array {
		return typed, nil
	}
	array, ok := types.ArrayOf(typed)
	if !ok {
		return array, noType(tree)
	}
	return array, nil
}

// Constant reads the text of a constant. A label of an enum in a text that is stored goes on to mean the same one,
// whatever that is called later. Notices about the text get its position. That of a domain is read as what the domain
// is over, and becomes one of the domain as other values do.
func (c *Constants) Constant(n *Names, text string, to types.T, pos ast.Pos) (types.Value, error) {
	to = to.Under()
	if !to.OID.IsEnum() {
		defer c.locateNotices(pos)()
		then := c.asWritten(to)
		v, err := types.ParseText(text, then, c.Reads())
		if then.Def != to.Def && err == nil {
			v = to.Labelled(v)
		}
		return v, err
	}
	t, _ := n.Catalog.TypeOf(to.OID)
	known, remembers := c.Reads().Names.(*catalog.Remembered)
	if t == nil || !remembers {
		return types.ParseText(text, to, c.Reads())
	}
	at := t.Label(text)
	for _, k := range known.Known {
		if k.Type == to.OID && k.Text == text {
			at = slices.IndexFunc(t.Labels, func(l catalog.Label) bool { return l.ID == k.ID })
		}
	}
	if at < 0 {
		return types.ParseText(text, to, c.Reads())
	}
	if known.Note != nil {
		note(known.Note, catalog.Named{Type: to.OID, Text: text, ID: t.Labels[at].ID})
	}
	return types.NewEnum(t.Labels[at].Key, t.Labels[at].Text), nil
}

// locateNotices gives a position to the notices that come until the function is called that it returns.
func (c *Constants) locateNotices(pos ast.Pos) func() {
	if c.Env == nil || c.Env.Notices == nil {
		return func() {}
	}
	before := len(*c.Env.Notices)
	return func() {
		for i, n := range (*c.Env.Notices)[before:] {
			(*c.Env.Notices)[before+i] = n.At(int(pos))
		}
	}
}
