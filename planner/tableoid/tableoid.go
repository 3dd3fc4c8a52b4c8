// Package tableoid is the system column tableoid, which tells of which table a row is. Every table has it, and no list
// of columns. Where all rows of a relation are of one table it is a constant; package bind finds it there by its name,
// and package planner adds it to the rows of partitions. The other system columns of PostgreSQL are names that no
// column may have.
package tableoid

import (
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Name is that of the column.
const Name = "tableoid"

// attribute is the number that PostgreSQL gives the column.
const attribute = -6

// IsSystem says whether PostgreSQL has a column of a name in each table.
func IsSystem(name string) bool {
	switch name {
	case "ctid", "xmin", "cmin", "xmax", "cmax", Name:
		return true
	}
	return false
}

// Of is the value of the column in the rows of a relation.
func Of(relation uint32) expr.Expr {
	return expr.Const{Value: types.NewInt(int64(relation)), T: types.Of(types.OIDOID)}
}

// Column is the column of a relation.
func Column(relation uint32) plan.Column {
	return plan.Column{Name: Name, Type: types.Of(types.OIDOID), Table: relation, Attribute: attribute}
}
