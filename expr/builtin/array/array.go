// Package array is the functions and operators of arrays, and the series of numbers. What gathers arrays
// from rows is in aggregate. Begin with arrayFunctions.
package array

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(arrayFunctions, searchFunctions, splitFunctions, seriesFunctions, enums)
