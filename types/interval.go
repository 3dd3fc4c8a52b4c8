package types

import (
	"zproxy/types/form"
	"zproxy/types/interval"
)

// NewInterval makes an interval.
func NewInterval(i interval.Interval) Value {
	return Value{kind: KindInterval, a: uint64(i.Micros), b: uint64(uint32(i.Months))<<32 | uint64(uint32(i.Days))}
}

// Interval is the value of an interval.
func (v Value) Interval() interval.Interval {
	return interval.Interval{Months: int32(v.b >> 32), Days: int32(uint32(v.b)), Micros: int64(v.a)}
}

func intervalValue(i interval.Interval, err error) (Value, error) {
	if err != nil {
		return Null, err
	}
	return NewInterval(i), nil
}

func (e *Env) intervalStyle() interval.Style {
	if e == nil {
		return interval.Postgres
	}
	return e.IntervalStyle
}

func appendInterval(dst []byte, v Value, env *Env) []byte {
	return interval.Append(dst, v.Interval(), env.intervalStyle())
}

// parseInterval reads an interval. The fields that a modifier names say what a number without a unit is.
func parseInterval(s string, mod int32, env *Env) (Value, error) {
	return intervalValue(interval.Parse(s, mod, env.intervalStyle()))
}

func limitInterval(v Value, mod int32, _ bool, _ *Env) (Value, error) {
	return NewInterval(interval.Limit(v.Interval(), mod)), nil
}

func appendBinaryInterval(dst []byte, v Value) []byte {
	i := v.Interval()
	dst = appendBinaryInt8(dst, NewInt(i.Micros))
	return appendBinaryInt4(appendBinaryInt4(dst, NewInt(int64(i.Days))), NewInt(int64(i.Months)))
}

func parseBinaryInterval(p []byte) (Value, error) {
	if err := form.CheckLength(p, 16); err != nil {
		return Null, err
	}
	low := bigEndian(p[8:])
	return NewInterval(interval.Interval{
		Months: int32(uint32(low)), Days: int32(uint32(low >> 32)), Micros: int64(bigEndian(p[:8])),
	}), nil
}
