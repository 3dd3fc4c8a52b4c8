// Package format is to_char and what reads its patterns again: to_number, to_date and to_timestamp. A
// pattern becomes a list of fields, which numbers and times write and read. Begin with
// pattern.go.
package format

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(toCharTimeFunctions, toCharNumberFunctions, readTimeFunctions)
