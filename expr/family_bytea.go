// Package bytea is the functions of strings of bytes and of bits, and the encodings of texts as bytes.
// Begin with Functions.
package expr

import "slices"

// byteaFamily are all functions and operators of this family.
var byteaFamily = slices.Concat(bitFunctions, encodingFunctions, byteaFunctions)
