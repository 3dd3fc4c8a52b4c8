package ast

func (*Publication) statement() {}

// Publication is CREATE PUBLICATION, or ALTER PUBLICATION with options or with tables and schemas.
type Publication struct {
	Name      string
	Change    string // add, drop or set; empty: it makes a publication
	AllTables bool
	Tables    []PublishedTable
	Schemas   []string // an empty one is the current one
	Options   []Option
}

// PublishedTable is a table of a publication.
type PublishedTable struct {
	Table   Name
	Columns []string // nil: all

	Where     Expr // nil: it publishes all rows
	WhereText string
}
