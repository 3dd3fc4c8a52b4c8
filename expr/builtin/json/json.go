// Package json is the functions, operators and aggregates of json and jsonb, and the evaluation of
// jsonpath. Their values, texts and the parser of paths are in types. Begin with
// jsonAccessFunctions.
package json

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(
	jsonAccessFunctions, jsonContainFunctions, jsonChangeFunctions, jsonAssignFunctions, jsonMakeFunctions,
	constructFunctions,
	jsonRowsFunctions, jsonRecordFunctions, jsonpathFunctions,
)
