package ddl

import (
	"zproxy/catalog"
)

// members are the objects of a schema.
func (d *drop) members(schema string) []catalog.Object {
	var out []catalog.Object
	out = appendMembers(out, d.snap.Tables(), schema)
	out = appendMembers(out, d.snap.Views(), schema)
	out = appendMembers(out, d.snap.Sequences(), schema)
	out = appendMembers(out, d.snap.Statistics(0), schema)
	out = appendMembers(out, d.snap.ExtensionsIn(schema), schema)
	out = appendMembers(out, d.snap.Functions(), schema)
	out = appendMembers(out, d.snap.Plains(""), schema)
	return appendMembers(out, d.snap.Types(), schema)
}

// appendMembers appends the objects of one kind that are in a schema.
func appendMembers[O interface {
	catalog.Object
	catalog.Relation
}](out []catalog.Object, all []O, schema string) []catalog.Object {
	for _, o := range all {
		if o.Ref().Schema == schema {
			out = append(out, o)
		}
	}
	return out
}
