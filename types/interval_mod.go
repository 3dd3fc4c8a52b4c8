package types

import (
	"fmt"
	"math/bits"
	"strings"

	"zproxy/sqlerr"
)

// intervalFields is the fields that an interval's modifier allows, with the bits of
// PostgreSQL's timestamp.h.
type intervalFields int32

const (
	fieldIntervalMonth  intervalFields = 1 << 1
	fieldIntervalYear   intervalFields = 1 << 2
	fieldIntervalDay    intervalFields = 1 << 3
	fieldIntervalHour   intervalFields = 1 << 10
	fieldIntervalMinute intervalFields = 1 << 11
	fieldIntervalSecond intervalFields = 1 << 12

	fieldMinuteToSecond = fieldIntervalMinute | fieldIntervalSecond
	fullIntervalRange   = intervalFields(0x7fff)
	fullPrecision       = 0xffff
)

// intervalFieldNames are the fields from the largest to the smallest.
var intervalFieldNames = []struct {
	field  intervalFields
	name   string
	micros int64 // of those that are part of the time
}{
	{fieldIntervalYear, "year", 0},
	{fieldIntervalMonth, "month", 0},
	{fieldIntervalDay, "day", 0},
	{fieldIntervalHour, "hour", microsPerHour},
	{fieldIntervalMinute, "minute", microsPerMinute},
	{fieldIntervalSecond, "second", 1},
}

// modFields is the fields of a modifier: all of them when it names none.
func modFields(mod int32) intervalFields {
	if mod < 0 {
		return fullIntervalRange
	}
	return intervalFields(mod>>16) & fullIntervalRange
}

// lastUnit is what a number without a unit counts.
func (f intervalFields) lastUnit() string {
	unit := "second"
	if f == fullIntervalRange {
		return unit
	}
	for _, n := range intervalFieldNames {
		if f&n.field != 0 {
			unit = n.name
		}
	}
	return unit
}

// IntervalFields are the numbers of a modifier whose fields are written as words, such as
// day to second, with the digits of the seconds, if any.
func IntervalFields(words string, digits []int) []int {
	first, last, found := strings.Cut(words, " to ")
	if !found {
		last = first
	}
	fields, in := intervalFields(0), false
	for _, n := range intervalFieldNames {
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

// intervalModifier makes a modifier of the fields, as the grammar numbers them, and the
// digits of the seconds. One number alone is the digits.
func intervalModifier(args []int) (int32, error) {
	fields, digits := fullIntervalRange, fullPrecision
	switch len(args) {
	case 1:
		digits = args[0]
	case 2:
		fields, digits = intervalFields(args[0])&fullIntervalRange, args[1]
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

func intervalModText(mod int32) string {
	var text strings.Builder
	if fields := modFields(mod); fields != fullIntervalRange {
		first := true
		for _, n := range intervalFieldNames {
			last := intervalFields(1) << (bits.Len32(uint32(fields)) - 1)
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

// limitInterval cuts the fields below the last one that a modifier names, and rounds the
// seconds.
func limitInterval(v Value, mod int32, _ bool, _ *Env) (Value, error) {
	months, days, micros := v.Interval()
	switch fields := modFields(mod); {
	case fields == fullIntervalRange:
	case fields == fieldIntervalYear:
		months, days, micros = months/monthsPerYear*monthsPerYear, 0, 0
	case fields&^(fieldIntervalYear|fieldIntervalMonth) == 0:
		days, micros = 0, 0
	case fields == fieldIntervalDay:
		micros = 0
	default:
		for _, n := range intervalFieldNames {
			if n.name == fields.lastUnit() {
				micros = micros / n.micros * n.micros
			}
		}
	}
	if digits := mod & fullPrecision; digits != fullPrecision {
		micros = roundDigits(micros, digits)
	}
	return NewInterval(months, days, micros), nil
}

// roundDigits rounds to some digits of a second, half away from zero.
func roundDigits(micros int64, digits int32) int64 {
	unit := int64(1)
	for range 6 - digits {
		unit *= 10
	}
	if micros < 0 {
		return -((-micros + unit/2) / unit * unit)
	}
	return (micros + unit/2) / unit * unit
}
