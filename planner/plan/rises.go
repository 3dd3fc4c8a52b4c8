package plan

import (
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/calendar"
	"zproxy/types/datetime"
)

// A function that never falls while a column rises bounds the column by its own values:
// at::date = '2016-09-01' says on which day at is. What it leaves of the column may be more than the
// rows wanted, never less, so that such a condition is still to be checked.

// image is a term on a function of a column, of which risen says which they are.
type image struct {
	Of expr.Expr
	Term
}

// risen finds the column of a function that rises with it.
func risen(e expr.Expr) (expr.Column, bool) {
	for e != nil {
		if column, ok := ColumnOf(e); ok {
			return column, true
		}
		_, e = stepOf(e)
	}
	return expr.Column{}, false
}

// set is what the term leaves of the column.
func (i *image) set(c *expr.Context) (span.Set, error) {
	images, err := i.Term.Set(c)
	if err != nil {
		return span.Set{}, err
	}
	origins := make([]span.Interval, len(images.Intervals))
	for n, in := range images.Intervals {
		origins[n] = origin(i.Of, in, c.Env)
	}
	return span.Joined(origins), nil
}

// origin is an interval of the column with all values that a function takes into an interval.
func origin(e expr.Expr, in span.Interval, env *types.Env) span.Interval {
	for {
		if column, ok := ColumnOf(e); ok {
			return closed(in, column.T)
		}
		var first step
		first, e = stepOf(e)
		out := span.Interval{}
		if !in.Low.IsNull() {
			out.Low = first(end{in.Low, in.LowOpen, false, env})
		}
		if !in.High.IsNull() {
			out.High = first(end{in.High, !in.HighOpen, true, env})
			out.HighOpen = !out.High.IsNull()
		}
		in = out
	}
}

// closed is an interval whose high end is a value in it, where values come one by one.
func closed(in span.Interval, t types.T) span.Interval {
	if !in.HighOpen {
		return in
	}
	switch t.Kind() {
	case types.KindInt:
		in.High, in.HighOpen = types.NewInt(in.High.Int()-1), false
	case types.KindDate:
		if !infiniteDate(in.High) {
			in.High, in.HighOpen = types.NewDate(in.High.Days()-1), false
		}
	}
	return in
}

// step says of a function that rises where its values begin to be as great as an end says; NULL where
// it cannot tell.
type step func(end) types.Value

// end is a value that a function has to come up to, or to pass. What makes a high end of an interval may
// be greater than the least argument with which it does; else it may be less.
type end struct {
	types.Value
	above bool
	high  bool
	env   *types.Env
}

// of is an end of the same kind at another value.
func (e end) of(v types.Value, above bool) end { return end{v, above, e.high, e.env} }

// stepOf is the outermost step of a function, and its argument; nil if it does not always rise with it.
func stepOf(e expr.Expr) (step, expr.Expr) {
	switch e := e.(type) {
	case expr.Cast:
		if first := casts[[2]types.OID{e.Arg.Type().OID, e.To.OID}]; first != nil && e.To.Mod < 0 {
			return first, e.Arg
		}
	case expr.Call:
		return stepOfCall(e)
	}
	return nil, nil
}

// stepOfCall is stepOf for date_trunc and extract of a unit, perhaps in a zone, and for AT TIME ZONE.
func stepOfCall(e expr.Call) (step, expr.Expr) {
	if len(e.Args) < 2 {
		return nil, nil
	}
	word, of := wordOf(e.Args[0]), e.Args[1]
	var first step
	switch {
	case word == "":
	case e.Fn.Name == "timezone" && of.Type().OID == types.OIDTimestamptz:
		first = in(word, firstLocal)
	case e.Fn.Name == "timezone" && of.Type().OID == types.OIDTimestamp:
		first = in(word, firstMoment)
	case len(e.Args) == 2:
		first = fieldStep(e.Fn.Name, calendar.CanonicalUnit(word), of.Type().OID)
	default:
		first = in(wordOf(e.Args[2]), fieldStep(e.Fn.Name, calendar.CanonicalUnit(word), of.Type().OID))
	}
	if first == nil {
		return nil, nil
	}
	return first, of
}

// wordOf is a text that is known, empty for anything else.
func wordOf(e expr.Expr) string {
	if c, ok := e.(expr.Const); ok && c.Value.Kind() == types.KindText {
		return c.Value.Text()
	}
	return ""
}

// in is a step in another zone than that of the session, if there is such a one.
func in(zone string, first step) step {
	named, err := datetime.FindZone(zone)
	if err != nil || first == nil {
		return nil
	}
	location, ok := named.Location()
	if !ok {
		return nil
	}
	return func(e end) types.Value {
		e.env = &types.Env{Location: location}
		return first(e)
	}
}

// casts are the steps of casts that rise.
var casts = map[[2]types.OID]step{
	{types.OIDTimestamp, types.OIDDate}:        firstOfDay,
	{types.OIDTimestamptz, types.OIDDate}:      then(firstLocal, firstOfDay),
	{types.OIDDate, types.OIDTimestamp}:        firstMidnight,
	{types.OIDDate, types.OIDTimestamptz}:      then(firstMidnight, firstMoment),
	{types.OIDTimestamp, types.OIDTimestamptz}: firstMoment,
	{types.OIDTimestamptz, types.OIDTimestamp}: firstLocal,
	{types.OIDInt2, types.OIDNumeric}:          firstWhole,
	{types.OIDInt4, types.OIDNumeric}:          firstWhole,
	{types.OIDInt8, types.OIDNumeric}:          firstWhole,
	{types.OIDInt2, types.OIDFloat8}:           firstWhole,
	{types.OIDInt4, types.OIDFloat8}:           firstWhole,
	{types.OIDInt8, types.OIDFloat8}:           firstWhole,
}

// fieldStep is the step of a function of a unit and a time of some type.
func fieldStep(function, unit string, of types.OID) step {
	var first step
	switch {
	case function == "date_trunc" && longest[unit] > 0:
		first = firstOfUnit(unit)
	case (function == "extract" || function == "date_part") && unit == "year":
		first = firstOfYear
	default:
		return nil
	}
	switch of {
	case types.OIDTimestamp:
		return first
	case types.OIDDate:
		return then(firstMidnight, first)
	case types.OIDTimestamptz:
		if function == "date_trunc" { // which gives moments again
			first = then(first, firstMoment)
		}
		return then(firstLocal, first)
	}
	return nil
}

// then is the step of a function of what another one gives.
func then(inner, outer step) step {
	return func(e end) types.Value {
		v := outer(e)
		if v.IsNull() {
			return v
		}
		return inner(e.of(v, false))
	}
}
