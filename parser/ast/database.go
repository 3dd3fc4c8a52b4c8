package ast

// CreateDatabase is CREATE DATABASE. Its options are those of the grammar: template, owner, encoding, locale,
// connection_limit, and so on.
type CreateDatabase struct {
	Name    string
	Options []RoleOption
}

// AlterDatabase is ALTER DATABASE with options. SET and RESET are an AlterRoleSet.
type AlterDatabase struct {
	Name    string
	Options []RoleOption
}

// DropDatabase is DROP DATABASE, with the option force or none.
type DropDatabase struct {
	Name     string
	IfExists bool
	Options  []RoleOption
}

func (*CreateDatabase) statement() {}
func (*AlterDatabase) statement()  {}
func (*DropDatabase) statement()   {}
