// Package format is to_char and the functions that parse by the same patterns: to_number, to_date and to_timestamp.
// A pattern becomes a list of fields, by which numbers and times are written and read. Begin with pattern.go.
package format

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(toCharTimeFunctions, toCharNumberFunctions, readTimeFunctions)
