package inspect

import (
	"slices"
	"strings"

	"zproxy/store/sample"
	"zproxy/types"
)

// builder makes a kind of a group.
type builder struct {
	*inference
	group
	keys    []keyText
	columns []Column
	notes   []string
}

// without takes items out of the group that do not fit, and lists them.
func (b *builder) without(bad []int, why string) {
	if len(bad) == 0 {
		return
	}
	b.reject(bad, why)
	b.items = slices.DeleteFunc(slices.Clone(b.items), func(i int) bool { return slices.Contains(bad, i) })
	for k := range b.keys {
		for s := range b.keys[k].segments {
			for _, i := range bad {
				delete(b.keys[k].segments[s].values, i)
			}
		}
	}
}

// tableKeys divides the keys of the table by the slots of the group.
func (b *builder) tableKeys() {
	for k, name := range b.inference.keys {
		var list []segment
		before := ""
		for at, s := range b.slots {
			if s.key != k {
				continue
			}
			if s.at > 0 {
				list = append(list, segment{literal: b.separator})
			}
			values := map[int]string{}
			for _, i := range b.items {
				values[i] = b.token(i, b.slots[at])
			}
			one := segment{values: values}
			if b.constant(&one, before) {
				one = segment{literal: values[b.items[0]]}
				before = one.literal
			} else {
				before = ""
			}
			list = append(list, one)
		}
		b.add(name, false, list)
	}
}

// constant says whether a token of a group is a literal. Its text is that of all items then. A value that all of them
// have is none if an attribute has it, too, whose name goes with the label before it, as in TENANT#acme.
func (b *builder) constant(s *segment, before string) bool {
	if s.distinct() || len(s.values) == 0 {
		return false
	}
	for _, text := range s.values {
		if !isWord(text) {
			return false
		}
	}
	if len(s.values) < min(fewestItems, len(b.items)) {
		return false
	}
	s.label = before
	return before == "" || b.attributeOf(s) == ""
}

// indexKeys divides the keys of the indexes.
func (b *builder) indexKeys() {
	for _, name := range b.indexed {
		texts := map[int]string{}
		for _, i := range b.items {
			if v := b.all[i][name]; v.Type == sample.String {
				texts[i] = v.Text
			}
		}
		if len(texts) > 0 {
			b.indexKey(name, texts)
		}
	}
}

// indexKey divides the key of an index. Where the number of tokens varies, what stands behind the first is one value.
func (b *builder) indexKey(name string, texts map[int]string) {
	var counts []int
	var first []string
	for _, text := range texts {
		list := tokens(text, b.separator)
		counts, first = append(counts, len(list)), append(first, list[0])
	}
	n, often := most(counts)
	word, words := most(first)
	if float64(often) < leastTyped*float64(len(texts)) {
		n = 1
		if isWord(word) && word != "" && float64(words) >= leastTyped*float64(len(texts)) && slices.Min(counts) > 1 {
			n = 2
		}
	} else {
		for i, text := range texts {
			if len(tokens(text, b.separator)) != n {
				b.misfit(texts, i, name)
			}
		}
	}
	var list []segment
	before := ""
	for at := range n {
		if at > 0 {
			list = append(list, segment{literal: b.separator})
		}
		values := map[int]string{}
		for i, text := range texts {
			values[i] = nthOf(tokens(text, b.separator), at, n, b.separator)
		}
		one := b.indexToken(name, texts, values, before)
		list = append(list, one)
		before = one.literal
	}
	for at := range list {
		for i := range list[at].values {
			if _, ok := texts[i]; !ok {
				delete(list[at].values, i)
			}
		}
	}
	b.add(name, true, list)
}

// nthOf is a token of n. What is more is part of the last one.
func nthOf(list []string, at, n int, sep string) string {
	if at == n-1 {
		return strings.Join(list[at:], sep)
	}
	return list[at]
}

