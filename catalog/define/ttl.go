package define

import (
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
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
	out := &catalog.TTL{}
	if out.Parse(text) != nil {
		return nil, badLifetime(options, ttlOption, text)
	}
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

// badLifetime is the error about a value that is no time to live.
func badLifetime(options []ast.Option, name, value string) *sqlerr.Error {
	return badTTL(options, name, "invalid value for parameter %q: %q", name, value).
		WithHint("Give seconds, or an interval such as '30 days', of at most a thousand years.")
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
	if follows(out.Table) && (out.TTL != nil || celltime.Has(out.Table)) {
		return nil, sqlerr.Unsupported("a ttl, or timestamps of cells, of a table with an index that the store keeps")
	}
	out.Version = a.Table.Version + 1
	return out.Table, staysInterleaved(out.Table)
}
