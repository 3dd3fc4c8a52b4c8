// Package renumber gives the objects of a database other numbers, so that a copy of them can be those of another
// database of the store: numbers are of one object in the whole store, but for those that each database has from the
// beginning. It goes through all fields of the descriptors, and knows from one list which of them hold numbers.
//
// Read `Apply` first, then the list in fields.go. Which numbers are free is the caller's matter.
package renumber

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/interleave"
	"zproxy/catalog/part"
	"zproxy/types"
)

// first is the least number that a database does not have from the beginning.
const first = 16384

// Held are the numbers that some objects have and name, ascending, but for those that are kept: of what all databases
// share.
func Held(objects []catalog.Object, kept func(number uint64) bool) []uint64 {
	held := map[uint64]bool{}
	w := walker{func(n uint64) uint64 {
		if n >= first && !kept(n) {
			held[n] = true
		}
		return n
	}}
	for _, o := range objects {
		w.object(o)
	}
	return slices.Sorted(maps.Keys(held))
}

// Apply gives objects, which nothing else has yet, other numbers. Those that next does not have stay.
func Apply(objects []catalog.Object, next map[uint64]uint64) {
	w := replacing(next)
	for _, o := range objects {
		w.object(o)
	}
}

// replacing puts the numbers of next in the place of others.
func replacing(next map[uint64]uint64) walker {
	return walker{func(n uint64) uint64 {
		if to, ok := next[n]; ok {
			return to
		}
		return n
	}}
}

// walker goes through descriptors, and puts another number in the place of each.
type walker struct{ of func(number uint64) uint64 }

func (w walker) object(o catalog.Object) {
	w.value(reflect.ValueOf(o), false)
	if t, ok := o.(*catalog.Table); ok {
		w.value(reflect.ValueOf(&t.Stats), false)
	}
}

// value goes through a value, of which the integers are numbers or are not.
func (w walker) value(v reflect.Value, numbers bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			w.value(v.Elem(), numbers)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			w.value(v.Index(i), numbers)
		}
	case reflect.Map:
		w.entries(v, numbers)
	case reflect.Struct:
		w.structure(v, numbers)
	case reflect.Uint32, reflect.Uint64:
		if oid, ok := reflect.TypeAssert[types.OID](v); ok {
			v.SetUint(uint64(w.typeOID(oid)))
		} else if numbers {
			v.SetUint(w.of(v.Uint()))
		}
	}
}

// entries goes through a map, of which only the keys may be numbers.
func (w walker) entries(v reflect.Value, numbers bool) {
	if v.Len() == 0 {
		return
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for it := v.MapRange(); it.Next(); {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.Set(it.Key())
		value.Set(it.Value())
		w.value(key, numbers)
		w.value(value, false)
		out.SetMapIndex(key, value)
	}
	v.Set(out)
}

// structure goes through a struct. What a Bound is of, the field says that has it.
func (w walker) structure(v reflect.Value, numbers bool) {
	before := uint64(0)
	switch s := v.Addr().Interface().(type) {
	case *catalog.Bound:
		if numbers {
			s.ID = uint32(w.of(uint64(s.ID)))
		}
		return
	case *catalog.Space:
		before = s.ID
	case *interleave.In:
		before = s.HostID
	}
	w.fields(v)
	switch s := v.Addr().Interface().(type) {
	case *catalog.Space:
		s.Name = spaceName(s.Name, before, s.ID)
	case *interleave.In:
		s.HostName = spaceName(s.HostName, before, s.HostID)
	case *catalog.Layout:
		w.markers(s)
	}
}

// fields goes through the fields of a struct that the catalog keeps.
func (w walker) fields(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case f.Tag.Get("json") == "-":
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			w.fields(v.Field(i))
		case f.IsExported():
			w.value(v.Field(i), numbered[v.Type().String()+"."+f.Name])
		}
	}
}

// spaceName is the name of a space, as catalog.NewSpace makes it, with its number at the end.
func spaceName(name string, before, now uint64) string {
	if stem, ok := strings.CutSuffix(name, "."+strconv.FormatUint(before, 10)); ok {
		return stem + "." + strconv.FormatUint(now, 10)
	}
	return name
}

// markers are the parts of the keys of what is interleaved that tell its space: its number as a text.
func (w walker) markers(l *catalog.Layout) {
	for i := range l.Sort {
		p := &l.Sort[i]
		if p.Kind != part.Literal {
			continue
		}
		if n, err := strconv.ParseUint(p.Text, 10, 64); err == nil {
			p.Text = strconv.FormatUint(w.of(n), 10)
		}
	}
}

// typeOID is the OID of a type that is made of the number of an object.
func (w walker) typeOID(oid types.OID) types.OID {
	with := func(number uint32, array bool, of func(uint32) (one, array types.OID)) types.OID {
		one, several := of(uint32(w.of(uint64(number))))
		if array {
			return several
		}
		return one
	}
	if n, array := oid.Enum(); n != 0 {
		return with(n, array, types.EnumOID)
	}
	if n, array := oid.Domain(); n != 0 {
		return with(n, array, types.DomainOID)
	}
	if n, array := oid.Relation(); n != 0 {
		return with(n, array, types.RowOID)
	}
	switch n, multi, array := oid.UserRange(); {
	case n != 0 && multi:
		return with(n, array, types.MultirangeOID)
	case n != 0:
		return with(n, array, types.RangeOID)
	}
	return oid
}
