package types

import (
	"math"
	"slices"
	"strconv"

	"zproxy/sqlerr"
	"zproxy/types/datetime"
	"zproxy/types/float"
	"zproxy/types/integer"
)

// CastContext says where a cast may happen: everywhere, on assignment to a column, or only
// when it is written. A cast for one context serves the later ones too.
type CastContext uint8

// The contexts, as pg_cast.castcontext.
const (
	Implicit CastContext = iota
	Assignment
	Explicit
)

// Cast converts values of one type to another. It leaves the target's modifier to
// ApplyMod, and must not see NULL.
type Cast struct {
	Context CastContext
	Fn      func(v Value, to T, env *Env) (Value, error)
}

// castRow is a row of pg_cast.
type castRow struct {
	from, to OID
	Cast
}

// castTable is the casts between different types that have a function of their own.
var castTable = []castRow{
	{OIDBool, OIDInt4, Cast{Explicit, keepAsInt}},
	{OIDBool, OIDText, Cast{Assignment, boolToText}},
	{OIDBool, OIDVarchar, Cast{Assignment, boolToText}},
	{OIDInt4, OIDBool, Cast{Explicit, intToBool}},

	{OIDInt2, OIDInt4, Cast{Implicit, keep}},
	{OIDInt2, OIDInt8, Cast{Implicit, keep}},
	{OIDInt4, OIDInt8, Cast{Implicit, keep}},
	{OIDInt4, OIDInt2, Cast{Assignment, intToInt}},
	{OIDInt8, OIDInt2, Cast{Assignment, intToInt}},
	{OIDInt8, OIDInt4, Cast{Assignment, intToInt}},

	{OIDInt2, OIDFloat4, Cast{Implicit, intToFloat}},
	{OIDInt4, OIDFloat4, Cast{Implicit, intToFloat}},
	{OIDInt8, OIDFloat4, Cast{Implicit, intToFloat}},
	{OIDInt2, OIDFloat8, Cast{Implicit, intToFloat}},
	{OIDInt4, OIDFloat8, Cast{Implicit, intToFloat}},
	{OIDInt8, OIDFloat8, Cast{Implicit, intToFloat}},
	{OIDInt2, OIDNumeric, Cast{Implicit, intToNumeric}},
	{OIDInt4, OIDNumeric, Cast{Implicit, intToNumeric}},
	{OIDInt8, OIDNumeric, Cast{Implicit, intToNumeric}},

	{OIDFloat4, OIDInt2, Cast{Assignment, floatToInt}},
	{OIDFloat4, OIDInt4, Cast{Assignment, floatToInt}},
	{OIDFloat4, OIDInt8, Cast{Assignment, floatToInt}},
	{OIDFloat8, OIDInt2, Cast{Assignment, floatToInt}},
	{OIDFloat8, OIDInt4, Cast{Assignment, floatToInt}},
	{OIDFloat8, OIDInt8, Cast{Assignment, floatToInt}},
	{OIDFloat4, OIDFloat8, Cast{Implicit, keep}},
	{OIDFloat8, OIDFloat4, Cast{Assignment, float8ToFloat4}},
	{OIDFloat4, OIDNumeric, Cast{Assignment, float4ToNumeric}},
	{OIDFloat8, OIDNumeric, Cast{Assignment, float8ToNumeric}},

	{OIDNumeric, OIDInt2, Cast{Assignment, numericToInt}},
	{OIDNumeric, OIDInt4, Cast{Assignment, numericToInt}},
	{OIDNumeric, OIDInt8, Cast{Assignment, numericToInt}},
	{OIDNumeric, OIDFloat4, Cast{Implicit, numericToFloat}},
	{OIDNumeric, OIDFloat8, Cast{Implicit, numericToFloat}},

	{OIDText, OIDVarchar, Cast{Implicit, keep}},
	{OIDVarchar, OIDText, Cast{Implicit, keep}},
	{OIDText, OIDBpchar, Cast{Implicit, textToBpchar}},
	{OIDVarchar, OIDBpchar, Cast{Implicit, textToBpchar}},
	{OIDName, OIDBpchar, Cast{Assignment, textToBpchar}},
	{OIDBool, OIDBpchar, Cast{Assignment, boolToBpchar}},
	{OIDBpchar, OIDText, Cast{Implicit, bpcharToText}},
	{OIDBpchar, OIDVarchar, Cast{Implicit, bpcharToText}},
	{OIDBpchar, OIDName, Cast{Implicit, bpcharToName}},
	{OIDText, OIDName, Cast{Implicit, textToName}},
	{OIDVarchar, OIDName, Cast{Implicit, textToName}},
	{OIDName, OIDText, Cast{Implicit, keep}},
	{OIDName, OIDVarchar, Cast{Assignment, keep}},
	{OIDChar, OIDText, Cast{Implicit, charToText}},
	{OIDChar, OIDVarchar, Cast{Assignment, charToText}},
	{OIDChar, OIDBpchar, Cast{Assignment, charToBpchar}},
	{OIDChar, OIDInt4, Cast{Explicit, charToInt}},
	{OIDText, OIDChar, Cast{Assignment, textToChar}},
	{OIDVarchar, OIDChar, Cast{Assignment, textToChar}},
	{OIDBpchar, OIDChar, Cast{Assignment, textToChar}},
	{OIDInt4, OIDChar, Cast{Explicit, intToChar}},

	{OIDDate, OIDTimestamp, Cast{Implicit, dateToTimestamp}},
	{OIDDate, OIDTimestamptz, Cast{Implicit, dateToTimestamptz}},
	{OIDTimestamp, OIDDate, Cast{Assignment, timestampToDate}},
	{OIDTimestamp, OIDTimestamptz, Cast{Implicit, timestampToTimestamptz}},
	{OIDTimestamptz, OIDDate, Cast{Assignment, timestamptzToDate}},
	{OIDTimestamptz, OIDTimestamp, Cast{Assignment, timestamptzToTimestamp}},
}

