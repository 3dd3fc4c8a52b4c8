package types

import (
	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/hstore"
)

// hstoreTypes are the sets of pairs of the extension hstore.
var hstoreTypes = []Info{
	{
		OID: OIDHstore, Name: "hstore", SQL: "hstore", Array: 8105, Extension: "hstore",
		Kind: KindBytes, Category: CategoryUser, Size: -1, Around: "#",
		forms: forms{
			appendText: appendHstore, parseText: parseHstore,
			appendBinary: appendBinaryHstore, parseBinary: heldReceived(hstore.ParseBinary),
		},
	},
}

// hstoreCasts are those with a function; that of arrays of texts is one of them, which castArray does not know.
var hstoreCasts = []castRow{
	{OIDHstore, OIDJSON, Cast{Explicit, hstoreToJSON}},
	{OIDHstore, OIDJSONB, Cast{Explicit, hstoreToJSONB}},
	{OIDTextArray, OIDHstore, Cast{Explicit, textsToHstore}},
}

// Hstore is the value of an hstore.
func (v Value) Hstore() hstore.Set { return hstore.Set(v.Text()) }

func appendHstore(dst []byte, v Value, env *Env) []byte {
	if form.Pieces(env, v.Text(), func(string) {}) != nil {
		return dst
	}
	return v.Hstore().AppendText(dst)
}

func appendBinaryHstore(dst []byte, v Value) []byte { return v.Hstore().AppendBinary(dst) }

func parseHstore(s string, env *Env) (Value, error) { return bytesValue(hstore.Parse(s, env)) }

func hstoreToJSON(v Value, _ T, env *Env) (Value, error) {
	return NewJSON(string(v.Hstore().AppendJSON(nil, false))), env.Ended()
}

func hstoreToJSONB(v Value, _ T, env *Env) (Value, error) {
	j, err := v.Hstore().JSON(false, env)
	if err != nil {
		return Null, err
	}
	return NewJSONB(j), nil
}

// textsToHstore makes pairs of texts that follow each other, or that are the rows of two columns.
func textsToHstore(v Value, _ T, env *Env) (Value, error) {
	a := v.Array()
	if err := env.Tick(len(a.Items) * itemUnits); err != nil {
		return Null, err
	}
	switch {
	case len(a.Dims) == 1 && len(a.Items)%2 != 0:
		return Null, sqlerr.New(sqlerr.ArraySubscriptError, "array must have even number of elements")
	case len(a.Dims) == 2 && a.Dims[1].Length != 2:
		return Null, sqlerr.New(sqlerr.ArraySubscriptError, "array must have two columns")
	case len(a.Dims) > 2:
		return Null, wrongSubscripts()
	}
	keys, values := make([]Value, 0, len(a.Items)/2), make([]Value, 0, len(a.Items)/2)
	for i := 0; i < len(a.Items); i += 2 {
		keys, values = append(keys, a.Items[i]), append(values, a.Items[i+1])
	}
	return HstoreOf(keys, values, env)
}

// HstoreOf is the pairs of keys and values, which are as many.
func HstoreOf(keys, values []Value, env *Env) (Value, error) {
	if err := env.Make(int64(len(keys)) * valueBytes); err != nil {
		return Null, err
	}
	pairs := make([]hstore.Pair, len(keys))
	for i, key := range keys {
		if key.IsNull() {
			return Null, hstore.NullKey()
		}
		if err := env.Tick(itemUnits + int(key.a)); err != nil {
			return Null, err
		}
		pairs[i].Key, pairs[i].Null = key.Text(), values[i].IsNull()
		if !pairs[i].Null {
			pairs[i].Value = values[i].Text()
		}
	}
	return NewBytes(hstore.Encode(hstore.Unique(pairs))), nil
}
