// Package text is the functions and operators of texts: parts of them, LIKE and regular expressions,
// quoting for SQL, and parsing of identifiers. Bytes and bits are in bytea. Begin with
// Functions and textFunctions.
package expr

import "slices"

// textFamily are all functions and operators of this family.
var textFamily = slices.Concat(textFunctions, concatFunctions, patternFunctions, regexpFunctions, quoteFunctions, bpcharFunctions, identFunctions)