var castIndex = indexCasts()

// indexCasts adds to the table what needs no row: a type to itself, and the conversions
// by text formats from and to the types of strings.
func indexCasts() map[[2]OID]Cast {
	index := make(map[[2]OID]Cast)
	for i := range infos {
		for j := range infos {
			from, to := &infos[i], &infos[j]
			if c, ok := castByText(from, to); ok {
				index[[2]OID{from.OID, to.OID}] = c
			}
		}
	}
	for _, row := range slices.Concat(castTable, clockCasts, oidCasts(), jsonCasts, networkCasts, bitCasts,
		geometricCasts, spatialCasts, systemCasts, moneyCasts, citextCasts, hstoreCasts,
		rangeCasts()) {
		index[[2]OID{row.from, row.to}] = row.Cast
	}
	for i := range infos {
		index[[2]OID{infos[i].OID, infos[i].OID}] = Cast{Implicit, keep}
	}
	return index
}

func castByText(from, to *Info) (Cast, bool) {
	switch {
	case from.Category == CategoryPseudo && from.OID != OIDRecord && from.OID != OIDVoid && from.OID != OIDAnyArray ||
		to.Category == CategoryPseudo || to.OID == OIDUnknown:
		return Cast{}, false
	case from.OID == OIDUnknown:
		return Cast{Implicit, textToAny}, true
	case from.Category == CategoryString:
		return Cast{Explicit, textToAny}, true
	case to.Category != CategoryString:
		return Cast{}, false
	}
	t := Of(from.OID)
	return Cast{Assignment, func(v Value, _ T, env *Env) (Value, error) {
		text, err := LongText(v, t, env)
		if err != nil {
			return Null, err
		}
		return to.parseText(text, env)
	}}, true
}

