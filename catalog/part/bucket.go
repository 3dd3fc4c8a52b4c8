package part

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"zproxy/encoding/span"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Bucket is the minute, hour, day ... in which a time lies, in UTC. In a text it is written by a pattern.
const Bucket Kind = 3

type bucket struct{ base }

// Unit is how long a bucket is.
type Unit string

// The units of buckets.
const (
	Minute Unit = "minute"
	Hour   Unit = "hour"
	Day    Unit = "day"
	Week   Unit = "week"
	Month  Unit = "month"
	Year   Unit = "year"
)

// AllUnits are all units, from the shortest to the longest.
var AllUnits = []Unit{Minute, Hour, Day, Week, Month, Year}

// period is the unit of time that a column lies in.
type period struct {
	of   []Source // one
	unit Unit
}

// bind finds the column. A date lies in no unit shorter than a day.
func (bucket) bind(p *Part, t Table) (Bound, error) {
	src, unit, pattern := t.Source(p.Column), p.Unit, Pattern(nil)
	if p.Format != "" {
		var err error
		if pattern, err = parsePattern(p.Format); err != nil {
			return Bound{}, err
		}
		unit = pattern.Finest()
	}
	if src.Type.Kind() == types.KindDate && (unit == Minute || unit == Hour) {
		unit = Day
	}
	kept := pattern.Determines() && src.Type.OID == types.OIDDate
	return Bound{Of: &period{[]Source{src}, unit}, Type: src.Type, form: form{pattern: pattern, kept: kept}}, nil
}

// Value is the start of the unit that a time lies in, of the same type. NULL, the
// infinities and dates that are too far off are their own buckets.
func (b *period) Value(row types.Row) types.Value { return b.start(row[b.of[0].Ordinal]) }

func (b *period) start(v types.Value) types.Value {
	micros, finite := momentOf(v)
	if !finite {
		return v
	}
	return timeLike(v, unitStart(b.unit, micros))
}

func (b *period) Take(k Known) bool { return k.Points(b.of, b) || k.Units(&b.of[0], b) }

// Within are the starts of all units that values of a set lie in.
func (b *period) Within(set span.Set, most int) ([]types.Value, bool) {
	var out []types.Value
	for _, in := range set.Intervals {
		if in.Point() {
			out = appendUnit(out, b.start(in.Low))
			continue
		}
		low, finite := momentOf(span.Inward(in.Low, in.LowOpen, true))
		high, finiteToo := momentOf(span.Inward(in.High, in.HighOpen, false))
		if !finite || !finiteToo {
			return nil, false
		}
		for at := unitStart(b.unit, low); low <= high && at <= high; at = unitNext(b.unit, at) {
			if len(out) == most {
				return nil, false
			}
			out = appendUnit(out, timeLike(in.Low, at))
		}
	}
	return out, len(out) <= most
}

// appendUnit leaves out a unit that is there already. Units come in ascending order.
func appendUnit(dst []types.Value, v types.Value) []types.Value {
	if n := len(dst); n > 0 && types.Compare(dst[n-1], v) == 0 {
		return dst
	}
	return append(dst, v)
}

// Hull is an interval of units: a unit begins no later than the times in it, and no unit lies
// between two that follow each other. That which begins where the set ends before it is not
// among them.
func (b *period) Hull(set span.Set) span.Interval {
	hull := set.Hull()
	in := span.Interval{}
	if !hull.Low.IsNull() {
		in.Low = b.start(span.Inward(hull.Low, hull.LowOpen, true))
	}
	if !hull.High.IsNull() {
		in.High = b.start(span.Inward(hull.High, hull.HighOpen, false))
		in.HighOpen = hull.HighOpen && types.Compare(in.High, hull.High) == 0
	}
	return in
}

func (b *period) nulls() []Source { return b.of }

// misfit is about a year that has not four digits.
func (b *period) misfit(row types.Row, _ spot) (why string, ordinal int) {
	ordinal = b.of[0].Ordinal
	v := row[ordinal]
	if v.IsNull() {
		return "", ordinal
	}
	micros, near := momentOf(v)
	switch {
	case !near && (v.Kind() != types.KindDate || v.Days() == math.MaxInt32 || v.Days() == math.MinInt32):
		return "it is infinite", ordinal
	case !near || civil(micros).Year() < 1 || civil(micros).Year() > 9999:
		return "its year is not one of 1 to 9999", ordinal
	}
	return "", ordinal
}

func (bucket) describe(p *Part, t Table) string {
	if p.Format != "" {
		return "to_char(" + namesOf(t, p.Column) + ", '" + p.Format + "')"
	}
	return string(p.Unit) + "(" + namesOf(t, p.Column) + ")"
}

func (bucket) template(p *Part, t Table) string { return hole(templateName(t, p.Column), p.Format) }

func (b bucket) count(p *Part, t Table, n int) string {
	if p.Format != "" {
		if pattern, err := parsePattern(p.Format); err != nil || !pattern.Tells() {
			return b.base.count(p, t, n)
		}
	}
	return fmt.Sprintf("%d %ss of %s", n, p.Unit, namesOf(t, p.Column))
}

func (bucket) follows(p *Part) (column uint32, ok bool) { return p.Column, true }

func (bucket) keeps(p *Part, t Table) bool {
	pattern, err := parsePattern(p.Format)
	return err == nil && pattern.Determines() && t.Source(p.Column).Type.OID == types.OIDDate
}

// shorterThan says whether a unit is shorter than another one.
func (u Unit) shorterThan(other Unit) bool {
	return slices.Index(AllUnits, u) < slices.Index(AllUnits, other)
}

func (bucket) function() Function {
	return Function{
		Name: "date_trunc", Usage: "date_trunc('unit', column)",
		takes: []ArgKind{TextArg, ColumnArg}, make: truncated,
	}
}

// truncated is the unit that a column lies in.
func truncated(args []Arg) (Part, *sqlerr.Error) {
	unit, of := strings.ToLower(args[0].Text), args[1].Source
	p := Part{Kind: Bucket, Column: of.ID, Unit: Unit(unit)}
	switch isDate := of.Type.OID == types.OIDDate; {
	case !isDate && of.Type.OID != types.OIDTimestamp && of.Type.OID != types.OIDTimestamptz:
		return p, sqlerr.New(sqlerr.DatatypeMismatch, "column %q of type %s is no time to partition by the %s of",
			of.Name, of.Type, unit)
	case !slices.Contains(AllUnits, p.Unit):
		return p, sqlerr.Unsupported("PARTITION BY the %s of a column", unit).
			WithDetail("The units are minute, hour, day, week, month and year.")
	case isDate && p.Unit.shorterThan(Day):
		return p, sqlerr.New(sqlerr.InvalidParameterValue, "column %q of type date has no hours", of.Name)
	}
	return p, nil
}

// byPattern makes of a column in a template its bucket, which a pattern writes.
func (r *Template) byPattern(p *Part, c Source, format string) error {
	pattern, err := parsePattern(format)
	if err != nil {
		return r.bad("%s", err)
	}
	if c.Type.OID == types.OIDDate && pattern.HasClock() {
		return r.bad("column %q of type date has no hours", c.Name)
	}
	p.Kind, p.Unit, p.Format = Bucket, pattern.Finest(), format
	return nil
}
