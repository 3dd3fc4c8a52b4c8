package define

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// CreateSequence makes the sequence that a CREATE SEQUENCE describes, in a schema, but
// for its owner.
func (b Builder) CreateSequence(s *ast.CreateSequence, schema string) (*catalog.Sequence, error) {
	q := &catalog.Sequence{Schema: schema, Name: s.Name.Name, Type: types.Int8}
	if err := b.newSequence(q, s.Options); err != nil {
		return nil, err
	}
	return q, nil
}

// newSequence numbers a sequence and gives it its options, or what PostgreSQL takes for
// those that are not given.
func (b Builder) newSequence(q *catalog.Sequence, options []ast.Option) error {
	q.Version, q.Increment, q.Cache = 1, 1, 1
	set, err := sequenceOptions(options)
	if err != nil {
		return err
	}
	if err := set.apply(q, true); err != nil {
		return err
	}
	id, err := b.Next()
	if err != nil {
		return err
	}
	q.ID, q.State = uint32(id), id
	q.From = q.Start
	return nil
}

// AlterSequence is a sequence with other options. It begins a new state if the numbers to
// come are others; then restart says whether they begin anew, or go on.
func (b Builder) AlterSequence(q *catalog.Sequence, options []ast.Option) (
	altered *catalog.Sequence, restart bool, err error) {
	set, err := sequenceOptions(options)
	if err != nil {
		return nil, false, err
	}
	c := *q
	c.Version++
	if err := set.apply(&c, false); err != nil {
		return nil, false, err
	}
	if c.State, err = b.Next(); err != nil {
		return nil, false, err
	}
	if o, ok := set["restart"]; ok {
		c.From, c.FromCalled = c.Start, false
		if o.Value != "" {
			if c.From, err = sequenceNumber(o); err != nil {
				return nil, false, err
			}
		}
		return &c, true, inBounds(&c, "RESTART", c.From)
	}
	return &c, false, nil
}

// sequenceSettings are the options of a sequence, by name.
type sequenceSettings map[string]ast.Option

func sequenceOptions(list []ast.Option) (sequenceSettings, error) {
	out := sequenceSettings{}
	for _, o := range list {
		if _, twice := out[o.Name]; twice {
			return nil, sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(int(o.Pos))
		}
		out[o.Name] = o
	}
	return out, nil
}

// apply gives a sequence the settings, in the order in which PostgreSQL finds fault.
func (set sequenceSettings) apply(q *catalog.Sequence, fresh bool) error {
	before := *q
	if err := set.typ(q); err != nil {
		return err
	}
	if o, ok := set["increment"]; ok {
		n, err := sequenceNumber(o)
		if err != nil {
			return err
		}
		if q.Increment = n; n == 0 {
			return badSequence("INCREMENT must not be zero")
		}
	}
	if o, ok := set["cycle"]; ok {
		q.Cycle = o.Value != "false"
	}
	if err := set.bounds(q, &before, fresh); err != nil {
		return err
	}
	if err := set.start(q, fresh); err != nil {
		return err
	}
	if o, ok := set["cache"]; ok {
		n, err := sequenceNumber(o)
		if err != nil {
			return err
		}
		if q.Cache = n; n <= 0 {
			return badSequence("CACHE (%d) must be greater than zero", n)
		}
	}
	return nil
}

func badSequence(format string, args ...any) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, format, args...)
}

func sequenceNumber(o ast.Option) (int64, error) {
	n, err := strconv.ParseInt(o.Value, 10, 64)
	if err != nil {
		return 0, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type bigint: %q", o.Value)
	}
	return n, nil
}

func (set sequenceSettings) typ(q *catalog.Sequence) error {
	o, ok := set["as"]
	if !ok {
		return nil
	}
	t, err := bind.TypeOf(ast.TypeName{Name: o.Value, Pos: o.Pos})
	if err != nil {
		return err
	}
	q.Type = t
	return sequenceType(t, "sequence type")
}

// sequenceType wants a type that holds the numbers of a sequence.
func sequenceType(t types.T, what string) error {
	switch t.OID {
	case types.OIDInt2, types.OIDInt4, types.OIDInt8:
		return nil
	}
	return badSequence("%s must be smallint, integer, or bigint", what)
}

