package types

import (
	"encoding/binary"
	"errors"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// The types of the rows of relations, and of arrays of them, have numbers made of those of the
// relations, which are below.
const (
	rowTypes      = 1 << 30
	rowArrays     = rowTypes | 1<<29
	relationsMask = 1<<29 - 1
)

// Definition is what is known of a type besides its number: its name where it has one, and the fields of a row, the
// labels of an enum or what ranges are over.
type Definition struct {
	Name  string
	Names []string
	Types []T
	// Numbers are those of the attributes of the fields, ascending from 1; nil: none is left out.
	Numbers []uint32 `json:",omitempty"`
	// Labels are those of an enum, in their order.
	Labels *labels `json:"-"`
	// Range is a type of ranges, also where the type is that of their multiranges.
	Range *RangeType `json:"-"`
}

// RowOID is the OID of the type of a relation's rows, and that of arrays of them.
func RowOID(relation uint32) (row, array OID) {
	return rowTypes | OID(relation), rowArrays | OID(relation)
}

// Relation is the relation whose rows, or arrays of rows, a type is of; 0 when it is another type.
func (oid OID) Relation() (relation uint32, array bool) {
	if oid&rowTypes == 0 || oid >= 1<<31 {
		return 0, false
	}
	return uint32(oid & relationsMask), oid&rowArrays == rowArrays
}

// IsRow says whether a type is that of the rows of a relation.
func (oid OID) IsRow() bool {
	relation, array := oid.Relation()
	return relation != 0 && !array
}

// IsComposite says whether values of the type are rows: of a relation, or any.
func (t T) IsComposite() bool { return t.OID == OIDRecord || t.OID.IsRow() }

// Same says whether two types are the same, perhaps as two statements see it.
func (t T) Same(o T) bool {
	return t.OID == o.OID && t.Mod == o.Mod && t.Number() == o.Number() && t.Collation.Order == o.Collation.Order
}

// Bare is the type without its modifier.
func (t T) Bare() T {
	t.Mod = -1
	return t
}

// rowInfo is the entry of a type that a relation makes. It has no OID, as the catalog knows its name.
func rowInfo(oid OID) *Info {
	relation, array := oid.Relation()
	if relation == 0 {
		return &otherInfo
	}
	row, rows := RowOID(relation)
	if array {
		return &Info{Name: "_record", SQL: "record[]", Kind: KindArray, Category: CategoryArray, Size: -1, Element: row}
	}
	return &Info{Name: "record", SQL: "record", Kind: KindRecord, Category: CategoryComposite, Size: -1, Array: rows}
}

// element is the entry of the elements of an array whose definition is known, which reads them by that.
func (t T) element() *Info {
	element, _ := ElementOf(t)
	info := *InfoOf(element.OID)
	info.OID = element.Number()
	info.parseText = func(s string, env *Env) (Value, error) { return ParseText(s, element, env) }
	info.parseBinary = func(p []byte) (Value, error) { return ParseBinary(p, element) }
	return &info
}

// rowCast finds casts from and to the types of rows: they are records, and have the text format of
// those.
func rowCast(from, to OID) (Cast, bool) {
	relation, _ := from.Relation()
	switch text := InfoOf(to).Category == CategoryString; {
	case from.IsRow() && (to == from || to == OIDRecord):
		return Cast{Implicit, keep}, true
	case to.IsRow() && from == OIDUnknown:
		return Cast{Implicit, textToRow}, true
	case to.IsRow() && InfoOf(from).Category == CategoryString:
		return Cast{Explicit, textToRow}, true
	case arrayOfRows(to) && from == OIDUnknown:
		return Cast{Implicit, textToRow}, true
	case arrayOfRows(to) && InfoOf(from).Category == CategoryString:
		return Cast{Explicit, textToRow}, true
	case relation != 0 && text:
		return Cast{Assignment, rowToText}, true
	}
	return Cast{}, false
}

func arrayOfRows(oid OID) bool {
	relation, array := oid.Relation()
	return relation != 0 && array
}

func rowToText(v Value, to T, env *Env) (Value, error) {
	text, err := LongText(v, Record, env)
	if err != nil {
		return Null, err
	}
	return ParseText(text, to.Bare(), env)
}

func textToRow(v Value, to T, env *Env) (Value, error) { return ParseText(v.Text(), to, env) }

// parseRow reads the text of a row, (1,"a b",), in which nothing is a NULL.
func parseRow(s string, t T, env *Env) (Value, error) {
	if t.Def == nil {
		return Null, noInput(InfoOf(OIDRecord))
	}
	p := rowReader{whole: s, rest: form.TrimSpace(s)}
	if !p.skip('(') {
		return Null, p.malformed("Missing left parenthesis.")
	}
	r, err := t.Def.record(), error(nil)
	if env != nil && env.Keys {
		err = p.attributes(r, t.Def, env)
	} else {
		err = p.fields(r, env)
	}
	if err != nil {
		return Null, err
	}
	if !p.skip(')') {
		return Null, p.malformed("Too many columns.")
	}
	if p.rest != "" {
		return Null, p.malformed("Junk after right parenthesis.")
	}
	return NewRecord(r), nil
}

// fields reads the fields of a row.
func (p *rowReader) fields(r *RecordValue, env *Env) error {
	for i := range r.Values {
		if i > 0 && !p.skip(',') {
			return p.malformed("Too few columns.")
		}
		text, null, err := p.field()
		if err == nil && !null {
			r.Values[i], err = parseField(text, r.Types[i], env)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// attributes reads a row of a store, which has a field for each attribute that its type had when it was written.
func (p *rowReader) attributes(r *RecordValue, of *Definition, env *Env) error {
	for i, number := 0, uint32(1); !strings.HasPrefix(p.rest, ")"); number++ {
		if number > 1 && !p.skip(',') {
			return p.malformed("Unexpected end of input.")
		}
		text, null, err := p.field()
		if err != nil {
			return err
		}
		if i == len(r.Values) || of.Number(i) != number {
			continue // the attribute is gone
		}
		if !null {
			r.Values[i], err = parseField(text, r.Types[i], env)
		}
		if i++; err != nil {
			return err
		}
	}
	return nil
}

func parseField(text string, t T, env *Env) (Value, error) {
	v, err := ParseText(text, t, env)
	if err != nil {
		return Null, err
	}
	return ApplyMod(v, t, false, env)
}

// rowReader reads the text of a row from left to right.
type rowReader struct{ whole, rest string }

func (p *rowReader) skip(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *rowReader) malformed(detail string) error {
	return sqlerr.New(sqlerr.InvalidTextRepresentation, "malformed record literal: \"%s\"", p.whole).WithDetail("%s",
		detail)
}

// field reads one field, up to what follows it.
func (p *rowReader) field() (text string, null bool, err error) {
	if p.rest != "" && (p.rest[0] == ',' || p.rest[0] == ')') {
		return "", true, nil
	}
	var out []byte
	for quoted := false; ; {
		if p.rest == "" {
			return "", false, p.malformed("Unexpected end of input.")
		}
		c := p.rest[0]
		switch {
		case c == '\\' && len(p.rest) == 1:
			return "", false, p.malformed("Unexpected end of input.")
		case c == '\\', quoted && c == '"' && len(p.rest) > 1 && p.rest[1] == '"':
			out = append(out, p.rest[1])
			p.rest = p.rest[2:]
			continue
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == ')'):
			return string(out), false, nil
		default:
			out = append(out, c)
		}
		p.rest = p.rest[1:]
	}
}

// parseBinaryRow reads the number of fields, and of each its type and its value behind its length.
func parseBinaryRow(p []byte, row *Definition) (Value, error) {
	r := row.record()
	count, p, err := binaryWord(p)
	if err == nil && int(count) != len(row.Types) {
		err = sqlerr.New(sqlerr.DatatypeMismatch, "wrong number of columns: %d, expected %d", int32(count),
			len(row.Types))
	}
	for i := 0; err == nil && i < len(row.Types); i++ {
		r.Values[i], p, err = binaryField(p, row.Types[i], i)
	}
	if err == nil {
		err = form.CheckLength(p, 0)
	}
	return NewRecord(r), err
}

// binaryField reads one field, and gives what is behind it.
func binaryField(p []byte, t T, i int) (Value, []byte, error) {
	oid, p, err := binaryWord(p)
	if err != nil {
		return Null, nil, err
	}
	if otherBuiltin(OID(oid), t.Number()) {
		return Null, nil, sqlerr.New(sqlerr.DatatypeMismatch,
			"binary data has type %d (%s) instead of expected %d (%s) in record column %d",
			oid, claimed(OID(oid)), t.Number(), t.Bare(), i+1)
	}
	length, p, err := binaryWord(p)
	switch {
	case err != nil || length == 1<<32-1:
		return Null, p, err
	case length > uint32(len(p)):
		return Null, nil, form.ItemTooShort()
	}
	v, err := ParseBinary(p[:length], t)
	if errors.Is(err, form.ErrTrailing) {
		err = sqlerr.New(sqlerr.InvalidBinaryRepresentation, "improper binary format in record column %d", i+1)
	}
	if err == nil && t.Mod >= 0 {
		v, err = ApplyMod(v, t, false, nil)
	}
	return v, p[length:], err
}

func binaryWord(p []byte) (uint32, []byte, error) {
	if len(p) < 4 {
		return 0, nil, form.TooShort()
	}
	return binary.BigEndian.Uint32(p), p[4:], nil
}
