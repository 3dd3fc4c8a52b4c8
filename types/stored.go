package types

import "slices"

// Stores keep a row as the list of all attributes that its type ever had, by their numbers. So rows stay as they are
// when an attribute is added, which they have not, or goes, which they still have.

// Labelled is a value from a store, which knows only the keys of labels, with the labels of its type, rows with the
// fields that these have now, and texts with the order of their collation.
func (t T) Labelled(v Value) Value {
	if t.Collation.Order != 0 {
		return t.Collate(v)
	}
	if t.Def == nil {
		return v
	}
	switch v.kind {
	case KindRecord:
		return t.ofFields(v)
	case KindEnum:
		if t.Def.Labels == nil {
			return v
		}
		if found, ok := t.Def.Labels.byKey[v.Text()]; ok {
			return found
		}
	case KindRange:
		return t.eachBound(v, T.Labelled)
	case KindArray:
		return t.eachItem(v, T.Labelled)
	}
	return v
}

// Stored is a value as stores keep it: its rows have a field for each attribute that their type ever had.
func (t T) Stored(v Value) Value {
	switch {
	case t.Def == nil || !t.Def.gaps():
		return v
	case v.kind == KindRecord && t.IsComposite():
		return t.withGaps(v)
	case v.kind == KindRange:
		return t.eachBound(v, T.Stored)
	case v.kind == KindArray:
		return t.eachItem(v, T.Stored)
	}
	return v
}

func (t T) eachItem(v Value, of func(T, Value) Value) Value {
	a := *v.Array()
	element, _ := ElementOf(t)
	a.Items = make([]Value, len(a.Items))
	for i, item := range v.Array().Items {
		a.Items[i] = of(element, item)
	}
	return NewArray(&a)
}

func (t T) eachBound(v Value, of func(T, Value) Value) Value {
	r := t.Range()
	if r == nil {
		return v
	}
	out := *v.Range()
	out.Ranges = slices.Clone(out.Ranges)
	for i := range out.Ranges {
		lower, upper := &out.Ranges[i].Lower, &out.Ranges[i].Upper
		lower.Value, upper.Value = of(r.Subtype, lower.Value), of(r.Subtype, upper.Value)
	}
	return NewRange(&out)
}

// ofFields is a row from a store as one of the type.
func (t T) ofFields(v Value) Value {
	if !t.IsComposite() {
		return v
	}
	from := v.Record()
	r := t.Def.record()
	for i, of := range r.Types {
		if at := numbered(from.Numbers, len(from.Values), t.Def.Number(i)); at >= 0 {
			r.Values[i] = of.Labelled(from.Values[at])
		}
	}
	return NewRecord(r)
}

// withGaps is a row of the type as stores keep it.
func (t T) withGaps(v Value) Value {
	from := v.Record()
	fields := len(t.Def.Types)
	if fields == 0 {
		return v
	}
	width := int(t.Def.Number(fields - 1))
	r := &RecordValue{Names: make([]string, width), Types: make([]T, width), Values: make([]Value, width)}
	for i := range r.Types {
		r.Types[i] = Text
	}
	for i := range min(fields, len(from.Values)) {
		at := t.Def.Number(i) - 1
		r.Names[at], r.Types[at] = t.Def.Names[i], t.Def.Types[i]
		r.Values[at] = t.Def.Types[i].Stored(from.Values[i])
	}
	return NewRecord(r)
}

// record is a row of NULLs.
func (d *Definition) record() *RecordValue {
	return &RecordValue{Names: d.Names, Types: d.Types, Numbers: d.Numbers, Values: make([]Value, len(d.Types))}
}

// Number is that of the attribute of a field, from 1.
func (d *Definition) Number(field int) uint32 {
	if d.Numbers == nil {
		return uint32(field + 1)
	}
	return d.Numbers[field]
}

// gaps says whether rows of the type, or rows in them, lack attributes that the type had.
func (d *Definition) gaps() bool {
	if d.Numbers != nil {
		return true
	}
	if d.Range != nil {
		below := d.Range.Subtype.Def
		return below != nil && below.gaps()
	}
	for _, t := range d.Types {
		if t.Def != nil && t.Def != d && t.Def.gaps() {
			return true
		}
	}
	return false
}

// Field finds a field by the number of its attribute, -1 when there is none.
func (d *Definition) Field(number uint32) int {
	return numbered(d.Numbers, len(d.Types), number)
}

// SetNumbers gives a definition the attribute numbers of its fields, which it keeps only if some are left out.
func (d *Definition) SetNumbers(numbers []uint32) {
	d.Numbers = nil
	for i, n := range numbers {
		if n != uint32(i+1) {
			d.Numbers = numbers
			return
		}
	}
}

// numbered finds an attribute by its number among those of some numbers, -1 when there is none.
func numbered(numbers []uint32, count int, number uint32) int {
	if numbers != nil {
		return slices.Index(numbers, number)
	}
	if number == 0 || int(number) > count {
		return -1
	}
	return int(number) - 1
}
