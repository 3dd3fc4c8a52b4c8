package define

import (
	"time"

	"zproxy/catalog"
	"zproxy/catalog/dynamic"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// TableAs is a table that is made for the rows of a query.
type TableAs struct {
	Schema, Name string
	Columns      []string // names for the first columns, instead of those of the query
	Options      []ast.Option
}

// CreateTableAs makes a table for the rows of a query.
func (b Builder) CreateTableAs(s TableAs, cols []plan.Column) (*NewTable, error) {
	t := b.newTable(s.Schema, s.Name)
	if err := t.setOptions(s.Options); err != nil {
		return nil, err
	}
	if len(s.Columns) > len(cols) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "too many column names were specified")
	}
	for i, col := range cols {
		c := catalog.Column{ID: uint32(i + 1), Name: col.Name, Type: col.Type}
		if i < len(s.Columns) {
			c.Name = s.Columns[i]
		}
		if t.Column(c.Name) >= 0 {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, "column %q specified more than once", c.Name)
		}
		if err := mayStore(b, c.Type); err != nil {
			return nil, err
		}
		if c.Type.Collation == types.Mixed {
			return nil, uncollated("no collation was derived for column \"%s\" with collatable type %s", c.Name,
				c.Type.Bare())
		}
		if types.InfoOf(c.Type.OID).Category == types.CategoryPseudo {
			return nil, sqlerr.New(sqlerr.InvalidTableDefinition, "column %q has pseudo-type %s", c.Name, c.Type)
		}
		t.Columns = append(t.Columns, c)
	}
	t.NextColumn = uint32(len(cols) + 1)
	if err := t.rowID(); err != nil {
		return nil, err
	}
	if t.Options[dynamic.Option] != "" {
		return nil, sqlerr.Unsupported("DYNAMIC_COLUMNS of CREATE TABLE AS").
			At(int(positionOf(s.Options, dynamic.Option))).WithHint("Create the table first, then INSERT ... SELECT.")
	}
	if err := timed(t, s.Options, time.Time{}); err != nil {
		return nil, err
	}
	return t, b.number(&t.ID, &t.Space, t.Schema, t.Name)
}
