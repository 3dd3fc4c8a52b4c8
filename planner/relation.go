package planner

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Relation finds what a name stands for along the search path, nil when there is nothing.
// A schema that is named must be one that the role may use.
func (p *Planner) Relation(n ast.Name) (catalog.Relation, error) {
	path := p.SearchPath
	if n.Schema == ast.TemporarySchema {
		n.Schema = p.Temporary
		path = nil
	}
	if n.Schema != "" {
		if err := p.mayUse(n.Schema); err != nil {
			return nil, err
		}
		path = []string{n.Schema}
	}
	for _, schema := range path {
		if r := p.Catalog.Relation(schema, n.Name); r != nil {
			p.used(r)
			return r, nil
		}
	}
	return nil, nil
}

// used notes a relation that a stored query names.
func (p *Planner) used(r catalog.Relation) {
	if p.uses == nil {
		return
	}
	ref := r.Ref()
	same := func(u catalog.Use) bool { return u.Schema == ref.Schema && u.Name == ref.Name }
	if slices.ContainsFunc(*p.uses, same) {
		return
	}
	u := catalog.Use{ID: ref.ID, Schema: ref.Schema, Name: ref.Name}
	switch r := r.(type) {
	case *catalog.Table:
		for _, c := range r.Columns {
			if !c.Hidden {
				u.Columns = append(u.Columns, catalog.Bound{ID: c.ID, Name: c.Name})
			}
		}
	case *catalog.View:
		for i, c := range r.Columns {
			u.Columns = append(u.Columns, catalog.Bound{ID: uint32(i + 1), Name: c.Name})
		}
	}
	*p.uses = append(*p.uses, u)
}

// Table finds a table by name along the search path.
func (p *Planner) Table(n ast.Name) (*catalog.Table, error) {
	r, err := p.Relation(n)
	if err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case *catalog.Table:
		return r, nil
	case nil:
		return nil, noRelation(n)
	case *catalog.Virtual:
		return nil, SystemRelation(r)
	default:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not a table", n.Name)
	}
}

// Dotted is a name as errors show it.
func Dotted(n ast.Name) string {
	if n.Schema != "" {
		return n.Schema + "." + n.Name
	}
	return n.Name
}

func noRelation(n ast.Name) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", Dotted(n))
}

// maxName is how long the name of an object may be.
const maxName = 63

// objectName makes the name of an object from those of others: a_b_label, the longer one
// cut until it fits, as PostgreSQL's makeObjectName does.
func objectName(a, b, label string) string {
	over := len(a) + len(b) + len(label) - maxName
	for _, s := range []string{b, label} {
		if s != "" {
			over++ // its underscore
		}
	}
	for ; over > 0; over-- {
		if len(a) > len(b) {
			a = a[:len(a)-1]
		} else {
			b = b[:len(b)-1]
		}
	}
	words := []string{cutRune(a)}
	for _, s := range []string{cutRune(b), label} {
		if s != "" {
			words = append(words, s)
		}
	}
	return strings.Join(words, "_")
}

// cutRune drops what is left of a character that was cut in two.
func cutRune(s string) string {
	for s != "" {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size > 1 {
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}

// freeName is objectName with a number behind the label if the name is taken.
func freeName(a, b, label string, taken func(name string) bool) string {
	name := objectName(a, b, label)
	for i := 1; taken(name); i++ {
		name = objectName(a, b, label+strconv.Itoa(i))
	}
	return name
}

// quoted is a text as a literal.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
