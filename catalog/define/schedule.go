package define

import (
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/rollover"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// scheduleOption checks the value of an option that says what becomes of partitions.
func scheduleOption(o ast.Option) error {
	good := true
	switch o.Name {
	case rollover.IntervalOption:
		_, good = rollover.ParseInterval(o.Value)
	case rollover.ColdAfterOption, rollover.ExportAfterOption, rollover.DropAfterOption:
		_, good = rollover.ParseAge(o.Value)
	case rollover.AheadOption:
		_, err := integerOption(o, 0, rollover.MostAhead)
		return err
	default:
		return capacityOption(coldOption(o))
	}
	if good {
		return nil
	}
	e := sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter %q: %q", o.Name, o.Value).At(int(o.Pos))
	if o.Name == rollover.IntervalOption {
		return e.WithHint("Give a number of months, days or hours, such as '1 month', '7 days' or '6 hours'.")
	}
	return e.WithHint("Give an interval such as '3 months'.")
}

// coldOption is what an option of cold partitions is of the partition.
func coldOption(o ast.Option) ast.Option {
	o.Name = strings.TrimPrefix(o.Name, rollover.ColdPrefix)
	return o
}

// scheduled wants options about partitions to fit each other, and the column that partitions are made by.
func scheduled(t *catalog.Table, options []ast.Option) error {
	given := func(name string) int { return int(positionOf(options, name)) }
	cold, some := map[string]string{}, ""
	var coldGiven []ast.Option
	for _, name := range rollover.Options() {
		value, there := t.Options[name]
		if !there {
			continue
		}
		some = name
		if o := coldOption(ast.Option{Name: name, Value: value, Pos: positionOf(options, name)}); o.Name != name {
			cold[o.Name] = value
			coldGiven = append(coldGiven, o)
		}
	}
	switch {
	case some == "":
		return nil
	case !rollover.ByTime(t):
		return sqlerr.New(sqlerr.InvalidParameterValue, "parameter %q is for tables with PARTITION BY RANGE", some).
			At(given(some))
	}
	for _, option := range rollover.Options() {
		needs := option
		switch {
		case option == rollover.AheadOption:
			needs = rollover.IntervalOption
		case strings.HasPrefix(option, rollover.ColdPrefix):
			needs = rollover.ColdAfterOption
		}
		_, there := t.Options[option]
		if _, needed := t.Options[needs]; there && !needed {
			return sqlerr.New(sqlerr.InvalidParameterValue, "parameter %q needs parameter %q", option, needs).
				At(given(option))
		}
	}
	if err := timesFit(t, given); err != nil {
		return err
	}
	return capacityFits(cold, coldGiven)
}

// timesFit wants the column that partitions are made by to have times, and with ranges of hours times of day.
func timesFit(t *catalog.Table, given func(name string) int) error {
	c := t.Columns[t.Ordinal(t.Partitioning.Keys[0].Column)]
	every, there := rollover.ParseInterval(t.Options[rollover.IntervalOption])
	switch {
	case !tellsTime(c.Type):
		return sqlerr.New(sqlerr.DatatypeMismatch, "partitions by column %q, which is of type %s, have no age", c.Name,
			types.Of(c.Type.OID)).
			WithHint("Partitions that are made, moved, exported or dropped by time are by a column of type " +
				"timestamp with time zone, timestamp or date.")
	case there && every.Hours > 0 && c.Type.OID == types.OIDDate:
		return sqlerr.New(sqlerr.InvalidParameterValue, "column %q of type date has no hours", c.Name).
			At(given(rollover.IntervalOption))
	}
	return nil
}
