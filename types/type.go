// Package types has the types and values of SQL: how they compare and cast, and their text and binary forms. Each
// kind of value has a package of its own below this one, which reads and writes its forms: json, jsonpath,
// datetime, interval, numeric, net and others. These know no Value; this package binds them to its tables. Arrays,
// rows, texts and bytes are here. Expressions and functions over values are in package expr. Read T and Value
// first, then the table of types in table.go.
package types

// OID is PostgreSQL's number of a built-in type.
type OID uint32

// The OIDs of the types that zproxy knows, as in PostgreSQL's pg_type.
const (
	OIDInvalid      OID = 0
	OIDBool         OID = 16
	OIDBytea        OID = 17
	OIDChar         OID = 18 // "char", one byte
	OIDName         OID = 19
	OIDInt8         OID = 20
	OIDInt2         OID = 21
	OIDInt2Vector   OID = 22
	OIDInt4         OID = 23
	OIDRegproc      OID = 24
	OIDText         OID = 25
	OIDOID          OID = 26
	OIDTID          OID = 27
	OIDXID          OID = 28
	OIDOIDVector    OID = 30
	OIDJSON         OID = 114
	OIDPoint        OID = 600
	OIDLseg         OID = 601
	OIDPath         OID = 602
	OIDBox          OID = 603
	OIDPolygon      OID = 604
	OIDLine         OID = 628
	OIDCidr         OID = 650
	OIDFloat4       OID = 700
	OIDFloat8       OID = 701
	OIDUnknown      OID = 705
	OIDCircle       OID = 718
	OIDMacaddr8     OID = 774
	OIDMoney        OID = 790
	OIDMacaddr      OID = 829
	OIDInet         OID = 869
	OIDTextArray    OID = 1009
	OIDBpchar       OID = 1042 // char(n)
	OIDVarchar      OID = 1043
	OIDDate         OID = 1082
	OIDTime         OID = 1083
	OIDTimestamp    OID = 1114
	OIDTimestamptz  OID = 1184
	OIDInterval     OID = 1186
	OIDTimetz       OID = 1266
	OIDBit          OID = 1560
	OIDVarbit       OID = 1562
	OIDNumeric      OID = 1700
	OIDRegprocedure OID = 2202
	OIDRegoper      OID = 2203
	OIDRegoperator  OID = 2204
	OIDRegclass     OID = 2205
	OIDRegtype      OID = 2206
	OIDRecord       OID = 2249
	OIDVoid         OID = 2278
	OIDUUID         OID = 2950
	OIDLSN          OID = 3220
	OIDTSVector     OID = 3614
	OIDTSQuery      OID = 3615
	OIDRegconfig    OID = 3734
	OIDRegdict      OID = 3769 // regdictionary
	OIDJSONB        OID = 3802
	OIDJSONPath     OID = 4072
	OIDRegnamespace OID = 4089
	OIDRegrole      OID = 4096
	OIDXID8         OID = 5069
	OIDGeometry     OID = 8100 // extensions have no fixed numbers; PostgreSQL keeps these free
	OIDCitext       OID = 8102
	OIDHstore       OID = 8104

	// OIDXML is that of a type that only answers have: nothing is cast to it or kept.
	OIDXML OID = 142
)

// The pseudo-types that stand for others in the table of functions.
const (
	OIDAny                     OID = 2276
	OIDAnyArray                OID = 2277
	OIDAnyElement              OID = 2283
	OIDAnyNonArray             OID = 2776
	OIDAnyRange                OID = 3831
	OIDAnyMultirange           OID = 4537
	OIDAnyEnum                 OID = 3500
	OIDAnyCompatible           OID = 5077
	OIDAnyCompatibleArray      OID = 5078
	OIDAnyCompatibleNonArray   OID = 5079
	OIDAnyCompatibleRange      OID = 5080
	OIDAnyCompatibleMultirange OID = 4538
	OIDCstring                 OID = 2275
	OIDInternal                OID = 2281
)

// T is an SQL type: what it is, and its modifier (varchar's length + 4, numeric's
// ((precision << 16) | scale) + 4, a timestamp's digits), -1 for none, as in
// PostgreSQL's pg_attribute.atttypmod.
type T struct {
	_   [0]func() // compare with Same
	OID OID
	Mod int32
	// Def is what is known of a type that has no entry of its own in the table of types, such as the fields
	// of a row or the labels of an enum; of an array it is that of its elements. nil where it is not known.
	// One statement has one for each type.
	Def *Definition `json:"Row"`
	// Domain is set of a domain, or of arrays of one; all else is of the type below it.
	Domain *Domain `json:",omitempty"`
	// Collation is that of texts, or of the texts of arrays.
	Collation Collation `json:",omitzero"`
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
	UUID        = Of(OIDUUID)
	Time        = Of(OIDTime)
	Timetz      = Of(OIDTimetz)
	Interval    = Of(OIDInterval)
	Bpchar      = Of(OIDBpchar)
	Name        = Of(OIDName)
	JSON        = Of(OIDJSON)
	JSONB       = Of(OIDJSONB)
	Record      = Of(OIDRecord)
)

// Category groups types for the choice of operators and functions, with PostgreSQL's
// letters (pg_type.typcategory).
type Category byte

// The categories.
const (
	CategoryArray     Category = 'A'
	CategoryBool      Category = 'B'
	CategoryComposite Category = 'C'
	CategoryDate      Category = 'D'
	CategoryEnum      Category = 'E'
	CategoryGeometric Category = 'G'
	CategoryNumeric   Category = 'N'
	CategoryNetwork   Category = 'I'
	CategoryPseudo    Category = 'P'
	CategoryRange     Category = 'R'
	CategoryString    Category = 'S'
	CategoryTimespan  Category = 'T'
	CategoryUser      Category = 'U'
	CategoryBitString Category = 'V'
	CategoryUnknown   Category = 'X'
	CategoryInternal  Category = 'Z'
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
	Preferred bool   // preferred in its category
	Size      int16  // pg_type.typlen: bytes of the binary format, unless it is name; -1 when they vary
	Element   OID    // of an array: the type of its elements
	Array     OID    // the array of this type, 0 when there is none
	Separator byte   // between the items of an array's text, unless it is a comma
	Unordered bool   // there is no = or < of its values
	Around    string // what stands before and behind <, >= and the like in the operators of its order
	Extension string // that has the type; empty: it is always there

	forms
}

// forms is how values of a type are read and written. Of arrays and records most are nil: see composite.go.
type forms struct {
	appendText   func(dst []byte, v Value, env *Env) []byte
	parseText    func(s string, env *Env) (Value, error)
	appendBinary func(dst []byte, v Value) []byte
	parseBinary  func(p []byte) (Value, error)
	modText      func(mod int32) string // the modifier as DDL spells it: (10,2)
	applyMod     func(v Value, mod int32, explicit bool, env *Env) (Value, error)
}
