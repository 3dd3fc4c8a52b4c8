// Package types holds SQL types and values: how they compare, cast, and look as text
// and in PostgreSQL's binary format.
package types

// OID is PostgreSQL's number of a built-in type.
type OID uint32

// The OIDs of the types that zproxy knows, as in PostgreSQL's pg_type.
const (
	OIDInvalid     OID = 0
	OIDBool        OID = 16
	OIDBytea       OID = 17
	OIDInt8        OID = 20
	OIDInt2        OID = 21
	OIDInt4        OID = 23
	OIDText        OID = 25
	OIDPoint       OID = 600
	OIDFloat4      OID = 700
	OIDFloat8      OID = 701
	OIDUnknown     OID = 705
	OIDVarchar     OID = 1043
	OIDDate        OID = 1082
	OIDTimestamp   OID = 1114
	OIDTimestamptz OID = 1184
	OIDNumeric     OID = 1700
	OIDVoid        OID = 2278
	OIDUUID        OID = 2950
)

// T is an SQL type: what it is, and its modifier (varchar's length + 4, numeric's
// ((precision << 16) | scale) + 4, a timestamp's digits), -1 for none, as in
// PostgreSQL's pg_attribute.atttypmod.
type T struct {
	OID OID
	Mod int32
}

// Of is the type of an OID without a modifier.
func Of(oid OID) T { return T{OID: oid, Mod: -1} }

// The types without a modifier.
var (
	Bool        = Of(OIDBool)
	Bytea       = Of(OIDBytea)
	Int8        = Of(OIDInt8)
	Int2        = Of(OIDInt2)
	Int4        = Of(OIDInt4)
	Text        = Of(OIDText)
	Point       = Of(OIDPoint)
	Float4      = Of(OIDFloat4)
	Float8      = Of(OIDFloat8)
	Unknown     = Of(OIDUnknown)
	Varchar     = Of(OIDVarchar)
	Date        = Of(OIDDate)
	Timestamp   = Of(OIDTimestamp)
	Timestamptz = Of(OIDTimestamptz)
	Numeric     = Of(OIDNumeric)
	Void        = Of(OIDVoid)
	UUID        = Of(OIDUUID)
)

// Category groups types for the choice of operators and functions, with PostgreSQL's
// letters (pg_type.typcategory).
type Category byte

// The categories.
const (
	CategoryBool      Category = 'B'
	CategoryDate      Category = 'D'
	CategoryGeometric Category = 'G'
	CategoryNumeric   Category = 'N'
	CategoryPseudo    Category = 'P'
	CategoryString    Category = 'S'
	CategoryUser      Category = 'U'
	CategoryUnknown   Category = 'X'
)

// Info is what is fixed about a type; the table of all of them is the one source for
// names, aliases and, later, pg_type.
type Info struct {
	OID       OID
	Name      string   // pg_type.typname: int4
	SQL       string   // format_type: integer
	Aliases   []string // other spellings that DDL accepts
	Kind      Kind     // how its values are held
	Category  Category
	Preferred bool  // preferred in its category
	Size      int16 // bytes of the binary format, -1 when it varies

	appendText   func(dst []byte, v Value, env *Env) []byte
	parseText    func(s string, env *Env) (Value, error)
	appendBinary func(dst []byte, v Value) []byte
	parseBinary  func(p []byte) (Value, error)
	modText      func(mod int32) string // the modifier as DDL spells it: (10,2)
	applyMod     func(v Value, mod int32, explicit bool) (Value, error)
}
