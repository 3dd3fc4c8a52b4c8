// Package id is the functions that make identifiers that spread over their keys, read those, and hash
// values as PostgreSQL does. Begin with idFunctions.
package expr

import "slices"

// idFamily are all functions and operators of this family.
var idFamily = slices.Concat(idFunctions, hashFunctions)
