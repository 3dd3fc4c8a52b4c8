package renumber

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"zproxy/catalog"
	"zproxy/types"
)

// objects are one of each kind that a database has of its own.
func objects() []catalog.Object {
	return []catalog.Object{&catalog.Schema{}, &catalog.Table{}, &catalog.View{}, &catalog.Sequence{},
		&catalog.Statistics{}, &catalog.Extension{}, &catalog.Function{}, &catalog.Type{}, &catalog.Plain{}}
}

// TestFieldsAreKnown holds that of each field of a descriptor in which a number may be it is known whether one is.
func TestFieldsAreKnown(t *testing.T) {
	seen, fields := map[reflect.Type]bool{}, map[string]bool{}
	var walk func(reflect.Type) (integer bool)
	walk = func(of reflect.Type) bool {
		switch of {
		case reflect.TypeFor[uint32](), reflect.TypeFor[uint64]():
			return true
		}
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			return walk(of.Elem())
		case reflect.Map:
			walk(of.Elem())
			return walk(of.Key())
		case reflect.Struct:
			if of == reflect.TypeFor[catalog.Bound]() {
				return true
			}
			if seen[of] {
				return false
			}
			seen[of] = true
			for i := range of.NumField() {
				f := of.Field(i)
				if f.Tag.Get("json") == "-" || !f.IsExported() && !f.Anonymous {
					continue
				}
				if walk(f.Type) {
					fields[of.String()+"."+f.Name] = true
				}
			}
		}
		return false
	}
	for _, o := range objects() {
		walk(reflect.TypeOf(o))
	}
	walk(reflect.TypeFor[catalog.Stats]())
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if _, known := numbered[name]; !known {
			t.Errorf("say in fields.go whether %s has numbers of objects: a copy of a database has other ones", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(numbered)) {
		if !fields[name] {
			t.Errorf("fields.go has %s, which is no field of a descriptor", name)
		}
	}
}

// TestTypes holds that types which are made of objects are those of the new ones.
func TestTypes(t *testing.T) {
	w := walker{func(n uint64) uint64 { return n + 100 }}
	for _, of := range []func(uint32) (one, array types.OID){types.EnumOID, types.DomainOID, types.RowOID,
		types.RangeOID, types.MultirangeOID} {
		one, array := of(20000)
		next, arrays := of(20100)
		if got := w.typeOID(one); got != next {
			t.Errorf("%d became %d, want %d", one, got, next)
		}
		if got := w.typeOID(array); got != arrays {
			t.Errorf("%d became %d, want %d", array, got, arrays)
		}
	}
	if got := w.typeOID(types.OIDInt8); got != types.OIDInt8 {
		t.Errorf("int8 became %d", got)
	}
}

// TestValue holds which values get other numbers, and that the value before stays as it is.
func TestValue(t *testing.T) {
	next := map[uint64]uint64{20000: 30000}
	enum, _ := types.EnumOID(20000)
	other, _ := types.EnumOID(30000)
	classes, _ := types.ArrayOf(types.Of(types.OIDRegclass))
	list, err := types.ParseText("{20000,NULL,7}", classes, &types.Env{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of   types.T
		v    types.Value
		want string
	}{
		{types.Of(types.OIDRegclass), types.NewInt(20000), "30000"},
		{types.Of(types.OIDOID), types.NewInt(20001), "20001"},
		{types.Of(types.OIDRegtype), types.NewInt(int64(enum)), strconv.Itoa(int(other))},
		{types.Int4, types.NewInt(20000), "20000"},
		{classes, list, "{30000,NULL,7}"},
	} {
		if got := types.FormatText(Value(c.v, c.of, next), c.of, nil); got != c.want {
			t.Errorf("%s became %s, want %s", types.FormatText(c.v, c.of, nil), got, c.want)
		}
	}
	if !Value(types.Null, classes, next).IsNull() {
		t.Error("NULL became something")
	}
	if text := types.FormatText(list, classes, nil); text != "{20000,NULL,7}" {
		t.Errorf("the array became %s itself", text)
	}
}
