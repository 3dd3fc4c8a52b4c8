package ast

func (*CreateEnum) statement() {}
func (*AlterEnum) statement()  {}

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
