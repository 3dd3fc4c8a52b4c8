// Package number is the arithmetic of integers, floats and numerics, as operators and functions, the
// angles, the logarithms and random numbers. What makes texts of numbers by a pattern is in
// format. Begin with the lists of functions.
package number

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(integerFunctions, floatFunctions, numericFunctions, angleFunctions, numberFunctions)
