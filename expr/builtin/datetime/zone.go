package datetime

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/datetime"
)

// zoneFunctions are AT TIME ZONE and AT LOCAL, which PostgreSQL has since 17. A zone is a name, an abbreviation,
// or an interval east of UTC.
var zoneFunctions = []*expr.Function{
	{Name: "timezone", Args: pg.Sig{pg.Text, pg.Timestamp}, Result: pg.Timestamptz, Doc: "Moment of a local time in a time zone.", Fn2: localInZone},
	{Name: "timezone", Args: pg.Sig{pg.Text, pg.Timestamptz}, Result: pg.Timestamp, Doc: "Local time of a moment in a time zone.", Fn2: momentInZone},
	{Name: "timezone", Args: pg.Sig{pg.Text, pg.Clocktz}, Result: pg.Clocktz, Volatility: expr.Stable, Doc: "Time of day in a time zone with its present offset.", Fn2: clockInZone},
	{Name: "timezone", Args: pg.Sig{pg.Interval, pg.Timestamp}, Result: pg.Timestamptz, Doc: "Moment of a local time at an offset.", Fn2: localAtOffset},
	{Name: "timezone", Args: pg.Sig{pg.Interval, pg.Timestamptz}, Result: pg.Timestamp, Doc: "Local time of a moment at an offset.", Fn2: momentAtOffset},
	{Name: "timezone", Args: pg.Sig{pg.Interval, pg.Clocktz}, Result: pg.Clocktz, Doc: "Time of day at an offset.", Fn2: clockAtOffset},
	{Name: "timezone", OID: 9581, Args: pg.Sig{pg.Timestamp}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Moment of a local time in the time zone of the session.", Fn1: localInSession},
	{Name: "timezone", OID: 9582, Args: pg.Sig{pg.Timestamptz}, Result: pg.Timestamp, Volatility: expr.Stable, Doc: "Local time of a moment in the time zone of the session.", Fn1: momentInSession},
	{Name: "timezone", OID: 9583, Args: pg.Sig{pg.Clocktz}, Result: pg.Clocktz, Volatility: expr.Stable, Doc: "Time of day in the time zone of the session with its present offset.", Fn1: clockInSession},
}

func localInZone(_ *expr.Context, a, b types.Value) (types.Value, error) {
	if IsInfinite(b.Micros()) { // in every zone, even one that there is not
		return b, nil
	}
	zone, err := datetime.FindZone(a.Text())
	if err != nil {
		return types.Null, err
	}
	micros, err := zone.ToUTC(b.Micros())
	return types.NewTimestamp(micros), err
}

func momentInZone(_ *expr.Context, a, b types.Value) (types.Value, error) {
	if IsInfinite(b.Micros()) {
		return b, nil
	}
	zone, err := datetime.FindZone(a.Text())
	if err != nil {
		return types.Null, err
	}
	micros, err := zone.ToLocal(b.Micros())
	return types.NewTimestamp(micros), err
}

func clockInZone(c *expr.Context, a, b types.Value) (types.Value, error) {
	zone, err := datetime.FindZone(a.Text())
	if err != nil {
		return types.Null, err
	}
	return timetzAt(b, zone.OffsetAt(types.TimestampAt(c.Transaction).Micros())), nil
}

// offsetOf is an interval as an offset in seconds east of UTC.
func offsetOf(v types.Value) (datetime.Zone, error) {
	months, days, micros := v.Interval().Fields()
	if months != 0 || days != 0 {
		return datetime.Zone{}, sqlerr.New(sqlerr.InvalidParameterValue,
			"interval time zone \"%s\" must not include months or days",
			types.FormatText(v, types.Interval, nil))
	}
	return datetime.FixedZone(int(int32(micros / SecondMicros))), nil
}

func localAtOffset(_ *expr.Context, a, b types.Value) (types.Value, error) {
	if IsInfinite(b.Micros()) {
		return b, nil
	}
	zone, err := offsetOf(a)
	if err != nil {
		return types.Null, err
	}
	micros, err := zone.ToUTC(b.Micros())
	return types.NewTimestamp(micros), err
}

func momentAtOffset(_ *expr.Context, a, b types.Value) (types.Value, error) {
	if IsInfinite(b.Micros()) {
		return b, nil
	}
	zone, err := offsetOf(a)
	if err != nil {
		return types.Null, err
	}
	micros, err := zone.ToLocal(b.Micros())
	return types.NewTimestamp(micros), err
}

func clockAtOffset(_ *expr.Context, a, b types.Value) (types.Value, error) {
	zone, err := offsetOf(a)
	if err != nil {
		return types.Null, err
	}
	return timetzAt(b, zone.OffsetAt(0)), nil
}

func localInSession(c *expr.Context, a types.Value) (types.Value, error) {
	return timestampValue(datetime.LocalToUTC(a.Micros(), c.Zone()))
}

func momentInSession(c *expr.Context, a types.Value) (types.Value, error) {
	return timestampValue(datetime.UTCToLocal(a.Micros(), c.Zone()))
}

func clockInSession(c *expr.Context, a types.Value) (types.Value, error) {
	_, offset := c.Transaction.In(c.Zone()).Zone()
	return timetzAt(a, offset), nil
}
