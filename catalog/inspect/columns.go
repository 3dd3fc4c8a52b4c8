package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/store/sample"
	"zproxy/types"
)

// kind makes a kind of a group. It says false if too few of the items fit.
func (f *inference) kind(g group) (Kind, bool) {
	b := &builder{inference: f, group: g}
	b.tableKeys()
	b.indexKeys()
	b.withoutMisfits()
	if len(b.items) == 0 {
		return Kind{}, false
	}
	b.matchAttributes()
	b.keyColumns()
	b.attributeColumns()
	k := Kind{Items: len(b.items), Columns: b.columns, Name: b.name(), of: b.items}
	if b.value != nil {
		k.When = &Condition{f.discriminator, *b.value}
	}
	k.Templates = b.templates()
	k.Notes = b.notes
	return k, true
}

// withoutMisfits takes items out in whose keys a value is not of the type of its piece.
func (b *builder) withoutMisfits() {
	for k := range b.keys {
		for _, s := range b.keys[k].segments {
			if s.isLiteral() {
				continue
			}
			var bad []int
			for _, i := range b.items {
				_, there := b.all[i][b.keys[k].attribute]
				text, ok := s.values[i]
				if there && (!ok || !fits(text, s.typ, s.width) || text == "") {
					bad = append(bad, i)
				}
			}
			b.without(bad, b.keys[k].attribute+" is not like that of other items of its kind")
		}
	}
}

// attributeOf is the attribute that always has the value of a piece, empty if there is none. One whose name goes with
// the label of the piece is preferred, and is needed where all values are the same.
func (b *builder) attributeOf(s *segment) string {
	names := map[string]bool{}
	for i := range s.values {
		for name := range b.all[i] {
			names[name] = true
		}
	}
	best, bestRank, different := "", 0, s.distinct()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if name == b.discriminator || b.isKey(name) || !b.equal(s, name) {
			continue
		}
		rank := 1
		if s.label != "" && strings.HasPrefix(plain(name), plain(s.label)) {
			rank = 3
		} else if s.label != "" && strings.Contains(plain(name), plain(s.label)) {
			rank = 2
		}
		if !different && rank < 3 {
			continue
		}
		if rank > bestRank {
			best, bestRank = name, rank
		}
	}
	return best
}

// equal says whether nearly all items with a piece have an attribute of the same value.
func (b *builder) equal(s *segment, name string) bool {
	there, equal := 0, 0
	for i, text := range s.values {
		v, ok := b.all[i][name]
		if !ok {
			continue
		}
		there++
		if v.Type == sample.String && v.Text == text ||
			v.Type == sample.Number && numeral.MatchString(text) && number(text) == v.Text {
			equal++
		}
	}
	return float64(there) >= leastThere*float64(len(s.values)) && there > 0 &&
		float64(equal) >= leastEqual*float64(there)
}

// matchAttributes finds for each value in a key the attribute that has it, too.
func (b *builder) matchAttributes() {
	for k := range b.keys {
		for i := range b.keys[k].segments {
			s := &b.keys[k].segments[i]
			if s.isLiteral() {
				continue
			}
			if s.name = b.attributeOf(s); s.name == "" {
				s.name = b.wholeKey(k, s)
			}
			// A string attribute is no number, whatever its text is.
			if t, _ := b.typeOf(s.name); s.name != "" && t == sample.String && s.typ.Kind() == types.KindInt {
				s.typ, s.width = types.Text, 0
			}
		}
	}
}

// wholeKey is the key of the table that is a value of its own, and equal to a piece of another key.
func (b *builder) wholeKey(k int, s *segment) string {
	for at := range b.keys {
		key := &b.keys[at]
		if at != k && key.plain() && !key.index && key.segments[0].name == "" && key.segments[0].same(s) {
			return key.attribute
		}
	}
	return ""
}

// keyColumns makes the columns of values in keys. Values that are always equal are one column.
func (b *builder) keyColumns() {
	var all []*segment
	for k := range b.keys {
		key := &b.keys[k]
		for i := range key.segments {
			if s := &key.segments[i]; !s.isLiteral() {
				s.column, s.key = -1, key.attribute
				for _, t := range all {
					if t.name == s.name && (s.name != "" || t.same(s)) {
						s.column = t.column
						break
					}
				}
				if s.column < 0 {
					s.column = len(b.columns)
					b.columns = append(b.columns, Column{Type: s.typ, Attribute: s.name, keyed: true})
				}
				all = append(all, s)
			}
		}
	}
	b.dropPlain()
	b.nameColumns(all)
}

