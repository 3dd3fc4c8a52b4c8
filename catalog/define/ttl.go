package define

import (
	"slices"
	"strconv"
	"time"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/sqlerr"
	"zproxy/types"
)

// The WITH options that say how long rows live.
const (
	ttlOption       = "ttl"
	ttlColumnOption = "ttl_column"
)

var ttlOptionNames = []string{ttlOption, ttlColumnOption}

// How long rows may live: beyond a thousand years timestamps end some time.
const (
	microsPerDay   = 24 * 3600 * 1e6
	longestTTL     = 365_250 * microsPerDay
	microsPerYear  = 365.25 * microsPerDay
	microsPerMonth = 30 * microsPerDay
)

// live makes the rows of a table live as its options say. In rows that are there a hidden
// column to count from, if that takes one, has the present time.
func live(t *NewTable, options []ast.Option, now time.Time) error {
	ttl, err := ttlOf(t.Table, options)
	if err != nil {
		return err
	}
	old := t.TTL
	switch {
	case ttl == nil && old == nil:
		return nil
	case ttl == nil || ttl.Column != 0:
	case old != nil && t.Columns[t.Ordinal(old.Column)].Hidden:
		ttl.Column = old.Column
	default:
		ttl.Column = t.hide(catalog.Column{Name: catalog.InsertedAt, Type: types.Timestamptz,
			Missing: types.TimestampAt(now)})
	}
	t.Table = t.WithTTL(ttl)
	return nil
}

// ttlOf reads the options of a table that say how long its rows live. The column is 0 when it
// is to be a hidden one.
func ttlOf(t *catalog.Table, options []ast.Option) (*catalog.TTL, error) {
	text, there := t.Options[ttlOption]
	name, counts := t.Options[ttlColumnOption]
	switch {
	case !there && !counts:
		return nil, nil
	case !there:
		return nil, badTTL(options, ttlColumnOption, "parameter %q needs parameter %q", ttlColumnOption, ttlOption)
	}
	life, err := parseLifetime(text)
	if err != nil {
		return nil, badTTL(options, ttlOption, "invalid value for parameter %q: %q", ttlOption, text).
			WithHint("Give seconds, or an interval such as '30 days', of at most a thousand years.")
	}
	out := &catalog.TTL{Life: life}
	if !counts {
		return out, nil
	}
	i, err := planner.TableColumn(t, ast.ColumnName{Name: name, Pos: positionOf(options, ttlColumnOption)})
	if err != nil {
		return nil, err
	}
	if c := t.Columns[i]; !tellsTime(c.Type) {
		return nil, countsFrom(c).At(int(positionOf(options, ttlColumnOption)))
	}
	out.Column = t.Columns[i].ID
	return out, nil
}

// countsFrom refuses a column that lifetimes cannot count from.
func countsFrom(c catalog.Column) *sqlerr.Error {
	return sqlerr.New(sqlerr.DatatypeMismatch, "a %s cannot count from column %q, which is of type %s",
		ttlOption, c.Name, types.Of(c.Type.OID)).
		WithHint("It counts from columns of type timestamp with time zone, timestamp or date.")
}

func badTTL(options []ast.Option, name, format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, format, args...).At(int(positionOf(options, name)))
}

func positionOf(options []ast.Option, name string) ast.Pos {
	for _, o := range options {
		if o.Name == name {
			return o.Pos
		}
	}
	return -1
}

// tellsTime says whether a lifetime can count from values of a type.
func tellsTime(t types.T) bool {
	return t.OID == types.OIDTimestamptz || t.OID == types.OIDTimestamp || t.OID == types.OIDDate
}

// parseLifetime reads how long rows live: seconds, or an interval of which, as in EXTRACT (EPOCH),
// a month has 30 days and a year has 365.25.
func parseLifetime(text string) (int64, error) {
	micros := 0.0
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		micros = float64(seconds) * 1e6
	} else {
		v, err := types.ParseText(text, types.Interval, nil)
		if err != nil {
			return 0, err
		}
		months, days, rest := v.Interval().Fields()
		micros = float64(months/12)*microsPerYear + float64(months%12)*microsPerMonth +
			float64(days)*microsPerDay + float64(rest)
	}
	if micros < 1 || micros > longestTTL {
		return 0, strconv.ErrRange
	}
	return int64(micros), nil
}

// relive is a changed table whose rows live as its options say now, and whose cells have timestamps if those say so.
func (a *Alter) relive(t *catalog.Table, options []ast.Option) (*catalog.Table, error) {
	out := &NewTable{Table: t, by: a.Builder}
	if slices.ContainsFunc(options, func(o ast.Option) bool { return slices.Contains(ttlOptionNames, o.Name) }) {
		if err := live(out, options, a.Now); err != nil {
			return nil, err
		}
	}
	if err := loosen(out, options, a.Table.Options); err != nil {
		return nil, err
	}
	if err := timed(out, options, a.Now); err != nil {
		return nil, err
	}
	out.Version = a.Table.Version + 1
	return out.Table, nil
}
