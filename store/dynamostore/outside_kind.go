package dynamostore

import (
	"slices"
	"strconv"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
	"zproxy/types"
)

// A table of another program may hold items of several kinds, of which a space has one: its keys are texts that are
// made in one way, and attributes say of what kind an item is.

// textOf is the text of an attribute, if there is one.
func textOf(a *store.Attribute, from item) (string, bool) {
	if a.Text == nil {
		return "", false
	}
	s, ok := from[a.Name].(*ddb.AttributeValueMemberS)
	if !ok {
		return "", false
	}
	return s.Value, true
}

// keyOfRow are the attributes of the key of the table itself.
func keyOfRow(o *store.Outside) []store.Attribute {
	if o.Row != nil {
		return o.Row
	}
	return slices.Concat(o.Partition, o.Sort)
}

// ofKind says whether an item is of the kind that a space has.
func ofKind(s *store.Space, from item) bool {
	o := s.Outside
	for _, list := range [][]store.Attribute{o.Partition, o.Sort, o.Row} {
		for i := range list {
			a := &list[i]
			if a.Text == nil {
				continue
			}
			text, there := textOf(a, from)
			if !there || !a.Text.Read(text, make(types.Row, len(s.Columns))) {
				return false
			}
		}
	}
	for i := range o.Others {
		a := &o.Others[i]
		if a.Text != nil {
			continue
		}
		if is, there := from[a.Name]; !there || !sameDocument(is, fixedValue(a)) {
			return false
		}
	}
	return true
}

// fixedValue is what an attribute has in all items of a space.
func fixedValue(a *store.Attribute) ddb.AttributeValue {
	switch a.Value.Kind() {
	case types.KindBool:
		return &ddb.AttributeValueMemberBOOL{Value: a.Value.Bool()}
	case types.KindNumeric:
		text, _ := numberText(a.Value.Numeric())
		return &ddb.AttributeValueMemberN{Value: text}
	}
	return &ddb.AttributeValueMemberS{Value: a.Value.Text()}
}

// readTexts finds the values of columns that texts have: those of the key of the table always, of others where the
// column has no attribute.
func readTexts(s *store.Space, from item, row types.Row) {
	o := s.Outside
	read := func(a *store.Attribute, always bool) {
		text, there := textOf(a, from)
		if !there {
			return
		}
		found := make(types.Row, len(s.Columns))
		if !a.Text.Read(text, found) {
			return
		}
		for _, c := range a.Text.Columns() {
			if always || s.Columns[c].Name == "" {
				row[c] = found[c]
			}
		}
	}
	others := slices.Concat(o.Others, o.Partition, o.Sort)
	for i := range others {
		read(&others[i], false)
	}
	key := keyOfRow(o)
	for i := range key {
		read(&key[i], true)
	}
}

// hasTexts says whether attributes are made from columns.
func hasTexts(o *store.Outside) bool {
	for _, list := range [][]store.Attribute{o.Partition, o.Sort, o.Row, o.Others} {
		if slices.ContainsFunc(list, func(a store.Attribute) bool { return a.Text != nil }) {
			return true
		}
	}
	return false
}

// writeOthers makes the attributes of an item that are no columns. before is the row as it was, nil for a new item: a
// text stays as it is where none of its columns changes.
func writeOthers(s *store.Space, row, before types.Row, out item) error {
	for i := range s.Outside.Others {
		a := &s.Outside.Others[i]
		if a.Text == nil {
			if _, there := out[a.Name]; !there {
				out[a.Name] = fixedValue(a)
			}
			continue
		}
		v, err := a.Text.Write(row)
		if err != nil {
			return err
		}
		if before != nil {
			if old, err := a.Text.Write(before); err == nil && types.Identical(old, v) {
				continue
			}
		}
		if v.IsNull() {
			delete(out, a.Name)
			continue
		}
		out[a.Name] = &ddb.AttributeValueMemberS{Value: v.Text()}
	}
	return nil
}

// addKind adds to a filter what items of the space have. Attributes of a key must not be in the filter of a Query.
func (f *filter) addKind(s *store.Space, clauses []string) []string {
	o := s.Outside
	if o == nil {
		return clauses
	}
	for i := range o.Others {
		a := &o.Others[i]
		inKey := func(k store.Attribute) bool { return k.Name == a.Name }
		if a.Text != nil || slices.ContainsFunc(o.Partition, inKey) || slices.ContainsFunc(o.Sort, inKey) {
			continue
		}
		name, value := "#w"+strconv.Itoa(i), ":w"+strconv.Itoa(i)
		f.names[name], f.values[value] = a.Name, fixedValue(a)
		clauses = append(clauses, name+" = "+value)
	}
	return clauses
}
