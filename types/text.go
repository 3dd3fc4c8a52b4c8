package types

import (
	"time"

	"zproxy/sqlerr"
	"zproxy/types/datestyle"
	"zproxy/types/form"
	"zproxy/types/interval"
)

// Env is what text formats and casts take from the session.
type Env struct {
	Location *time.Location // TimeZone; nil is UTC
	Now      time.Time      // when the transaction began, for 'now'; zero asks the clock

	IntervalStyle interval.Style
	DateStyle     datestyle.Style
	EscapeBytes   bool // bytea_output is escape
	NullIsText    bool // array_nulls is off
	// ShortFloats is by how much extra_float_digits is below 1; 0 prints floats with the fewest
	// digits that read back.
	ShortFloats int
	Names       Names     // of the catalog; nil reads no names and prints numbers
	Keys        bool      // texts are for the store: enums are read and written by the keys of their labels
	Work        form.Work // ends and bounds what takes long; nil: nothing does
	// Notices is where what a client should know of what was read is noted; nil: nowhere.
	Notices *[]*sqlerr.Error
}

// Note notes what a client should know.
func (e *Env) Note(n *sqlerr.Error) {
	if e != nil && e.Notices != nil {
		*e.Notices = append(*e.Notices, n)
	}
}

// Format is the part of an Env that decides how values look and are read, for who keeps what was
// made under one.
func (e *Env) Format() Env {
	return Env{Location: e.Location, IntervalStyle: e.IntervalStyle, DateStyle: e.DateStyle, EscapeBytes: e.EscapeBytes,
		NullIsText: e.NullIsText, ShortFloats: e.ShortFloats}
}

func (e *Env) location() *time.Location {
	if e == nil || e.Location == nil {
		return time.UTC
	}
	return e.Location
}

func (e *Env) now() time.Time {
	if e == nil || e.Now.IsZero() {
		return time.Now()
	}
	return e.Now
}

// AppendText appends the text format of a value of type t that is not NULL, as the
// type's output function in PostgreSQL prints it.
func AppendText(dst []byte, v Value, t T, env *Env) []byte {
	if v.kind == KindEnum {
		return appendEnum(dst, v, env)
	}
	return InfoOf(t.OID).text(dst, v, env)
}

// ParseText reads the text format, as the type's input function in PostgreSQL. It
// leaves the modifier of t to ApplyMod, except that an interval's fields say how it is
// read, and that of a domain, whose own it is. The value may share the memory of s.
func ParseText(s string, t T, env *Env) (Value, error) {
	v, err := parseText(s, t, env)
	return t.received(v, err, env)
}

func parseText(s string, t T, env *Env) (Value, error) {
	if t.OID == OIDInterval {
		return parseInterval(s, t.Mod, env)
	}
	switch {
	case t.IsComposite():
		return parseRow(s, t, env)
	case t.OID.IsEnum():
		return parseEnum(s, t, env)
	case t.Def != nil && t.Def.Range != nil && t.Kind() == KindRange:
		return t.Def.Range.parseText(s, t.OID, env)
	case t.Def != nil, t.Domain != nil && t.Domain.Element != nil:
		return parseArray(s, t.element(), env)
	}
	return t.collate(InfoOf(t.OID).parse(s, env))
}

// FormatText is AppendText as a string.
func FormatText(v Value, t T, env *Env) string {
	if v.kind == KindText && t.OID != OIDChar {
		return v.Text()
	}
	var buf [64]byte
	return string(AppendText(buf[:0], v, t, env))
}

// LongText is FormatText of what may be long. An error is that of a statement that is to end.
func LongText(v Value, t T, env *Env) (string, error) {
	s := FormatText(v, t, env)
	if len(s) < longText || v.kind == KindText {
		return s, nil
	}
	return s, env.Ended()
}

// longText is the length from which a text may have been cut short.
const longText = 1 << 10
