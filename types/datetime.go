package types

import (
	"strconv"
	"time"

	"zproxy/types/calendar"
	"zproxy/types/datestyle"
	"zproxy/types/datetime"
	"zproxy/types/form"
)

// IsInfinite says whether a value is an infinite date or timestamp.
func IsInfinite(v Value) bool {
	return v.Kind() == KindDate && !calendar.IsFiniteDate(v.Days()) || v.Kind() == KindTimestamp &&
		!calendar.IsFinite(v.Micros())
}

// Ends are the least and the greatest finite value of a type of dates or timestamps; NULL of others.
func Ends(t T) (low, high Value) {
	switch t.Kind() {
	case KindDate:
		return NewDate(calendar.MinDays), NewDate(calendar.EndDays - 1)
	case KindTimestamp:
		return NewTimestamp(calendar.MinTimestamp), NewTimestamp(calendar.EndTimestamp - 1)
	}
	return Null, Null
}

// TimestampAt is a moment as a timestamp with time zone.
func TimestampAt(t time.Time) Value { return NewTimestamp(datetime.At(t)) }

// UTCOfTimetz is the microseconds of a timetz in UTC, by which it compares before its zone
// does.
func UTCOfTimetz(v Value) int64 { return v.Micros() + int64(v.West())*calendar.MicrosPerSecond }

func digitsModText(mod int32) string { return "(" + strconv.Itoa(int(mod)) + ")" }

func (e *Env) session() datetime.Session {
	if e == nil {
		return datetime.Session{}
	}
	return datetime.Session{Location: e.Location, Now: e.Now, Order: e.DateStyle.Order}
}

func dateValue(days int32, err error) (Value, error) {
	if err != nil {
		return Null, err
	}
	return NewDate(days), nil
}

func timestampValue(micros int64, err error) (Value, error) {
	if err != nil {
		return Null, err
	}
	return NewTimestamp(micros), nil
}

func (e *Env) dateStyle() datestyle.Style {
	if e == nil {
		return datestyle.Style{}
	}
	return e.DateStyle
}

func appendDate(dst []byte, v Value, env *Env) []byte {
	return datetime.AppendDate(dst, v.Days(), env.dateStyle())
}

func parseDate(s string, env *Env) (Value, error) {
	return dateValue(datetime.ParseDate(s, env.session()))
}

func appendTimestamp(dst []byte, v Value, env *Env) []byte {
	return datetime.AppendTimestamp(dst, v.Micros(), env.dateStyle())
}

func appendTimestamptz(dst []byte, v Value, env *Env) []byte {
	return datetime.AppendTimestamptz(dst, v.Micros(), env.location(), env.dateStyle())
}

func parseTimestamp(s string, env *Env) (Value, error) {
	return timestampValue(datetime.ParseTimestamp(s, env.session()))
}

func parseTimestamptz(s string, env *Env) (Value, error) {
	return timestampValue(datetime.ParseTimestamptz(s, env.session()))
}

func roundTimestamp(v Value, mod int32, _ bool, _ *Env) (Value, error) {
	return NewTimestamp(datetime.RoundTimestamp(v.Micros(), mod)), nil
}

func appendTime(dst []byte, v Value, _ *Env) []byte { return datetime.AppendTime(dst, v.Micros()) }

func appendTimetz(dst []byte, v Value, _ *Env) []byte {
	return datetime.AppendTimetz(dst, v.Micros(), v.West())
}

func parseTime(s string, env *Env) (Value, error) {
	micros, err := datetime.ParseTime(s, env.session())
	return NewTime(micros), err
}

func parseTimetz(s string, env *Env) (Value, error) {
	micros, west, err := datetime.ParseTimetz(s, env.session())
	return NewTimetz(micros, west), err
}

func roundTime(v Value, mod int32, _ bool, _ *Env) (Value, error) {
	return NewTime(calendar.RoundDigits(v.Micros(), min(mod, 6))), nil
}

func roundTimetz(v Value, mod int32, _ bool, _ *Env) (Value, error) {
	return NewTimetz(calendar.RoundDigits(v.Micros(), min(mod, 6)), v.West()), nil
}

func appendBinaryDate(dst []byte, v Value) []byte { return appendBinaryInt4(dst, v) }

func parseBinaryDate(p []byte) (Value, error) {
	v, err := parseBinaryInt4(p)
	if err != nil {
		return Null, err
	}
	days := int32(v.Int())
	if calendar.IsFiniteDate(days) {
		err = datetime.CheckDate(int64(days))
	}
	return dateValue(days, err)
}

func appendBinaryTimestamp(dst []byte, v Value) []byte { return appendBinaryInt8(dst, v) }

func parseBinaryTimestamp(p []byte) (Value, error) {
	v, err := parseBinaryInt8(p)
	if err != nil {
		return Null, err
	}
	if micros := v.Int(); calendar.IsFinite(micros) && !calendar.Valid(micros) {
		return Null, calendar.OutOfRange()
	}
	return NewTimestamp(v.Int()), nil
}

func parseBinaryTime(p []byte) (Value, error) {
	v, err := parseBinaryInt8(p)
	if err != nil {
		return Null, err
	}
	return NewTime(v.Int()), datetime.CheckTime(v.Int())
}

func appendBinaryTimetz(dst []byte, v Value) []byte {
	return appendBinaryInt4(appendBinaryInt8(dst, v), NewInt(int64(v.West())))
}

func parseBinaryTimetz(p []byte) (Value, error) {
	if err := form.CheckLength(p, 12); err != nil {
		return Null, err
	}
	micros, west := int64(bigEndian(p[:8])), int32(uint32(bigEndian(p[4:])))
	err := datetime.CheckTime(micros)
	if err == nil {
		err = datetime.CheckWest(west)
	}
	if err != nil {
		return Null, err
	}
	return NewTimetz(micros, west), nil
}
