package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// serialTypes are the types that make a sequence, too.
var serialTypes = map[string]string{
	"smallserial": "int2", "serial": "int4", "bigserial": "int8",
	"serial2": "int2", "serial4": "int4", "serial8": "int8",
}

// addSequence makes the sequence of a serial or an identity column.
func (t *NewTable) addSequence(c *catalog.Column, d ast.ColumnDef) error {
	if err := sequenceType(c.Type, "identity column type"); err != nil {
		return err
	}
	q := &catalog.Sequence{
		Schema: t.Schema, Name: freeName(t.Name, c.Name, "seq", t.taken), Type: c.Type,
		OwnerTable: t.ID, OwnerColumn: c.ID, Identity: d.Identity != "",
	}
	if err := t.by.newSequence(q, d.Sequence); err != nil {
		return err
	}
	t.Sequences = append(t.Sequences, q)
	if c.Identity = catalog.Identity(d.Identity); c.Identity != catalog.NoIdentity {
		c.Sequence = q.ID
		return nil
	}
	text := expr.QuoteIdent(q.Name)
	if same, _ := t.by.Relation(ast.Name{Name: q.Name}); same != nil || !slices.Contains(t.by.SearchPath, q.Schema) {
		text = expr.QuoteIdent(q.Schema) + "." + text
	}
	c.Default, c.DefaultUses = "nextval("+quoted(text)+"::regclass)", []catalog.Bound{{ID: q.ID, Name: text}}
	return nil
}

// AddIdentity makes a column an identity column.
func (a *Alter) AddIdentity(i int, cmd ast.AlterCommand) (*NewTable, error) {
	c := a.Table.Columns[i]
	if err := sequenceType(c.Type, "identity column type"); err != nil {
		return nil, err
	}
	switch {
	case c.Identity != catalog.NoIdentity:
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
			"column %q of relation %q is already an identity column", c.Name, a.Table.Name)
	case !c.NotNull:
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
			"column %q of relation %q must be declared NOT NULL before identity can be added", c.Name, a.Table.Name)
	case c.Default != "":
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
			"column %q of relation %q already has a default value", c.Name, a.Table.Name)
	}
	t := &NewTable{Table: a.Table, by: a.Builder}
	err := t.addSequence(&c, ast.ColumnDef{Name: c.Name, Identity: cmd.Identity, Sequence: cmd.Options})
	t.Table = a.Table.WithColumn(i, func(to *catalog.Column) { *to = c })
	return t, err
}
