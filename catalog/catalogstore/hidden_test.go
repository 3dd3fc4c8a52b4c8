package catalogstore

import (
	"reflect"
	"strings"
	"testing"

	"zproxy/catalog"
)

// TestNothingIsHidden holds that no field of a descriptor has the name of one of a struct that is embedded in it: the
// catalog would not keep the other one.
func TestNothingIsHidden(t *testing.T) {
	kept := func(f reflect.StructField) string {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			return f.Name
		}
		return name
	}
	var names func(of reflect.Type, seen map[string]string)
	names = func(of reflect.Type, seen map[string]string) {
		for i := range of.NumField() {
			switch f := of.Field(i); {
			case f.Tag.Get("json") == "-":
			case f.Anonymous && f.Type.Kind() == reflect.Struct:
				names(f.Type, seen)
			case f.IsExported():
				if other, there := seen[kept(f)]; there {
					t.Errorf("%s.%s and %s are kept under one name", of, f.Name, other)
				}
				seen[kept(f)] = of.String() + "." + f.Name
			}
		}
	}
	for _, o := range []any{storedTable{}, catalog.Table{}, catalog.Column{}, catalog.Index{}, catalog.View{},
		catalog.Sequence{}, catalog.Statistics{}, catalog.Extension{}, catalog.Function{}, catalog.Type{}, catalog.Plain{},
		catalog.Schema{}, catalog.Role{}, catalog.Database{}, catalog.Trigger{}, catalog.Condition{}, catalog.Check{}} {
		names(reflect.TypeOf(o), map[string]string{})
	}
}
