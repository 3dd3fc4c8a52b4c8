package ast

func (*Collation) statement() {}

// Collation is CREATE COLLATION, or ALTER COLLATION ... REFRESH VERSION.
type Collation struct {
	Name        Name
	IfNotExists bool
	From        *Name // whose definition it has; nil: that of Options
	Options     []Option
	Refresh     bool
}
