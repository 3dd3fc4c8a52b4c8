// Package geo is the functions and operators of points and other shapes. Their values and texts are
// in types. Begin with pointFunctions.
package geo

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(pointFunctions, shapeFunctions)
