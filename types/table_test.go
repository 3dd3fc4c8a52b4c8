package types

import (
	"testing"

	"zproxy/internal/recorded"
)

func recordedEnv(t *testing.T) *Env {
	t.Helper()
	return &Env{Location: recorded.Zone(t)}
}

// shown is a value or an error as record.sh prints it.
func shown(v Value, err error, t T, env *Env) string {
	switch {
	case err != nil:
		return recorded.Error(err)
	case v.IsNull():
		return ""
	}
	return FormatText(v, t, env)
}

// typeNamed is the type that DDL spells so, without a modifier.
func typeNamed(t *testing.T, name string) T {
	t.Helper()
	info, ok := Lookup(name)
	if !ok {
		t.Fatalf("no type %s", name)
	}
	return Of(info.OID)
}

func TestInput(t *testing.T) {
	env := recordedEnv(t)
	recorded.Each(t, "testdata/input.tsv", func(in []string) string {
		typ := typeNamed(t, in[0])
		v, err := ParseText(in[1], typ, env)
		return shown(v, err, typ, env)
	})
}
