// Package dynamic has the options of dynamic columns: columns that no schema names, which rows have as they were
// written. A row keeps them together, in one column of type jsonb. How statements read and write them is the planner's
// matter. Read Of first.
package dynamic

import "strings"

// Option is the name of the option of tables, and of the column that has the dynamic columns of a row.
const Option = "dynamic_columns"

// The option of indexes that hold all columns, and its values: those of the schema, or dynamic ones, too.
const (
	CoveredOption  = "index_covered_type"
	CoveredSchema  = "COVERED_ALL_COLUMNS_IN_SCHEMA"
	CoveredDynamic = "COVERED_DYNAMIC_COLUMNS"
)

// The types that dynamic columns have.
const (
	Binary = "varbinary" // bytea; the column has them in hexadecimal
	JSON   = "json"      // jsonb
)

// Type is the type of dynamic columns that a value of the option asks for; empty: there are none.
func Type(value string) (of string, ok bool) {
	switch strings.ToLower(value) {
	case "true", "on", Binary:
		return Binary, true
	case JSON:
		return JSON, true
	case "false", "off":
		return "", true
	}
	return "", false
}

// Of is the type of the dynamic columns of a table with options; empty: it has none.
func Of(options map[string]string) string {
	of, _ := Type(options[Option])
	return of
}

// Covered says whether an index with options holds dynamic columns.
func Covered(options map[string]string) bool {
	return strings.EqualFold(options[CoveredOption], CoveredDynamic)
}
