// Package format is to_char and what reads its patterns again: to_number, to_date and to_timestamp. A
// pattern becomes a list of fields, which numbers and times write and read. Begin with
// tochar_pattern.go.
package expr

import "slices"

// formatFamily are all functions and operators of this family.
var formatFamily = slices.Concat(toCharTimeFunctions, toCharNumberFunctions, readTimeFunctions)