// dropPlain makes ordinary columns of keys that are one value which is found in no other key or attribute.
func (b *builder) dropPlain() {
	uses := map[int]int{}
	for _, key := range b.keys {
		for _, s := range key.segments {
			if !s.isLiteral() {
				uses[s.column]++
			}
		}
	}
	for k := range b.keys {
		if !b.keys[k].plain() {
			continue
		}
		s := &b.keys[k].segments[0]
		if c := &b.columns[s.column]; c.Attribute == "" && (uses[s.column] == 1 || !b.keys[k].index) {
			c.Attribute, c.Type, c.keyed = b.keys[k].attribute, types.Text, uses[s.column] > 1
		}
	}
}

// nameColumns names columns by their attributes, and others by the labels before them.
func (b *builder) nameColumns(all []*segment) {
	taken := map[string]bool{}
	for _, i := range b.items {
		for name := range b.all[i] {
			taken[name] = true
		}
	}
	for i := range b.columns {
		b.columns[i].Name = cut(b.columns[i].Attribute)
	}
	for _, s := range all {
		c := &b.columns[s.column]
		if c.Name != "" {
			continue
		}
		base := snake(s.label)
		if base == "" {
			base = cmp.Or(snake(s.key), "value")
		}
		if base[0] >= '0' && base[0] <= '9' {
			base = "_" + base
		}
		switch {
		case s.nth == 0 && !taken[base] && !reserved(base):
			c.Name = base
		case s.nth == 0:
			c.Name = base + "_id"
		case c.Type.OID == types.OIDDate:
			c.Name = base + "_day"
		case c.Type.Kind() == types.KindInt:
			c.Name = base + "_no"
		default:
			c.Name = fmt.Sprintf("%s_%d", base, s.nth+1)
		}
		for n := s.nth + 2; taken[c.Name]; n++ {
			c.Name = fmt.Sprintf("%s_%d", base, n)
		}
		taken[c.Name] = true
	}
}

// reserved says whether a name is a keyword that would need quotes.
func reserved(name string) bool { return expr.QuoteIdent(name) != name }

// cut is a name that is not too long.
func cut(name string) string {
	const longest = 63
	if len(name) <= longest {
		return name
	}
	return strings.ToValidUTF8(name[:longest], "")
}

// attributeColumns makes the columns of attributes that are in no key.
func (b *builder) attributeColumns() {
	names, done := map[string]bool{}, map[string]bool{}
	for _, i := range b.items {
		for name := range b.all[i] {
			names[name] = true
		}
	}
	if b.value != nil {
		done[b.discriminator] = true
	}
	for _, key := range b.keys {
		done[key.attribute] = true // a column of its own, or a template
	}
	for _, c := range b.columns {
		done[c.Attribute] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if done[name] {
			continue
		}
		t, others := b.typeOf(name)
		c := Column{Name: cut(name), Attribute: name, Type: sqlType(t)}
		if t == sample.StringSet || t == sample.NumberSet || t == sample.BinarySet {
			c.Set = t
		}
		if others > 0 {
			b.notes = append(b.notes, fmt.Sprintf("%s of %s has another type than %s, which the column shows as NULL",
				name, counted(others, "item", "items"), t))
		}
		b.columns = append(b.columns, c)
	}
}

// typeOf is the type that an attribute has most often in the items of the kind, and how many have another one.
func (b *builder) typeOf(name string) (t sample.Type, others int) {
	var all []sample.Type
	for _, i := range b.items {
		if v, ok := b.all[i][name]; ok && v.Type != sample.Null {
			all = append(all, v.Type)
		}
	}
	if len(all) == 0 {
		return sample.String, 0
	}
	t, n := most(all)
	return t, len(all) - n
}

// sqlType is the type of a column for an attribute, as IMPORT FOREIGN SCHEMA has it.
func sqlType(t sample.Type) types.T {
	array := func(of types.T) types.T {
		t, _ := types.ArrayOf(of)
		return t
	}
	switch t {
	case sample.Number:
		return types.Numeric
	case sample.Bool:
		return types.Bool
	case sample.Binary:
		return types.Bytea
	case sample.Map, sample.List:
		return types.JSONB
	case sample.StringSet:
		return array(types.Text)
	case sample.NumberSet:
		return array(types.Numeric)
	case sample.BinarySet:
		return array(types.Bytea)
	}
	return types.Text
}
