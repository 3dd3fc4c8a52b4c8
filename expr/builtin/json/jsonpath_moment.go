package json

import (
	"math"
	"strings"
	"time"

	"zproxy/expr/builtin/format"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
	"zproxy/types/jsonpath"
)

// The kinds of moments, which only items within a path have: what a path finds is a string. The text of an item is the
// one that JSON gives to its moment. Of two dates, or of two times of a day, the later kind says more.
const (
	pathDate json.Kind = json.Object + 1 + iota
	pathTimestamp
	pathTimestamptz
	pathTime
	pathTimetz
)

// momentTypes are the types of the kinds of moments.
var momentTypes = map[json.Kind]types.T{pathDate: types.Date, pathTimestamp: types.Timestamp,
	pathTimestamptz: types.Timestamptz, pathTime: types.Time, pathTimetz: types.Timetz}

// itemType is what .type() calls an item.
func itemType(j *json.Value) string {
	if t, ok := momentTypes[j.Kind]; ok {
		return t.String()
	}
	return j.Kind.String()
}

// momentFormats are those of ISO 8601 that .datetime() knows without being given one.
var momentFormats = []string{
	"yyyy-mm-dd",
	"HH24:MI:SS.USTZH:TZM", "HH24:MI:SS.USTZH", "HH24:MI:SS.US",
	"HH24:MI:SSTZH:TZM", "HH24:MI:SSTZH", "HH24:MI:SS",
	"yyyy-mm-dd HH24:MI:SS.USTZH:TZM", "yyyy-mm-dd HH24:MI:SS.USTZH", "yyyy-mm-dd HH24:MI:SS.US",
	"yyyy-mm-dd HH24:MI:SSTZH:TZM", "yyyy-mm-dd HH24:MI:SSTZH", "yyyy-mm-dd HH24:MI:SS",
	`yyyy-mm-dd"T"HH24:MI:SS.USTZH:TZM`, `yyyy-mm-dd"T"HH24:MI:SS.USTZH`, `yyyy-mm-dd"T"HH24:MI:SS.US`,
	`yyyy-mm-dd"T"HH24:MI:SSTZH:TZM`, `yyyy-mm-dd"T"HH24:MI:SSTZH`, `yyyy-mm-dd"T"HH24:MI:SS`,
}

// datetime evaluates .datetime(): a string as the moment that it says.
func (r *pathRun) datetime(n *jsonpath.Node, j *json.Value, yield found) error {
	if j.Kind != json.String {
		return badItem(sqlerr.InvalidSQLJSONDatetimeArgument,
			"jsonpath item method .datetime() can only be applied to a string")
	}
	formats := momentFormats
	if n.Left != nil {
		formats = []string{n.Left.Text}
	}
	for _, f := range formats {
		pattern, err := format.NewMomentPattern(r.context, f)
		if err != nil {
			return err
		}
		m, err := pattern.Read(r.context, j.Text)
		switch {
		case err == nil:
			return r.next(n, itemOf(m), yield)
		case !isMomentError(err):
			return err
		case n.Left != nil:
			return pathError{err}
		}
	}
	return pathError{sqlerr.New(sqlerr.InvalidSQLJSONDatetimeArgument, "datetime format is not recognized: \"%s\"",
		j.Text).
		WithHint("Use a datetime template argument to specify the input data format.")}
}

// isMomentError says whether an error is about a text that is read by a pattern.
func isMomentError(err error) bool {
	code := string(sqlerr.From(err).Code)
	return strings.HasPrefix(code, "22") || code == string(sqlerr.FeatureNotSupported)
}

// itemOf is a moment as an item of a path. One with a zone keeps it.
func itemOf(m format.Moment) *json.Value {
	env := &types.Env{Location: time.FixedZone("", m.East)}
	j := &json.Value{Text: types.JSONText(m.Value, m.Type, env)}
	for kind, t := range momentTypes {
		if t.Same(m.Type) {
			j.Kind = kind
		}
	}
	if j.Kind == pathTimetz && len(j.Text)-strings.LastIndexAny(j.Text, "+-") == len("+00") {
		j.Text += ":00"
	}
	return j
}

// compareMoments compares two moments, of which the second is not less than the first when the sign is not above 0.
// They are no pair if only one is a time of a day.
func (r *pathRun) compareMoments(a, b *json.Value) (sign int, pair bool, err error) {
	if (a.Kind >= pathTime) != (b.Kind >= pathTime) {
		return 0, false, nil
	}
	less, more := min(a.Kind, b.Kind), max(a.Kind, b.Kind)
	if less != more && (more == pathTimestamptz || more == pathTimetz) && !r.zoned {
		return 0, false, sqlerr.New(sqlerr.FeatureNotSupported,
			"cannot convert value from %s to %s without time zone usage",
			types.InfoOf(momentTypes[less].OID).Name, types.InfoOf(momentTypes[more].OID).Name).
			WithHint("Use *_tz() function for time zone support.")
	}
	x, err := r.momentAs(a, momentTypes[more])
	if err != nil {
		return 0, false, err
	}
	y, err := r.momentAs(b, momentTypes[more])
	return types.Compare(x, y), true, err
}

// momentAs is a moment as a value of its type or of one that says more. A date that is none is before or after all.
func (r *pathRun) momentAs(j *json.Value, to types.T) (types.Value, error) {
	from := momentTypes[j.Kind]
	v, err := types.ParseText(j.Text, from, r.context.Env)
	if err != nil || from.Same(to) {
		return v, err
	}
	cast, _ := types.FindCast(from.OID, to.OID)
	out, err := cast.Fn(v, to, r.context.Env)
	switch {
	case sqlerr.Has(err, sqlerr.DatetimeFieldOverflow) && v.Days() > 0:
		return types.NewTimestamp(math.MaxInt64), nil
	case sqlerr.Has(err, sqlerr.DatetimeFieldOverflow):
		return types.NewTimestamp(math.MinInt64), nil
	}
	return out, err
}
