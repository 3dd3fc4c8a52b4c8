package inspect

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// separators are the characters that key texts are joined by, the usual ones first.
const separators = "#|~/:_-."

// strong says whether a character is in use as a separator and hardly anything else. Others also stand in names,
// dates and addresses.
func strong(sep string) bool { return sep == "#" || sep == "|" }

var word = regexp.MustCompile(`^[A-Za-z][A-Za-z_.-]*$`)

// longestWord is how many letters a label of a key has at most.
const longestWord = 30

// isWord says whether a token could be a label. Tokens with digits are values.
func isWord(token string) bool {
	return token == "" || len(token) <= longestWord && word.MatchString(token)
}

// frequent is how often a word must begin the keys of a table to be a label of them.
func frequent(texts int) int { return max(3, texts/100) }

// findSeparator is the character by which the key texts of a table are joined, empty if there is none. It stands behind
// words that begin many of the texts.
func (f *inference) findSeparator(texts []string) string {
	best, bestShare := "", 0.2
	for _, sep := range strings.Split(separators, "") {
		if !strong(sep) && !f.labelsBefore(sep) {
			continue
		}
		first := map[string]int{}
		for _, text := range texts {
			if token, _, ok := strings.Cut(text, sep); ok && isWord(token) {
				first[token]++
			}
		}
		n := 0
		for _, count := range first {
			if count >= frequent(len(texts)) {
				n += count
			}
		}
		// A later separator must be much better: ORDER_LINE#1 has two.
		if share := float64(n) / float64(max(len(texts), 1)); share > bestShare*1.2 || best == "" && share > bestShare {
			best, bestShare = sep, share
		}
	}
	return best
}

// labelsBefore says whether nearly all texts of a key of the table begin with labels before a character that also
// stands in names and addresses: with one word, or with words whose items have different attributes.
func (f *inference) labelsBefore(sep string) bool {
	for _, name := range f.keys {
		words := map[string][]int{}
		for i, item := range f.all {
			if token, _, ok := strings.Cut(item[name].Text, sep); ok && isWord(token) && token != "" {
				words[token] = append(words[token], i)
			}
		}
		var all []string
		n := 0
		for _, text := range slices.Sorted(maps.Keys(words)) {
			if len(words[text]) >= frequent(len(f.all)) {
				all = append(all, text)
				n += len(words[text])
			}
		}
		if float64(n) >= leastTyped*float64(len(f.all)) && (len(all) == 1 || len(f.alike(all, words)) > 1) {
			return true
		}
	}
	return false
}

// whole are values that are not divided, though they have separators in them: uuids, and at the end of a text times and
// dates. Before another text these cannot stand whole, since a template could not tell where they end.
var whole = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|` +
	`[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$`)

// tokens divides a key text.
func tokens(text, sep string) []string {
	switch {
	case sep == "":
		return []string{text}
	case strong(sep):
		return strings.Split(text, sep)
	}
	spans := whole.FindAllStringIndex(text, -1)
	var out []string
	from, at := 0, 0
	for {
		n := strings.Index(text[at:], sep)
		if n < 0 {
			return append(out, text[from:])
		}
		n += at
		if i := slices.IndexFunc(spans, func(s []int) bool { return s[0] <= n && n < s[1] }); i >= 0 {
			at = spans[i][1]
			continue
		}
		out = append(out, text[from:n])
		from, at = n+len(sep), n+len(sep)
	}
}

// most is the value that occurs most often, the lowest of several, and how often it does.
func most[T interface{ ~string | ~int }](values []T) (best T, n int) {
	counts := map[T]int{}
	for _, v := range values {
		counts[v]++
	}
	keys := make([]T, 0, len(counts))
	for v := range counts {
		keys = append(keys, v)
	}
	slices.Sort(keys)
	for _, v := range keys {
		if counts[v] > n {
			best, n = v, counts[v]
		}
	}
	return best, n
}

// snake is a name in small letters with underscores: orderLine and ORDER-LINE become order_line.
func snake(name string) string {
	var b strings.Builder
	lower := false // the last letter was a small one or a digit
	for _, c := range name {
		switch {
		case c >= 'A' && c <= 'Z':
			if lower {
				b.WriteByte('_')
			}
			b.WriteRune(c - 'A' + 'a')
			lower = false
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
			lower = true
		default:
			b.WriteByte('_')
			lower = false
		}
	}
	return strings.Trim(regexp.MustCompile(`_+`).ReplaceAllString(b.String(), "_"), "_")
}

// plain is a name without case and separators, to compare names.
func plain(name string) string { return strings.ReplaceAll(snake(name), "_", "") }