// misfit takes an item out whose key of an index is not like those of the others.
func (b *builder) misfit(texts map[int]string, i int, name string) {
	delete(texts, i)
	b.without([]int{i}, name+" is not like that of other items of its kind")
}

// indexToken is a token of the key of an index: a literal if nearly all items have the same word there.
func (b *builder) indexToken(name string, texts, values map[int]string, before string) segment {
	var all []string
	for _, text := range values {
		all = append(all, text)
	}
	text, n := most(all)
	alone := len(texts) == len(values) && text == texts[firstOf(values)] // the key has no other token
	if !isWord(text) || float64(n) < leastEqual*float64(len(values)) || n < fewestItems && before != "" ||
		alone && n < fewestItems {
		return segment{values: values}
	}
	one := segment{values: map[int]string{}, label: before}
	for i, value := range values {
		if value == text {
			one.values[i] = value
		}
	}
	if before != "" && b.attributeOf(&one) != "" {
		return segment{values: values}
	}
	for i, value := range values {
		if value != text {
			b.misfit(texts, i, name)
		}
	}
	return segment{literal: text}
}

// firstOf is the lowest item of some values.
func firstOf(values map[int]string) int {
	first := -1
	for i := range values {
		if first < 0 || i < first {
			first = i
		}
	}
	return first
}

// add keeps the text of a key, with the types of its values.
func (b *builder) add(name string, index bool, list []segment) {
	list = joinLiterals(list)
	labelValues(list, b.separator)
	var out []segment
	for _, s := range list {
		if s.isLiteral() {
			out = append(out, s)
			continue
		}
		s.infer()
		out = append(out, b.divided(s)...)
	}
	out = joinLiterals(out)
	b.keys = append(b.keys, keyText{attribute: name, index: index, segments: out})
}

// divided divides a value of text by another separator, if it shows values of other types then, or such that items
// have as attributes: EMP-1001, or 2024-05-01|0007.
func (b *builder) divided(s segment) []segment {
	if s.typ.OID != types.OIDText || b.attributeOf(&s) != "" ||
		s.share(timestamp.MatchString) > 1-leastTyped {
		return []segment{s}
	}
	for _, sep := range strings.Split(separators, "") {
		var counts []int
		for _, text := range s.values {
			counts = append(counts, strings.Count(text, sep))
		}
		n, often := most(counts)
		if n == 0 || sep == b.separator || float64(often) < leastTyped*float64(len(s.values)) {
			continue
		}
		if list, ok := b.dividedBy(s, sep, n+1); ok {
			return list
		}
	}
	return []segment{s}
}

// dividedBy divides a value into n, and says whether that shows more than one text does.
func (b *builder) dividedBy(s segment, sep string, n int) (list []segment, ok bool) {
	evidence, texts := false, false
	for at := range n {
		if at > 0 {
			list = append(list, segment{literal: sep})
		}
		one := segment{values: map[int]string{}}
		for i, text := range s.values {
			if parts := strings.Split(text, sep); len(parts) == n {
				one.values[i] = parts[at]
			}
		}
		one.infer()
		numbers := one.typ.Kind() == types.KindInt
		switch {
		case b.constant(&one, ""):
			one = segment{literal: one.values[firstOf(one.values)]}
			evidence = evidence || at == 0 && n == 2
		case b.attributeOf(&one) != "", one.typ.OID != types.OIDText && (!numbers || one.width > 0):
			evidence = true
		case !numbers:
			texts = true
		}
		list = append(list, one)
	}
	list = joinLiterals(list)
	labelValues(list, sep)
	for i := range list {
		if list[i].label == "" {
			list[i].label, list[i].nth = s.label, list[i].nth+s.nth
		}
	}
	hasNumber := slices.ContainsFunc(list, func(one segment) bool {
		return !one.isLiteral() && one.typ.OID != types.OIDText || !one.isLiteral() && b.attributeOf(&one) != ""
	})
	return list, evidence && hasNumber && (strong(sep) || !texts)
}
