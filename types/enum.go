package types

import (
	"strings"
	"unsafe"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// The types of enums, and of arrays of them, have numbers made of those of their objects in the catalog. They lie
// below those of the types of rows.
const (
	enumTypes  = 1 << 29
	enumArrays = enumTypes | 1<<28
	enumsMask  = 1<<28 - 1
)

// FirstObject is the first OID of the types that are made of objects of the catalog.
const FirstObject OID = rangeObjects

// MaxNumber is above the numbers of objects of the catalog of which types can be made.
const MaxNumber = rangesMask + 1

// EnumOID is the OID of the enum of an object of the catalog, and that of arrays of it.
func EnumOID(number uint32) (enum, array OID) {
	return enumTypes | OID(number), enumArrays | OID(number)
}

// Enum is the number of the object whose enum, or arrays of it, a type is; 0 when it is another type.
func (oid OID) Enum() (number uint32, array bool) {
	if oid < enumTypes || oid >= rowTypes {
		return 0, false
	}
	return uint32(oid & enumsMask), oid&enumArrays == enumArrays
}

// IsEnum says whether values of a type are labels of an enum.
func (oid OID) IsEnum() bool { return oid >= enumTypes && oid < enumArrays }

// enumInfo is the entry of an enum, or of arrays of it. It has no OID, as the catalog knows its name.
func enumInfo(oid OID) *Info {
	number, array := oid.Enum()
	if number == 0 {
		return &otherInfo
	}
	enum, arrays := EnumOID(number)
	if array {
		return &Info{
			Name: "_anyenum", SQL: "anyenum[]", Kind: KindArray, Category: CategoryArray, Size: -1, Element: enum,
		}
	}
	return &Info{
		Name: "anyenum", SQL: "anyenum", Kind: KindEnum, Category: CategoryEnum, Size: 4, Array: arrays,
		forms: forms{
			appendText:   appendEnum,
			parseText:    func(s string, _ *Env) (Value, error) { return Null, unknownEnum() },
			appendBinary: func(dst []byte, v Value) []byte { return append(dst, v.Label()...) },
			parseBinary:  func([]byte) (Value, error) { return Null, unknownEnum() },
		},
	}
}

func unknownEnum() error {
	return sqlerr.New(sqlerr.UndefinedObject, "the labels of an enum are not known")
}

// labels are the labels of an enum.
type labels struct {
	InOrder []Value // of the kind KindEnum, in the order of their keys
	byText  map[string]Value
	byKey   map[string]Value
}

// NewLabels makes the labels of an enum of its values.
func NewLabels(inOrder []Value) *labels {
	l := &labels{InOrder: inOrder, byText: map[string]Value{}, byKey: map[string]Value{}}
	for _, v := range inOrder {
		l.byText[v.Label()], l.byKey[v.Text()] = v, v
	}
	return l
}

// NewEnum makes a value of an enum: a label with its key.
func NewEnum(key, label string) Value {
	both := key + label
	v := NewText(both)
	v.kind, v.a, v.b = KindEnum, uint64(len(key)), uint64(len(label))
	return v
}

// Label is the text of a value of an enum, whose Text is its key.
func (v Value) Label() string {
	return unsafe.String((*byte)(v.ref), int(v.a+v.b))[v.a:]
}

func appendEnum(dst []byte, v Value, env *Env) []byte {
	if env != nil && env.Keys {
		return append(dst, v.Text()...)
	}
	return append(dst, v.Label()...)
}

// parseEnum reads a label, or for the store the key of one.
func parseEnum(s string, t T, env *Env) (Value, error) {
	switch {
	case env != nil && env.Keys:
		return t.Labelled(NewEnum(strings.Clone(s), "")), nil
	case t.Def == nil || t.Def.Labels == nil:
		return Null, unknownEnum()
	}
	if v, ok := t.Def.Labels.byText[s]; ok {
		return v, nil
	}
	return Null, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input value for enum %s: \"%s\"", t.Def.Name, s)
}

func parseBinaryEnum(p []byte, t T) (Value, error) {
	if err := form.CheckUTF8(string(p)); err != nil {
		return Null, err
	}
	return parseEnum(string(p), t, nil)
}

// ofObject says whether a type is an enum or ranges of users, or arrays of these.
func (oid OID) ofObject() bool {
	enum, _ := oid.Enum()
	ranges, _, _ := oid.UserRange()
	return enum != 0 || ranges != 0
}

// objectCast finds casts from and to enums, ranges of users and arrays of them: they have the text formats of their
// values. A range becomes a multirange.
func objectCast(from, to OID) (Cast, bool) {
	switch source, target := from.ofObject(), to.ofObject(); {
	case from == to && target:
		return Cast{Implicit, keep}, true
	case target && from == OIDUnknown:
		return Cast{Implicit, textToRow}, true
	case target && InfoOf(from).Category == CategoryString:
		return Cast{Explicit, textToRow}, true
	case source && InfoOf(to).Category == CategoryString:
		return Cast{Assignment, objectToText}, true
	}
	if number, multi, array := from.UserRange(); number != 0 && !multi && !array {
		if multirange, _ := MultirangeOID(number); multirange == to {
			return Cast{Explicit, toMultirange}, true
		}
	}
	return Cast{}, false
}

func objectToText(v Value, to T, env *Env) (Value, error) {
	text, err := LongText(v, Of(OIDAnyEnum), env)
	if err != nil {
		return Null, err
	}
	return ParseText(text, to.Bare(), env)
}
