package types

// JSONValue is one value of a jsonb document: numbers are exact, the keys of objects are
// unique and in jsonb's order.
type JSONValue struct{}
