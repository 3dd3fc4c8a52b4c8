package vector

import (
	"zproxy/types"
	"zproxy/types/calendar"
)

// dateKernels are those of dates. What is infinite is left to the function.
var dateKernels = map[signature]kernel{
	of("+", types.OIDDate, types.OIDInt4): binaryOf(func(day, n int64) (int64, bool) {
		return day + n, calendar.ValidDate(day) && calendar.ValidDate(day+n)
	}),
	of("-", types.OIDDate, types.OIDInt4): binaryOf(func(day, n int64) (int64, bool) {
		return day - n, calendar.ValidDate(day) && calendar.ValidDate(day-n)
	}),
	of("-", types.OIDDate, types.OIDDate): binaryOf(func(a, b int64) (int64, bool) {
		return a - b, calendar.ValidDate(a) && calendar.ValidDate(b)
	}),
}

// unitKernels make the kernels of functions whose first argument is a unit of time, by that; nil: it has none.
var unitKernels = map[signature]func(unit string) kernel{
	of("extract", types.OIDText, types.OIDDate):         func(u string) kernel { return ofDates(u, putInt) },
	of("extract", types.OIDText, types.OIDTimestamp):    func(u string) kernel { return ofTimestamps(u, putInt) },
	of("date_part", types.OIDText, types.OIDDate):       func(u string) kernel { return ofDates(u, putFloat) },
	of("date_part", types.OIDText, types.OIDTimestamp):  func(u string) kernel { return ofTimestamps(u, putFloat) },
	of("date_trunc", types.OIDText, types.OIDTimestamp): cutTo,
}

// ofUnit is a kernel of which the first argument is the same unit for all rows.
func ofUnit(by func(unit string) kernel) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		k := by(calendar.CanonicalUnit(string(args[0].Text(int(sel[0])))))
		return k != nil && k(args[1:], out, sel)
	}
}

// dayFields are the fields of a day.
var dayFields = map[string]func(day int64) int64{
	"day":     func(day int64) int64 { _, _, d := calendar.Civil(day); return int64(d) },
	"month":   func(day int64) int64 { _, m, _ := calendar.Civil(day); return int64(m) },
	"quarter": func(day int64) int64 { _, m, _ := calendar.Civil(day); return int64(m-1)/3 + 1 },
	"year":    yearOf,
	"dow":     func(day int64) int64 { return weekday(day+1) % 7 },
	"isodow":  func(day int64) int64 { return weekday(day) + 1 },
	"doy":     func(day int64) int64 { y, _, _ := calendar.Civil(day); return day - calendar.Days(y, 1, 1) + 1 },
}

// yearOf counts as the calendar does: 1 BC is -1 and not 0.
func yearOf(day int64) int64 {
	y, _, _ := calendar.Civil(day)
	if y <= 0 {
		y--
	}
	return int64(y)
}

// weekday is 0 on a Monday. 2000-01-01 was a Saturday.
func weekday(day int64) int64 { return day + 5 - calendar.FloorDiv(day+5, 7)*7 }

// clockFields are the fields of a time of day.
var clockFields = map[string]func(micros int64) int64{
	"minute": func(micros int64) int64 { return micros / calendar.MicrosPerMinute % 60 },
	"hour":   func(micros int64) int64 { return micros / calendar.MicrosPerHour },
}

func putInt(out *types.Vector, i int32, n int64)   { out.Ints[i] = n }
func putFloat(out *types.Vector, i int32, n int64) { out.Floats[i] = float64(n) }

// isMidnight says whether a day begins at a timestamp that is finite.
func isMidnight(day int64) bool {
	return calendar.MinDays <= day && day < calendar.EndTimestamp/calendar.MicrosPerDay
}

// ofDates is the kernel of a field of dates.
func ofDates(unit string, put func(out *types.Vector, i int32, n int64)) kernel {
	field := dayFields[unit]
	if field == nil {
		return nil
	}
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		out.Scale = 0
		for _, i := range sel {
			day := args[0].Ints[i]
			if !isMidnight(day) {
				return false
			}
			put(out, i, field(day))
		}
		return true
	}
}

// ofTimestamps is the kernel of a field of timestamps. Those that come one after the other are often of one day.
func ofTimestamps(unit string, put func(out *types.Vector, i int32, n int64)) kernel {
	ofDay, ofClock := dayFields[unit], clockFields[unit]
	if ofDay == nil && ofClock == nil {
		return nil
	}
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		out.Scale = 0
		begin, n := int64(1), int64(0) // of the day that n is of; no day begins at 1
		for _, i := range sel {
			at := args[0].Ints[i]
			switch {
			case !calendar.Valid(at):
				return false
			case ofClock != nil:
				n = ofClock(at - calendar.FloorDiv(at, calendar.MicrosPerDay)*calendar.MicrosPerDay)
			case begin == 1 || at < begin || at >= begin+calendar.MicrosPerDay:
				day := calendar.FloorDiv(at, calendar.MicrosPerDay)
				begin, n = day*calendar.MicrosPerDay, ofDay(day)
			}
			put(out, i, n)
		}
		return true
	}
}

// steps are the units of which the beginnings are as far apart as these.
var steps = map[string]int64{"microsecond": 1, "millisecond": 1000, "second": calendar.MicrosPerSecond,
	"minute": calendar.MicrosPerMinute, "hour": calendar.MicrosPerHour, "day": calendar.MicrosPerDay}

// firstDays give the first day of the unit that a day is in.
var firstDays = map[string]func(day int64) int64{
	"week":  func(day int64) int64 { return day - weekday(day) },
	"month": func(day int64) int64 { y, m, _ := calendar.Civil(day); return calendar.Days(y, m, 1) },
	"quarter": func(day int64) int64 {
		y, m, _ := calendar.Civil(day)
		return calendar.Days(y, (m-1)/3*3+1, 1)
	},
	"year": func(day int64) int64 { y, _, _ := calendar.Civil(day); return calendar.Days(y, 1, 1) },
}

// cutTo is the kernel of timestamps that are cut to a unit.
func cutTo(unit string) kernel {
	if step := steps[unit]; step > 0 {
		return unaryOf(func(at int64) (int64, bool) { return calendar.FloorDiv(at, step) * step, calendar.Valid(at) })
	}
	first := firstDays[unit]
	if first == nil {
		return nil
	}
	return unaryOf(func(at int64) (int64, bool) {
		return first(calendar.FloorDiv(at, calendar.MicrosPerDay)) * calendar.MicrosPerDay, calendar.Valid(at)
	})
}
