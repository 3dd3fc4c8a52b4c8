package form

import "zproxy/sqlerr"

// MaxNesting bounds how many documents, or records, are within one another: what compares, prints and stores them
// recurses, and a stack that is used up ends the process. What can be made can be read as text, too.
const MaxNesting = 6000

// CheckNesting refuses values that are nested too deep.
func CheckNesting(depth int) error {
	if depth <= MaxNesting {
		return nil
	}
	return sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
		WithHint("Values are nested more than %d deep.", MaxNesting)
}
