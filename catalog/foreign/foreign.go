// Package foreign names the options of foreign tables and of their columns. Statements give them in OPTIONS, and the
// catalog keeps them as they were given. What they mean is for package define, and for the store, which has the items.
package foreign

// The options.
const (
	TableName     = "table_name"
	Updatable     = "updatable"
	AttributeName = "attribute_name" // of a column
	AttributeType = "attribute_type" // of a column of arrays: L, SS, NS or BS
)
