package types

import "zproxy/types/float"

func appendFloat4(dst []byte, v Value, env *Env) []byte { return env.appendFloat(dst, v.Float(), 32) }

func appendFloat8(dst []byte, v Value, env *Env) []byte { return env.appendFloat(dst, v.Float(), 64) }

// appendFloat appends a float in as many digits as the session wants.
func (e *Env) appendFloat(dst []byte, f float64, size int) []byte {
	if e == nil {
		return float.Append(dst, f, size)
	}
	return float.AppendShorter(dst, f, size, e.ShortFloats)
}

func parseFloat4(s string, _ *Env) (Value, error) { return floatValue(float.Parse(s, 32)) }

func parseFloat8(s string, _ *Env) (Value, error) { return floatValue(float.Parse(s, 64)) }

func floatValue(f float64, err error) (Value, error) {
	if err != nil {
		return Null, err
	}
	return NewFloat(f), nil
}