// FindCast finds the cast from one type to another. A type's cast to itself does nothing.
func FindCast(from, to OID) (Cast, bool) {
	if c, ok := castIndex[[2]OID{from, to}]; ok {
		return c, true
	}
	if c, ok := rowCast(from, to); ok {
		return c, true
	}
	if c, ok := objectCast(from, to); ok {
		return c, true
	}
	return castArray(InfoOf(from), InfoOf(to))
}

// castArray casts arrays element by element, in the contexts of their elements. Nothing
// but the same type becomes a vector.
func castArray(from, to *Info) (Cast, bool) {
	if from.Element == OIDInvalid || to.Element == OIDInvalid || to.parseText != nil {
		return Cast{}, false
	}
	c, ok := FindCast(from.Element, to.Element)
	fn := c.Fn
	c.Fn = func(v Value, to T, env *Env) (Value, error) {
		element, _ := ElementOf(to.Bare())
		return v.Array().Map(element.OID, env, func(item Value) (Value, error) { return fn(item, element, env) })
	}
	return c, ok
}

func keep(v Value, _ T, _ *Env) (Value, error) { return v, nil }

func textToAny(v Value, to T, env *Env) (Value, error) { return ParseText(v.Text(), Of(to.OID), env) }

func keepAsInt(v Value, _ T, _ *Env) (Value, error) { return NewInt(int64(v.a)), nil }

func intToBool(v Value, _ T, _ *Env) (Value, error) { return NewBool(v.Int() != 0), nil }

func boolToText(v Value, _ T, _ *Env) (Value, error) {
	return NewText(strconv.FormatBool(v.Bool())), nil
}

func boolToBpchar(v Value, to T, env *Env) (Value, error) { return asBpchar(boolToText(v, to, env)) }

func intToInt(v Value, to T, _ *Env) (Value, error) { return fitInt(v.Int(), to.OID) }

func intToFloat(v Value, to T, _ *Env) (Value, error) {
	if to.OID == OIDFloat4 {
		return NewFloat(float64(float32(v.Int()))), nil
	}
	return NewFloat(float64(v.Int())), nil
}

// floatToInt rounds half to even.
func floatToInt(v Value, to T, _ *Env) (Value, error) {
	f := math.RoundToEven(v.Float())
	if !(f >= math.MinInt64 && f < -math.MinInt64) {
		return Null, integer.OutOfRange(InfoOf(to.OID).SQL)
	}
	return fitInt(int64(f), to.OID)
}

func float8ToFloat4(v Value, _ T, _ *Env) (Value, error) {
	f := float.Round4(v.Float())
	return floatValue(f, float.Check(f, math.IsInf(v.Float(), 0), v.Float() == 0))
}

func dateToTimestamp(v Value, _ T, _ *Env) (Value, error) {
	return timestampValue(datetime.Midnight(v.Days()))
}

func dateToTimestamptz(v Value, _ T, env *Env) (Value, error) {
	local, err := datetime.Midnight(v.Days())
	if err != nil {
		return Null, err
	}
	micros, err := datetime.LocalToUTC(local, env.location())
	if err != nil {
		return Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range for timestamp")
	}
	return NewTimestamp(micros), nil
}

func timestampToDate(v Value, _ T, _ *Env) (Value, error) {
	return NewDate(datetime.DateOf(v.Micros())), nil
}

func timestamptzToDate(v Value, _ T, env *Env) (Value, error) {
	local, err := datetime.UTCToLocal(v.Micros(), env.location())
	return NewDate(datetime.DateOf(local)), err
}

func timestampToTimestamptz(v Value, _ T, env *Env) (Value, error) {
	micros, err := datetime.LocalToUTC(v.Micros(), env.location())
	return NewTimestamp(micros), err
}

func timestamptzToTimestamp(v Value, _ T, env *Env) (Value, error) {
	local, err := datetime.UTCToLocal(v.Micros(), env.location())
	return NewTimestamp(local), err
}
