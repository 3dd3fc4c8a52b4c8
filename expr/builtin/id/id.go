// Package id is the functions that make identifiers which spread over the keys of a table, that read such
// identifiers, and that hash values as PostgreSQL does. Random uuids are in system. Begin with idFunctions.
package id

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(idFunctions, hashFunctions)
