package types

// ApplyMod makes a value of type t obey the modifier of t: a text's length, a numeric's
// precision and scale, the digits of a timestamp's seconds. An explicit cast cuts a
// text silently. An array passes its modifier to its elements.
func ApplyMod(v Value, t T, explicit bool, env *Env) (Value, error) {
	if t.Mod < 0 || v.kind == KindNull {
		return v, nil
	}
	info := InfoOf(t.OID)
	switch {
	case info.applyMod != nil:
		return t.collate(info.applyMod(v, t.Mod, explicit, env))
	case info.Element != OIDInvalid && v.kind == KindArray:
		element := T{OID: info.Element, Mod: t.Mod, Collation: t.Collation}
		return v.Array().Map(info.Element, env,
			func(item Value) (Value, error) { return ApplyMod(item, element, explicit, env) })
	}
	return v, nil
}