// typeBounds are the lowest and the highest number of an integer type.
func typeBounds(t types.T) (low, high int64) {
	switch t.OID {
	case types.OIDInt2:
		return math.MinInt16, math.MaxInt16
	case types.OIDInt4:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// bounds sets the lowest and the highest number. Those that are those of a type are
// changed with it.
func (set sequenceSettings) bounds(q, before *catalog.Sequence, fresh bool) error {
	low, high := typeBounds(q.Type)
	oldLow, oldHigh := typeBounds(before.Type)
	retyped := q.Type.OID != before.Type.OID
	up, down := high, int64(-1)
	if q.Increment < 0 {
		up, down = -1, low
	} else {
		down = 1
	}
	var err error
	if q.Max, err = set.bound("maxvalue", q.Max, up, fresh || retyped && before.Max == oldHigh); err != nil {
		return err
	}
	if q.Max < low || q.Max > high {
		return badSequence("MAXVALUE (%d) is out of range for sequence data type %s", q.Max, q.Type)
	}
	if q.Min, err = set.bound("minvalue", q.Min, down, fresh || retyped && before.Min == oldLow); err != nil {
		return err
	}
	if q.Min < low || q.Min > high {
		return badSequence("MINVALUE (%d) is out of range for sequence data type %s", q.Min, q.Type)
	}
	if q.Min >= q.Max {
		return badSequence("MINVALUE (%d) must be less than MAXVALUE (%d)", q.Min, q.Max)
	}
	return nil
}

// bound is a limit as it is set, or was, or is by default.
func (set sequenceSettings) bound(name string, now, usual int64, fresh bool) (int64, error) {
	o, ok := set[name]
	switch {
	case ok && o.Value != "":
		return sequenceNumber(o)
	case ok || fresh:
		return usual, nil
	}
	return now, nil
}

func (set sequenceSettings) start(q *catalog.Sequence, fresh bool) error {
	o, ok := set["start"]
	switch {
	case ok:
		n, err := sequenceNumber(o)
		if err != nil {
			return err
		}
		q.Start = n
	case fresh && q.Increment > 0:
		q.Start = q.Min
	case fresh:
		q.Start = q.Max
	}
	return inBounds(q, "START", q.Start)
}

// inBounds wants a number of a sequence to be one.
func inBounds(q *catalog.Sequence, what string, n int64) error {
	switch {
	case n < q.Min:
		return badSequence("%s value (%d) cannot be less than MINVALUE (%d)", what, n, q.Min)
	case n > q.Max:
		return badSequence("%s value (%d) cannot be greater than MAXVALUE (%d)", what, n, q.Max)
	}
	return nil
}

// SequenceHolds wants the last number of a sequence to be within its bounds.
func SequenceHolds(q *catalog.Sequence, last int64) error { return inBounds(q, "RESTART", last) }

// OwnSequence gives a sequence to the column that OWNED BY names.
func (b Builder) OwnSequence(q *catalog.Sequence, options []ast.Option) error {
	at := slices.IndexFunc(options, func(o ast.Option) bool { return o.Name == "owned_by" })
	if at < 0 {
		return nil
	}
	if q.Identity {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot change ownership of identity sequence").
			WithDetail("Sequence %q is linked to table %q.", q.Name, b.Catalog.ByID(q.OwnerTable).Ref().Name)
	}
	parts := strings.Split(strings.ReplaceAll(options[at].Value, ", ", "."), ".")
	if len(parts) == 1 {
		if strings.EqualFold(parts[0], "none") {
			q.OwnerTable, q.OwnerColumn = 0, 0
			return nil
		}
		return sqlerr.New(sqlerr.SyntaxError, "invalid OWNED BY option").
			WithHint("Specify OWNED BY table.column or OWNED BY NONE.")
	}
	n := ast.Name{Name: parts[len(parts)-2], Pos: -1}
	if len(parts) > 2 {
		n.Schema = parts[len(parts)-3]
	}
	t, err := b.Table(n)
	if err != nil {
		return err
	}
	column := parts[len(parts)-1]
	i := t.Column(column)
	switch {
	case i < 0:
		return sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", column, t.Name)
	case t.Schema != q.Schema:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
			"sequence must be in same schema as table it is linked to")
	}
	q.OwnerTable, q.OwnerColumn = t.ID, t.Columns[i].ID
	return nil
}
