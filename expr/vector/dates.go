package vector

import (
	"time"

	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/calendar"
	"zproxy/types/datetime"
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

// byUnit makes the kernel of a unit and a time zone; nil: it has none.
type byUnit func(unit string, zone *time.Location) kernel

// unitKernels are of functions whose first argument is a unit of time.
var unitKernels = map[signature]byUnit{
	of("extract", types.OIDText, types.OIDDate):           ofDates(putInt),
	of("extract", types.OIDText, types.OIDTimestamp):      ofTimestamps(putInt),
	of("extract", types.OIDText, types.OIDTimestamptz):    ofMoments(putInt),
	of("date_part", types.OIDText, types.OIDDate):         ofDates(putFloat),
	of("date_part", types.OIDText, types.OIDTimestamp):    ofTimestamps(putFloat),
	of("date_part", types.OIDText, types.OIDTimestamptz):  ofMoments(putFloat),
	of("date_trunc", types.OIDText, types.OIDTimestamp):   cutTimestamps,
	of("date_trunc", types.OIDText, types.OIDTimestamptz): cutMoments,
}

// ofUnit is a kernel of which the first argument is the same unit for all rows.
func ofUnit(by byUnit, c *expr.Context) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		k := by(calendar.CanonicalUnit(string(args[0].Text(int(sel[0])))), c.Zone())
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

// put sets the value of a row.
type put func(out *types.Vector, i int32, n int64)

func putInt(out *types.Vector, i int32, n int64)   { out.Ints[i] = n }
func putFloat(out *types.Vector, i int32, n int64) { out.Floats[i] = float64(n) }

// isMidnight says whether a day begins at a timestamp that is finite.
func isMidnight(day int64) bool {
	return calendar.MinDays <= day && day < calendar.EndTimestamp/calendar.MicrosPerDay
}

// ofDates makes the kernels of fields of dates.
func ofDates(to put) byUnit {
	return func(unit string, _ *time.Location) kernel {
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
				to(out, i, field(day))
			}
			return true
		}
	}
}

// ofTimestamps makes the kernels of fields of timestamps.
func ofTimestamps(to put) byUnit {
	return func(unit string, _ *time.Location) kernel {
		return ofLocal(unit, to, func(at int64) (int64, bool) { return at, calendar.Valid(at) })
	}
}

// ofMoments makes the kernels of fields of timestamps with time zone.
func ofMoments(to put) byUnit {
	return func(unit string, zone *time.Location) kernel { return ofLocal(unit, to, (&clock{zone: zone}).local) }
}

// ofLocal is the kernel of a field of what local times are made of. Those that come one after the other are often of
// one day.
func ofLocal(unit string, to put, local func(at int64) (int64, bool)) kernel {
	ofDay, ofClock := dayFields[unit], clockFields[unit]
	if ofDay == nil && ofClock == nil {
		return nil
	}
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		out.Scale = 0
		begin, n := int64(1), int64(0) // of the day that n is of; no day begins at 1
		for _, i := range sel {
			at, ok := local(args[0].Ints[i])
			switch {
			case !ok:
				return false
			case ofClock != nil:
				n = ofClock(at - calendar.FloorDiv(at, calendar.MicrosPerDay)*calendar.MicrosPerDay)
			case begin == 1 || at < begin || at >= begin+calendar.MicrosPerDay:
				day := calendar.FloorDiv(at, calendar.MicrosPerDay)
				begin, n = day*calendar.MicrosPerDay, ofDay(day)
			}
			to(out, i, n)
		}
		return true
	}
}

// clock tells the local time of moments. It keeps the offset of the zone from one change to the next.
type clock struct {
	zone       *time.Location
	begin, end int64 // when the offset is that
	offset     int64
}

// local is the time of a moment; false: that is left to the function.
func (c *clock) local(at int64) (int64, bool) {
	if !calendar.Valid(at) {
		return 0, false
	}
	if at < c.begin || at >= c.end {
		t := time.Unix(unixSeconds(at), 0).In(c.zone)
		_, offset := t.Zone()
		c.offset, c.begin, c.end = int64(offset)*calendar.MicrosPerSecond, calendar.MinTimestamp, calendar.EndTimestamp
		begin, end := t.ZoneBounds()
		if !begin.IsZero() {
			c.begin = max(c.begin, microsOf(begin))
		}
		if !end.IsZero() {
			c.end = min(c.end, microsOf(end))
		}
	}
	return at + c.offset, calendar.Valid(at + c.offset)
}

func unixSeconds(at int64) int64 {
	return calendar.FloorDiv(at, calendar.MicrosPerSecond) - calendar.UnixEpoch*secondsPerDay
}

// microsOf is a change of a zone as a timestamp. One that is out of range is at an end.
func microsOf(t time.Time) int64 {
	const least = calendar.MinTimestamp / calendar.MicrosPerSecond
	const most = calendar.EndTimestamp / calendar.MicrosPerSecond
	return min(max(t.Unix()+calendar.UnixEpoch*secondsPerDay, least), most) * calendar.MicrosPerSecond
}

const secondsPerDay = calendar.MicrosPerDay / calendar.MicrosPerSecond

// steps are the units of which the beginnings are as far apart as these.
var steps = map[string]int64{"microsecond": 1, "millisecond": 1000, "second": calendar.MicrosPerSecond,
	"minute": calendar.MicrosPerMinute, "hour": calendar.MicrosPerHour}

// firstDays give the first day of the unit that a day is in.
var firstDays = map[string]func(day int64) int64{
	"day":   func(day int64) int64 { return day },
	"week":  func(day int64) int64 { return day - weekday(day) },
	"month": func(day int64) int64 { y, m, _ := calendar.Civil(day); return calendar.Days(y, m, 1) },
	"quarter": func(day int64) int64 {
		y, m, _ := calendar.Civil(day)
		return calendar.Days(y, (m-1)/3*3+1, 1)
	},
	"year": func(day int64) int64 { y, _, _ := calendar.Civil(day); return calendar.Days(y, 1, 1) },
}

// cutTimestamps makes the kernels of timestamps that are cut to a unit.
func cutTimestamps(unit string, _ *time.Location) kernel {
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

// cutMoments makes the kernels of timestamps with time zone that are cut to a unit. A day may begin at another offset
// than that of the moment.
func cutMoments(unit string, zone *time.Location) kernel {
	by := &clock{zone: zone}
	if step := steps[unit]; step > 0 {
		return unaryOf(func(at int64) (int64, bool) {
			local, ok := by.local(at)
			return at - (local - calendar.FloorDiv(local, step)*step), ok
		})
	}
	first := firstDays[unit]
	if first == nil {
		return nil
	}
	last, began := int64(calendar.EndDays), int64(0) // the first day of the last row, and when it began
	return unaryOf(func(at int64) (int64, bool) {
		local, ok := by.local(at)
		if !ok {
			return 0, false
		}
		if day := first(calendar.FloorDiv(local, calendar.MicrosPerDay)); day != last {
			var err error
			if began, err = datetime.LocalToUTC(day*calendar.MicrosPerDay, zone); err != nil {
				return 0, false
			}
			last = day
		}
		return began, true
	})
}
