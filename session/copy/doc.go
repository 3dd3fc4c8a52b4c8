// Package copy moves rows between tables and the data of COPY. An `Input` reads rows of the data of COPY FROM, and an
// `Output` makes data of rows, in the formats that `ParseOptions` knows. A `Load` writes the rows of an input in parts,
// where a transaction of the store may not be large.
//
// The session plans what is copied, checks rights, speaks with the client, and writes the rows of an input that are one
// transaction. The bytes of the formats are in copytext and copybinary.
//
// Read `Input` first, then `Load`.
package copy
