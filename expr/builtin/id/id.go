// Package id is the functions that make identifiers that spread over their keys, read those, and hash
// values as PostgreSQL does. Random uuids are in system. Begin with idFunctions.
package id

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(idFunctions, hashFunctions)
