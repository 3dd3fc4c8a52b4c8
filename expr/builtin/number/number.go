// Package number is the arithmetic of integers, floats and numerics, as operators and functions, the trigonometric
// functions, the logarithms and random numbers. to_char is in format. Begin with the lists of functions.
package number

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(integerFunctions, floatFunctions, numericFunctions, angleFunctions, numberFunctions)
