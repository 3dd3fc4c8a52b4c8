package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// refused are words that stand for things which have names in the field, with what to say instead. A word is refused in
// identifiers and comments.
var refused = map[string]string{
	"nobody":     "the noun: no transaction, no caller",
	"somebody":   "the noun: a client, another process",
	"whoever":    "the noun: the caller that",
	"crew":       "worker pool",
	"goner":      "drop target",
	"bury":       "evict",
	"buried":     "evicted",
	"choosy":     "notice filter",
	"foreigners": "entries of other rows",
	"belated":    "deferred delete",
	"stirs":      "has side effects",
	"deed":       "operation",
	"calm":       "without faults",
	"tune":       "alter",
	"tuned":      "altered",
	"tuner":      "space alterer",
}

// refusedNames are words that a comment may use as ordinary English, and no identifier.
var refusedNames = map[string]string{
	"settled": "chosen, final",
	"settler": "plan chooser",
	"settles": "chooses",
	"door":    "login, unauthenticated",
	"spare":   "unused",
	"unseen":  "blind, unread",
	"widened": "padded",
	"unheard": "pending notices",
	"thing":   "what it is",
	"settle":  "choose, resolve",
	"hand":    "worker, emit",
	"hands":   "worker pool",
	"unsure":  "of unknown outcome",
	"beside":  "sibling, replacement, during",
	"besides": "listed",
	"apart":   "separate, disjoint, distinct",
	"place":   "ordinal, position, slot, key",
	"places":  "ordinals, slots, keys",
	"placed":  "positioned",
	"turn":    "task, batch, semaphore",
	"turns":   "tasks, batches",
	"due":     "expired, expiry",
	"curves":  "Z-order indexes",
	"told":    "reported, announced",
	"heard":   "received, last seen",
	"wish":    "request, option",
	"said":    "sent, text, value",
}

var words = regexp.MustCompile(`[A-Za-z]+`)

// checkWords wants none of the refused words in identifiers and comments.
func checkWords(t *tree) []string {
	var out []string
	check := func(at token.Pos, found []string, refused map[string]string) {
		for _, word := range slices.Sorted(maps.Keys(refusedIn(found, refused))) {
			out = append(out, t.problem(at, "the word %q: say %s", word, refused[word]))
		}
	}
	for _, f := range t.files() {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				check(name.Pos(), parts(name.Name), refused)
				check(name.Pos(), parts(name.Name), refusedNames)
			}
			return true
		})
		for _, group := range f.syntax.Comments {
			for _, c := range group.List {
				check(c.Pos(), words.FindAllString(strings.ToLower(c.Text), -1), refused)
			}
		}
	}
	return append(out, t.wordsOfPages()...)
}

// wordsOfPages finds the refused words in the pages for users and developers.
func (t *tree) wordsOfPages() (out []string) {
	pages, _ := fs.Glob(t.root, "docs/*.md") // the pattern is well-formed
	for _, page := range append(pages, "README.md", document) {
		text, err := fs.ReadFile(t.root, page)
		if err != nil {
			continue // a tree for a test may have none
		}
		for i, line := range strings.Split(string(text), "\n") {
			found := words.FindAllString(strings.ToLower(line), -1)
			for _, word := range slices.Sorted(maps.Keys(refusedIn(found, refused))) {
				out = append(out, fmt.Sprintf("%s:%d: the word %q: say %s", page, i+1, word, refused[word]))
			}
		}
	}
	return out
}

func refusedIn(found []string, refused map[string]string) map[string]bool {
	out := map[string]bool{}
	for _, word := range found {
		if refused[word] != "" {
			out[word] = true
		}
	}
	return out
}

// parts are the words of an identifier, in camel case or with underscores, in small letters.
func parts(name string) (out []string) {
	from := 0
	for i, r := range name {
		switch {
		case r == '_':
			out, from = append(out, strings.ToLower(name[from:i])), i+1
		case i > from && unicode.IsUpper(r):
			out, from = append(out, strings.ToLower(name[from:i])), i
		}
	}
	return append(out, strings.ToLower(name[from:]))
}
