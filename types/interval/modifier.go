package interval

import (
	"fmt"
	"math/bits"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types/calendar"
)

// fieldSet is the fields that an interval's modifier allows, with the bits of
// PostgreSQL's timestamp.h.
type fieldSet int32

const (
	fieldIntervalMonth  fieldSet = 1 << 1
	fieldIntervalYear   fieldSet = 1 << 2
	fieldIntervalDay    fieldSet = 1 << 3
	fieldIntervalHour   fieldSet = 1 << 10
	fieldIntervalMinute fieldSet = 1 << 11
	fieldIntervalSecond fieldSet = 1 << 12

	fieldMinuteToSecond = fieldIntervalMinute | fieldIntervalSecond
	fullIntervalRange   = fieldSet(0x7fff)
	fullPrecision       = 0xffff
)

// fieldNames are the fields from the largest to the smallest.
var fieldNames = []struct {
	field  fieldSet
	name   string
	micros int64 // of those that are part of the time
}{
	{fieldIntervalYear, "year", 0},
	{fieldIntervalMonth, "month", 0},
	{fieldIntervalDay, "day", 0},
	{fieldIntervalHour, "hour", calendar.MicrosPerHour},
	{fieldIntervalMinute, "minute", calendar.MicrosPerMinute},
	{fieldIntervalSecond, "second", 1},
}

// modFields is the fields of a modifier: all of them when it names none.
func modFields(mod int32) fieldSet {
	if mod < 0 {
		return fullIntervalRange
	}
	return fieldSet(mod>>16) & fullIntervalRange
}

// lastUnit is what a number without a unit counts.
func (f fieldSet) lastUnit() string {
	unit := "second"
	if f == fullIntervalRange {
		return unit
	}
	for _, n := range fieldNames {
		if f&n.field != 0 {
			unit = n.name
		}
	}
	return unit
}

// ModifierFields are the numbers of a modifier whose fields are written as words, such as
// day to second, with the digits of the seconds, if any.
func ModifierFields(words string, digits []int) []int {
	first, last, found := strings.Cut(words, " to ")
	if !found {
		last = first
	}
	fields, in := fieldSet(0), false
	for _, n := range fieldNames {
		in = in || n.name == first
		if in {
			fields |= n.field
		}
		in = in && n.name != last
	}
	if len(digits) == 0 {
		return []int{int(fields), fullPrecision}
	}
	return append([]int{int(fields)}, digits...)
}

// Modifier makes a modifier of the fields, as the grammar numbers them, and the
// digits of the seconds. One number alone is the digits.
func Modifier(args []int) (int32, error) {
	fields, digits := fullIntervalRange, fullPrecision
	switch len(args) {
	case 1:
		digits = args[0]
	case 2:
		fields, digits = fieldSet(args[0])&fullIntervalRange, args[1]
	default:
		return -1, sqlerr.New(sqlerr.InvalidParameterValue, "invalid INTERVAL type modifier")
	}
	switch {
	case digits < 0:
		return -1, sqlerr.New(sqlerr.InvalidParameterValue, "INTERVAL(%d) precision must not be negative", digits)
	case digits != fullPrecision:
		digits = min(digits, 6)
	case fields == fullIntervalRange:
		return -1, nil
	}
	return int32(fields)<<16 | int32(digits), nil
}

// ModifierText is a modifier as DDL writes it: day to second(3).
func ModifierText(mod int32) string {
	var text strings.Builder
	if fields := modFields(mod); fields != fullIntervalRange {
		first := true
		for _, n := range fieldNames {
			last := fieldSet(1) << (bits.Len32(uint32(fields)) - 1)
			switch {
			case fields&n.field == 0:
			case first:
				text.WriteString(" " + n.name)
				first = false
			case n.field == last || n.field == fieldIntervalMonth:
				text.WriteString(" to " + n.name)
			}
		}
	}
	if digits := mod & fullPrecision; digits != fullPrecision {
		fmt.Fprintf(&text, "(%d)", digits)
	}
	return text.String()
}

// Limit cuts the fields below the last one that a modifier names, and rounds the
// seconds.
func Limit(i Interval, mod int32) Interval {
	months, days, micros := i.Months, i.Days, i.Micros
	switch fields := modFields(mod); {
	case fields == fullIntervalRange:
	case fields == fieldIntervalYear:
		months, days, micros = months/calendar.MonthsPerYear*calendar.MonthsPerYear, 0, 0
	case fields&^(fieldIntervalYear|fieldIntervalMonth) == 0:
		days, micros = 0, 0
	case fields == fieldIntervalDay:
		micros = 0
	default:
		for _, n := range fieldNames {
			if n.name == fields.lastUnit() {
				micros = micros / n.micros * n.micros
			}
		}
	}
	if digits := mod & fullPrecision; digits != fullPrecision {
		micros = calendar.RoundDigits(micros, digits)
	}
	return Interval{months, days, micros}
}
