package types

import "zproxy/types/float"

func appendFloat4(dst []byte, v Value, env *Env) []byte {
	return float.AppendShorter(dst, v.Float(), 32, env.shortFloats())
}

func appendFloat8(dst []byte, v Value, env *Env) []byte {
	return float.AppendShorter(dst, v.Float(), 64, env.shortFloats())
}

// shortFloats is by how many digits the session wants floats to be shorter.
func (e *Env) shortFloats() int {
	if e == nil {
		return 0
	}
	return e.ShortFloats
}

func parseFloat4(s string, _ *Env) (Value, error) { return floatValue(float.Parse(s, 32)) }

func parseFloat8(s string, _ *Env) (Value, error) { return floatValue(float.Parse(s, 64)) }

func floatValue(f float64, err error) (Value, error) {
	if err != nil {
		return Null, err
	}
	return NewFloat(f), nil
}
