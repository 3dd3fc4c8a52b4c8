package inspect

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"zproxy/store/sample"
)

// What an attribute must be like that tells kinds.
const (
	leastPresent = 0.8  // of the items have it
	mostKinds    = 60   // different values
	leastPure    = 0.95 // of the items with keys of one shape have the same value
)

// usual are the names that such attributes have. Another name needs better evidence.
var usual = []string{
	"type", "entitytype", "entity", "kind", "itemtype", "typename", "objecttype", "recordtype", "model", "class", "et",
	"doctype", "entityname", "rowtype",
}

// findDiscriminator is the attribute whose values tell kinds, empty if there is none. Items whose keys have one shape
// have the same value, or else values go with other attributes of the items.
func (f *inference) findDiscriminator() string {
	counts := map[string]int{}
	for _, item := range f.all {
		for name, v := range item {
			if !f.isKey(name) && (v.Type == sample.String || f.usualName(name) && v.Type == sample.Number) {
				counts[name]++
			}
		}
	}
	shapes := make([]string, len(f.all))
	for i := range f.all {
		shapes[i] = f.roughShape(i)
	}
	best, bestRank := "", 0.0
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if float64(counts[name]) < leastPresent*float64(len(f.all)) {
			continue
		}
		rank := f.tells(name, shapes)
		if rank > 0 && f.usualName(name) {
			rank += mostKinds
		}
		if rank > bestRank {
			best, bestRank = name, rank
		}
	}
	return best
}

func (f *inference) usualName(name string) bool { return slices.Contains(usual, plain(name)) }

// roughShape is the first words of the keys of an item, and how many tokens they have.
func (f *inference) roughShape(i int) string {
	var b strings.Builder
	for _, name := range f.keys {
		list := tokens(f.all[i][name].Text, f.separator)
		first := "*"
		if len(list) > 1 && isWord(list[0]) || len(list) == 1 && list[0] == strings.ToUpper(list[0]) &&
			isWord(list[0]) {
			first = list[0]
		}
		b.WriteString(first + " " + strconv.Itoa(len(list)) + " ")
	}
	return b.String()
}

// tells is how many kinds an attribute tells, 0 if its values do not go with the kinds of items.
func (f *inference) tells(name string, shapes []string) float64 {
	byShape, byValue := map[string]map[string][]int{}, map[string]int{}
	shaped := map[string]map[string]int{}
	for i, item := range f.all {
		v, ok := item[name]
		if !ok {
			continue
		}
		if byShape[shapes[i]] == nil {
			byShape[shapes[i]] = map[string][]int{}
		}
		if shaped[v.Text] == nil {
			shaped[v.Text] = map[string]int{}
		}
		byShape[shapes[i]][v.Text] = append(byShape[shapes[i]][v.Text], i)
		byValue[v.Text]++
		shaped[v.Text][shapes[i]]++
	}
	enough := frequent(len(f.all))
	values, rare := 0, 0
	for _, n := range byValue {
		if n >= enough {
			values++
		} else {
			rare += n
		}
	}
	if values < 2 || values > mostKinds || rare > len(f.all)/20 {
		return 0
	}
	for _, of := range byShape {
		if !f.pureOrUnlike(of, enough) {
			return 0
		}
	}
	if !f.usualName(name) && !concentrated(shaped) {
		return 0
	}
	return float64(values)
}

// pureOrUnlike says whether items of one shape of keys have one value of an attribute, or whether those with different
// values have different attributes.
func (f *inference) pureOrUnlike(of map[string][]int, enough int) bool {
	n, largest := 0, 0
	var large []profile
	for _, value := range slices.Sorted(maps.Keys(of)) {
		n += len(of[value])
		largest = max(largest, len(of[value]))
		if len(of[value]) >= enough {
			large = append(large, f.profile(of[value]))
		}
	}
	if n < enough || float64(largest) >= leastPure*float64(n) {
		return true
	}
	for i := range large {
		for j := range i {
			if large[i].similar(large[j]) {
				return false
			}
		}
	}
	return len(large) > 1
}

// concentrated says whether most values come with one shape of keys, as those of an attribute that tells kinds do.
func concentrated(shaped map[string]map[string]int) bool {
	n, largest := 0, 0
	for _, shapes := range shaped {
		best := 0
		for _, count := range shapes {
			n += count
			best = max(best, count)
		}
		largest += best
	}
	return float64(largest) >= leastPure*float64(n)
}
