package ast

func (*CreateEnum) statement()      {}
func (*AlterEnum) statement()       {}
func (*CreateDomain) statement()    {}
func (*CreateComposite) statement() {}
func (*CreateRange) statement()     {}
func (*CreateBaseType) statement()  {}
func (*AlterComposite) statement()  {}
func (*AlterDomain) statement()     {}

// CreateEnum is CREATE TYPE ... AS ENUM.
type CreateEnum struct {
	Name   Name
	Labels []string
}

// AlterEnum is ALTER TYPE ... ADD VALUE, or with an Old one RENAME VALUE.
type AlterEnum struct {
	Name        Name
	Old         *string
	New         string
	IfNotExists bool
	Neighbor    *string // nil: the new label is the last one
	After       bool    // it is behind the neighbor, else before it
}

// CreateDomain is CREATE DOMAIN.
type CreateDomain struct {
	Name      Name
	Type      TypeName
	Collation Name // empty: that of the type
	NotNull   bool
	Default   *ColumnDef // nil: there is none
	Checks    []Check
}

// AlterDomain is ALTER DOMAIN with one command.
type AlterDomain struct {
	Name    Name
	Command AlterCommand
}

// CreateComposite is CREATE TYPE ... AS (...).
type CreateComposite struct {
	Name   Name
	Fields []ColumnDef
}

// AlterComposite is ALTER TYPE with commands about attributes, as those about columns of tables are.
type AlterComposite struct {
	Name     Name
	Commands []AlterCommand
}

// CreateRange is CREATE TYPE ... AS RANGE.
type CreateRange struct {
	Name    Name
	Options []AggregateOption
}

// CreateBaseType is CREATE TYPE of a type whose values functions read and write; without Options it is but a name, a
// shell.
type CreateBaseType struct {
	Name    Name
	Options []AggregateOption
}
