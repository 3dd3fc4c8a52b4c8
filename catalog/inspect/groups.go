package inspect

import (
	"maps"
	"slices"
	"strconv"

	"zproxy/store/sample"
)

// A group is items whose keys have the same words in the same tokens.
type group struct {
	items []int
	value *sample.Value // of the discriminator; nil: there is none, or the items lack it
	slots []slot
}

// slot is a token of a key of the table.
type slot struct {
	key     int // in inference.keys
	at, of  int // which token it is of how many
	literal bool
	text    string // of a literal
}

// fewestItems is how few items are a kind. Fewer that look alike may be mistakes.
const fewestItems = 3

// groups divides the items: first by the discriminator and by how many tokens their keys have, then token by token
// from the left by the words that are labels. A token that is no label may hold any value.
func (f *inference) groups() (out []group) {
	contexts := map[string]*group{}
	for i, item := range f.all {
		g := &group{}
		context := ""
		if v, ok := item[f.discriminator]; ok && f.discriminator != "" {
			g.value, context = &v, string(v.Type)+" "+v.Text
		}
		for k, name := range f.keys {
			n := len(tokens(item[name].Text, f.separator))
			context += "\x00" + strconv.Itoa(n)
			for at := range n {
				g.slots = append(g.slots, slot{key: k, at: at, of: n})
			}
		}
		if contexts[context] == nil {
			contexts[context] = g
		}
		contexts[context].items = append(contexts[context].items, i)
	}
	for _, context := range slices.Sorted(maps.Keys(contexts)) {
		out = append(out, f.divide(*contexts[context], 0)...)
	}
	return f.withoutRare(out)
}

// withoutRare leaves groups out that are too small to be a kind.
func (f *inference) withoutRare(groups []group) (out []group) {
	for _, g := range groups {
		fewest := min(fewestItems, max(len(f.all)/20, 1))
		if f.discriminator == "" {
			fewest = max(fewest, len(f.all)*3/1000)
		} else if g.value == nil {
			fewest = max(fewest, len(f.all)/50)
		}
		if len(g.items) < fewest {
			f.reject(g.items, "there are too few items like it")
			continue
		}
		out = append(out, g)
	}
	return out
}

// token is what an item has in a slot.
func (f *inference) token(i int, s slot) string {
	return tokens(f.all[i][f.keys[s.key]].Text, f.separator)[s.at]
}

// divide divides a group whose slots before one are decided.
func (f *inference) divide(g group, at int) []group {
	if at == len(g.slots) {
		return []group{g}
	}
	words := map[string][]int{}
	for _, i := range g.items {
		text := f.token(i, g.slots[at])
		words[text] = append(words[text], i)
	}
	labels := f.labels(g, at, words)
	var out []group
	var others []int
	for _, text := range slices.Sorted(maps.Keys(words)) {
		if !slices.Contains(labels, text) {
			others = append(others, words[text]...)
			continue
		}
		next := group{items: words[text], value: g.value, slots: slices.Clone(g.slots)}
		next.slots[at].literal, next.slots[at].text = true, text
		out = append(out, f.divide(next, at+1)...)
	}
	if len(others) > 0 {
		slices.Sort(others)
		next := group{items: others, value: g.value, slots: slices.Clone(g.slots)}
		out = append(out, f.divide(next, at+1)...)
	}
	return out
}

// mostLabels is how many different labels there are in one token of keys that otherwise begin alike.
const mostLabels = 15

// labels are those of the tokens in a slot that are labels rather than values.
func (f *inference) labels(g group, at int, words map[string][]int) []string {
	var all []string // words, the most frequent first
	values := 0      // items with something else
	for _, text := range slices.Sorted(maps.Keys(words)) {
		if isWord(text) {
			all = append(all, text)
		} else {
			values += len(words[text])
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return len(words[b]) - len(words[a]) })
	s := g.slots[at]
	labelled := s.at > 0 && g.slots[at-1].literal && g.slots[at-1].text != ""
	switch {
	case len(all) == 0:
		return nil
	case len(all) == 1 && values == 0 && len(g.items) > 1:
		return all
	case s.at == 0 && s.of > 1:
		return f.leadingLabels(g, at, all, words)
	case labelled || s.key == 0:
		return f.unlikeLabels(all, words, values)
	}
	return f.distinctLabels(all, words)
}

// mostUnlike is how many words behind a label may be labels themselves.
const mostUnlike = 6

// unlikeLabels are words where values are to be expected: behind a label, as in USER#PROFILE and USER#SETTINGS, and in
// partition keys, since a partition has items of several kinds. They are labels only if each of them has items of its
// own kind.
func (f *inference) unlikeLabels(all []string, words map[string][]int, values int) []string {
	if len(all) > mostUnlike || values > 0 {
		return nil
	}
	for _, text := range all {
		if len(words[text]) < fewestItems {
			return nil
		}
	}
	if slices.ContainsFunc(f.alike(all, words), func(c []string) bool { return len(c) > 1 }) {
		return nil
	}
	return all
}

// leadingLabels are words that a key begins with: labels, unless many words are there or the label stands behind them,
// as in acme#USERS.
func (f *inference) leadingLabels(g group, at int, all []string, words map[string][]int) []string {
	var often []string
	enough := max(2, len(g.items)/100)
	for _, text := range all {
		if len(words[text]) >= enough {
			often = append(often, text)
		}
	}
	if len(often) > mostLabels || f.labelBehind(g, at, often, words) {
		return nil
	}
	if strong(f.separator) {
		return often
	}
	return f.distinctLabels(often, words)
}

// labelBehind says whether different words in a slot go on with the same few words, and so do all alike.
func (f *inference) labelBehind(g group, at int, all []string, words map[string][]int) bool {
	if len(all) < 3 {
		return false
	}
	in := map[string]int{} // how many of the words go on with a next one
	for _, text := range all {
		next := map[string]bool{}
		for _, i := range words[text] {
			if token := f.token(i, g.slots[at+1]); isWord(token) {
				next[token] = true
			} else {
				return false
			}
		}
		for token := range next {
			in[token]++
		}
	}
	common := 0
	for _, n := range in {
		if 2*n > len(all) {
			common++
		}
	}
	return common > 0 && len(in) <= mostLabels && 2*common >= len(in)
}

// distinctLabels are the words whose items have other attributes than those of all other words.
func (f *inference) distinctLabels(all []string, words map[string][]int) (out []string) {
	n := 0
	for _, items := range words {
		n += len(items)
	}
	for _, cluster := range f.alike(all, words) {
		if text := cluster[0]; len(cluster) == 1 && len(words[text]) >= max(fewestItems, n/100) {
			out = append(out, text)
		}
	}
	return out
}

// alike puts words together whose items have similar attributes. Values that are no words are together, too.
func (f *inference) alike(all []string, words map[string][]int) (out [][]string) {
	var profiles []profile
	var values []int
	for text, items := range words {
		if !isWord(text) {
			values = append(values, items...)
		}
	}
	if len(values) > 0 {
		out, profiles = append(out, []string{"", ""}), append(profiles, f.profile(values))
	}
	for _, text := range all {
		p := f.profile(words[text])
		at := slices.IndexFunc(profiles, p.similar)
		if at < 0 {
			out, profiles = append(out, []string{text}), append(profiles, p)
			continue
		}
		out[at] = append(out[at], text)
	}
	return out
}
