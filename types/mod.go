package types

// ApplyMod makes a value of type t obey the modifier of t: a text's length, a numeric's
// precision and scale, the digits of a timestamp's seconds. An explicit cast cuts a
// text silently.
func ApplyMod(v Value, t T, explicit bool) (Value, error) {
	if t.Mod < 0 || v.kind == KindNull {
		return v, nil
	}
	info := InfoOf(t.OID)
	if info.applyMod == nil {
		return v, nil
	}
	return info.applyMod(v, t.Mod, explicit)
}
