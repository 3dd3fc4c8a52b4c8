// Package text is the functions and operators of texts and bytes: substrings, LIKE and regular expressions,
// encodings, quoting for SQL, and parsing of identifiers. Strings of bits are in bits, to_char is in format. Begin
// with textFunctions.
package text

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(
	encodingFunctions, textFunctions, concatFunctions, patternFunctions, regexpFunctions, quoteFunctions,
	byteaFunctions, bpcharFunctions, identFunctions,
)
