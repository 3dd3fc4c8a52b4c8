package ast

// Policy is CREATE POLICY and ALTER POLICY.
type Policy struct {
	Alter       bool
	Name        string
	Table       Name
	Restrictive bool
	Command     string     // all, select, insert, update, delete; empty of ALTER
	Roles       []RoleName // of ALTER nil: as they are
	Using       Expr       // nil: it is not given
	UsingText   string
	Check       Expr // nil: it is not given
	CheckText   string
}

// DropPolicy is DROP POLICY.
type DropPolicy struct {
	Name     string
	Table    Name
	IfExists bool
}

func (*Policy) statement()     {}
func (*DropPolicy) statement() {}
