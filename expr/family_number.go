// Package number is the arithmetic of integers, floats and numerics, as operators and functions, the
// angles, the logarithms and random numbers. What makes texts of numbers by a pattern is in
// format. Begin with the lists of functions.
package expr

import "slices"

// numberFamily are all functions and operators of this family.
var numberFamily = slices.Concat(integerFunctions, floatFunctions, numericFunctions, angleFunctions, numberFunctions)
