package inspect

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog/part"
	"zproxy/expr"
	"zproxy/types"
)

// columnTable shows the columns of a kind to the code that reads and checks templates. IDs count from 1.
type columnTable []Column

func (t columnTable) Source(id uint32) part.Source {
	return part.Source{ID: id, Ordinal: int(id) - 1, Name: t[id-1].Name, Type: t[id-1].Type}
}

func (columnTable) KeyBytes(uint32) float64 { return 0 }

// templates writes the templates of the keys. A key whose template would not tell its columns becomes a column.
func (b *builder) templates() (out []Template) {
	for k := range b.keys {
		key := &b.keys[k]
		if key.plain() && b.columns[key.segments[0].column].Attribute == key.attribute {
			continue
		}
		text, err := b.template(key)
		if err != nil {
			b.notes = append(b.notes, fmt.Sprintf("%s has no template: %v", key.attribute, err))
			b.columns = append(b.columns, Column{Name: cut(key.attribute), Attribute: key.attribute, Type: types.Text})
			continue
		}
		out = append(out, Template{key.attribute, text})
	}
	return out
}

// template writes a template, and reads it back as zproxy does when the table is created.
func (b *builder) template(key *keyText) (string, error) {
	text := part.Part{Kind: part.Text}
	holes := false
	for _, s := range key.segments {
		if s.isLiteral() {
			text.Pieces = append(text.Pieces, part.Part{Kind: part.Literal, Text: s.literal})
			continue
		}
		holes = true
		p := part.Part{Column: uint32(s.column) + 1}
		if b.columns[s.column].Type.Kind() == types.KindInt {
			p.Width = s.width
		}
		text.Pieces = append(text.Pieces, p)
	}
	table := columnTable(b.columns)
	written := text.Template(table)
	if !holes {
		return written, nil
	}
	r := part.Template{Text: written, Table: table, Column: func(name string) (part.Source, bool) {
		at := slices.IndexFunc(b.columns, func(c Column) bool { return c.Name == name })
		if at < 0 {
			return part.Source{}, false
		}
		return table.Source(uint32(at) + 1), true
	}}
	read, err := r.Read()
	if err != nil {
		return "", err
	}
	return written, r.Check(read)
}

// name is the name of a kind: the value that tells it, or the words in its keys.
func (b *builder) name() string {
	if b.value != nil {
		if name := snake(b.value.Text); name != "" && (name[0] < '0' || name[0] > '9') {
			return name
		}
	}
	var words []string
	for _, key := range b.keys {
		if key.index {
			continue
		}
		for _, s := range key.segments {
			if w := snake(s.literal); s.isLiteral() && w != "" && !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	if len(words) == 0 {
		words = []string{snake(b.table.Name)}
	}
	if b.value != nil {
		words = append(words, snake(b.value.Text))
	}
	return strings.Join(words, "_")
}

// nameTables makes names of tables that differ and need no quotes.
func nameTables(f *Found) {
	taken := map[string]bool{}
	for i := range f.Kinds {
		name := f.Kinds[i].Name
		if name == "" || name[0] >= '0' && name[0] <= '9' {
			name = "t" + name
		}
		if expr.QuoteIdent(name) != name {
			name += "s"
		}
		unique := name
		for n := 2; taken[unique]; n++ {
			unique = fmt.Sprintf("%s_%d", name, n)
		}
		taken[unique] = true
		f.Kinds[i].Name = unique
	}
}

// counted is a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(int64(n)) + " " + many
}
