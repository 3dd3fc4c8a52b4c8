// Package inspect infers from a sample of items how a table of another program can be used by SQL: which kinds of
// items it has, by which templates their keys are made, and which attributes they have. It does no I/O: a Sample comes
// in, and kinds with their DDL go out. What is ambiguous is decided by the majority of items, and items that fit no
// kind are listed. Read Infer first, then groups, which finds the kinds, and keyTexts, which finds the templates.
package inspect

import (
	"slices"

	"zproxy/store/sample"
	"zproxy/types"
)

// Found is what a sample shows.
type Found struct {
	Table   sample.Table
	Sampled int
	Units   float64
	Kinds   []Kind
	Unfit   []Unfit
}

// Unfit is an item that fits no kind.
type Unfit struct {
	Item sample.Item
	Why  string
}

// Kind is one kind of items.
type Kind struct {
	Name      string
	Items     int // that were sampled
	When      *Condition
	Templates []Template
	Columns   []Column
	Notes     []string // what a reader should know of values that the columns do not hold
	of        []int    // the items
}

// Condition tells items of a kind by an attribute.
type Condition struct {
	Attribute string
	Value     sample.Value
}

// Template is how the text of a key attribute is made.
type Template struct {
	Attribute string
	Text      string
}

// Column is a column of the table for a kind.
type Column struct {
	Name      string
	Type      types.T
	Attribute string      // empty: the value is only in the text of keys
	Set       sample.Type // of an attribute that is a set
	keyed     bool        // it is in the text of a key
}

// inference is an inference under way.
type inference struct {
	table         sample.Table
	all           []sample.Item
	keys          []string // the attributes of the table's key that are texts
	indexed       []string // those of indexes
	separator     string
	discriminator string // the attribute that tells kinds; empty: there is none
	unfit         map[int]string
}

// Infer finds the kinds of items of a table.
func Infer(s *sample.Sample) *Found {
	f := &inference{table: s.Table, all: s.Items, unfit: map[int]string{}}
	f.findKeys()
	f.separator = f.findSeparator(f.keyTextsOf(f.keys, f.indexed))
	f.discriminator = f.findDiscriminator()
	out := &Found{Table: s.Table, Sampled: len(s.Items), Units: s.Units}
	for _, g := range f.groups() {
		if k, ok := f.kind(g); ok {
			out.Kinds = append(out.Kinds, k)
		}
	}
	slices.SortStableFunc(out.Kinds, func(a, b Kind) int { return b.Items - a.Items })
	nameTables(out)
	for i := range f.all {
		if why, ok := f.unfit[i]; ok {
			out.Unfit = append(out.Unfit, Unfit{f.all[i], why})
		}
	}
	return out
}

// findKeys lists the key attributes that are texts, each once.
func (f *inference) findKeys() {
	add := func(to *[]string, a sample.Attribute) {
		if a.Name != "" && a.Type == sample.String && !slices.Contains(f.keys, a.Name) && !slices.Contains(*to,
			a.Name) {
			*to = append(*to, a.Name)
		}
	}
	add(&f.keys, f.table.Partition)
	add(&f.keys, f.table.Sort)
	for _, x := range f.table.Indexes {
		for _, a := range x.Keys {
			add(&f.indexed, a)
		}
	}
}

// keyTextsOf are the texts of key attributes.
func (f *inference) keyTextsOf(attributes ...[]string) (out []string) {
	for _, item := range f.all {
		for _, name := range slices.Concat(attributes...) {
			if v := item[name]; v.Type == sample.String {
				out = append(out, v.Text)
			}
		}
	}
	return out
}

// isKey says whether an attribute is a key of the table or of an index.
func (f *inference) isKey(name string) bool {
	return name == f.table.Partition.Name || name == f.table.Sort.Name || slices.Contains(f.indexed, name)
}

// reject lists items as such that fit no kind.
func (f *inference) reject(items []int, why string) {
	for _, i := range items {
		f.unfit[i] = why
	}
}
