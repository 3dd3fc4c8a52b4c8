package bind

import (
	"slices"

	"zproxy/catalog"
	"zproxy/types"
)

// A text that is stored goes on to mean the same attributes of composite types, whatever they are called later and
// whichever are added and dropped. It notes those whose fields it takes by the number of the type of the rows, and all
// that there are when it has a row of the type written out by that of the arrays of them.

// FieldNames are the names of the fields of rows of a type, as the text that is read knows them.
func (c *Constants) FieldNames(t types.T) []string {
	names := t.Def.Names
	for _, k := range c.remembered(t.OID) {
		if i := t.Def.Field(k.ID); i >= 0 && names[i] != k.Text {
			names = slices.Clone(names)
			names[i] = k.Text
		}
	}
	return names
}

// noteField notes a field that a stored text takes of rows of a type.
func (c *Constants) noteField(t types.T, field int) {
	if c.noting != nil && t.OID.IsRow() && t.Def != nil {
		note(c.noting, catalog.Named{Type: t.OID, Text: t.Def.Names[field], ID: t.Def.Number(field)})
	}
}

// asWritten is a type with the attributes that it had when the text was written that is read.
func (c *Constants) asWritten(t types.T) types.T {
	if element, array := types.ElementOf(t); array && !t.IsDomain() {
		t.Def = c.asWritten(element).Def
		return t
	}
	if !t.OID.IsRow() || t.Def == nil || t.IsDomain() {
		return t
	}
	now, all := t.Def, c.WrittenOut(t)
	then := &types.Definition{Name: now.Name}
	var numbers []uint32
	same := len(all) == len(now.Types)
	for i, k := range all {
		numbers = append(numbers, k.ID)
		then.Names, then.Types = append(then.Names, k.Text), append(then.Types, types.Text)
		at := now.Field(k.ID)
		if at >= 0 {
			then.Types[i] = c.asWritten(now.Types[at])
		}
		same = same && at == i && then.Types[i].Def == now.Types[i].Def
	}
	if !same {
		then.SetNumbers(numbers)
		t.Def = then
	}
	return t
}

// WrittenOut are the attributes that a row of a type has which the text has written out. They are noted if it is to be
// stored.
func (c *Constants) WrittenOut(t types.T) []catalog.Named {
	relation, _ := t.OID.Relation()
	_, array := types.RowOID(relation)
	if known := c.remembered(array); known != nil {
		return known
	}
	out := make([]catalog.Named, len(t.Def.Types))
	for i, name := range t.Def.Names {
		out[i] = catalog.Named{Type: array, Text: name, ID: t.Def.Number(i)}
		if c.noting != nil {
			note(c.noting, out[i])
		}
	}
	return out
}

// remembered is what the text that is read has noted of a type.
func (c *Constants) remembered(of types.OID) (out []catalog.Named) {
	if c.Literals == nil {
		return nil
	}
	if known, ok := c.Literals.Names.(*catalog.Remembered); ok {
		for _, k := range known.Known {
			if k.Type == of {
				out = append(out, k)
			}
		}
	}
	return out
}
