package types

import (
	"zproxy/types/calendar"
	"zproxy/types/datetime"
	"zproxy/types/interval"
)

// clockCasts are the casts from and to times and intervals.
var clockCasts = []castRow{
	{OIDTime, OIDInterval, Cast{Implicit, timeToInterval}},
	{OIDTime, OIDTimetz, Cast{Implicit, timeToTimetz}},
	{OIDTimetz, OIDTime, Cast{Assignment, timetzToTime}},
	{OIDInterval, OIDTime, Cast{Assignment, intervalToTime}},
	{OIDTimestamp, OIDTime, Cast{Assignment, timestampToTime}},
	{OIDTimestamptz, OIDTime, Cast{Assignment, timestamptzToTime}},
	{OIDTimestamptz, OIDTimetz, Cast{Assignment, timestamptzToTimetz}},
}

func timeToInterval(v Value, _ T, _ *Env) (Value, error) {
	return NewInterval(interval.Interval{Micros: v.Micros()}), nil
}

// timeToTimetz takes the offset that the session's zone has at this time today.
func timeToTimetz(v Value, _ T, env *Env) (Value, error) {
	year, month, day := env.now().In(env.location()).Date()
	local := calendar.Days(year, int(month), day)*calendar.MicrosPerDay + v.Micros()
	return NewTimetz(v.Micros(), int32(-datetime.OffsetOfLocal(local, env.location()))), nil
}

func timetzToTime(v Value, _ T, _ *Env) (Value, error) { return NewTime(v.Micros()), nil }

func intervalToTime(v Value, _ T, _ *Env) (Value, error) {
	return NewTime(datetime.AddTime(0, v.Micros())), nil
}

// timestampToTime makes NULL of infinity.
func timestampToTime(v Value, _ T, _ *Env) (Value, error) {
	if !calendar.IsFinite(v.Micros()) {
		return Null, nil
	}
	return NewTime(datetime.TimeOf(v.Micros())), nil
}

func timestamptzToTime(v Value, to T, env *Env) (Value, error) {
	local, err := datetime.UTCToLocal(v.Micros(), env.location())
	if err != nil {
		return Null, err
	}
	return timestampToTime(NewTimestamp(local), to, env)
}

func timestamptzToTimetz(v Value, to T, env *Env) (Value, error) {
	clock, err := timestamptzToTime(v, to, env)
	if err != nil || clock.IsNull() {
		return clock, err
	}
	return NewTimetz(clock.Micros(), int32(-datetime.OffsetAt(v.Micros(), env.location()))), nil
}
