// Package geo is the functions and operators of points and other shapes. Begin with pointFunctions.
package expr

import "slices"

// geoFamily are all functions and operators of this family.
var geoFamily = slices.Concat(pointFunctions, shapeFunctions)
