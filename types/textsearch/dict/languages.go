package dict

import (
	"embed"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// Language is a language that PostgreSQL has a configuration for.
type Language struct {
	Name string
	// ASCII is the language of words in letters of ASCII; empty: the same.
	ASCII string
	stem  func(*snowballstem.Env) bool // nil: there is no stemmer here
}

// Languages are all, in the order of PostgreSQL's numbers.
func Languages() []Language { return languages }

var languages = []Language{
	{Name: "arabic", stem: arabic.Stem},
	{Name: "armenian"},
	{Name: "basque"},
	{Name: "catalan"},
	{Name: "danish", stem: danish.Stem},
	{Name: "dutch", stem: dutch.Stem},
	{Name: "english", stem: english.Stem},
	{Name: "finnish", stem: finnish.Stem},
	{Name: "french", stem: french.Stem},
	{Name: "german", stem: german.Stem},
	{Name: "greek"},
	{Name: "hindi", ASCII: "english"},
	{Name: "hungarian", stem: hungarian.Stem},
	{Name: "indonesian"},
	{Name: "irish", stem: irish.Stem},
	{Name: "italian", stem: italian.Stem},
	{Name: "lithuanian"},
	{Name: "nepali"},
	{Name: "norwegian", stem: norwegian.Stem},
	{Name: "portuguese", stem: portuguese.Stem},
	{Name: "romanian", stem: romanian.Stem},
	{Name: "russian", ASCII: "english", stem: russian.Stem},
	{Name: "serbian"},
	{Name: "spanish", stem: spanish.Stem},
	{Name: "swedish", stem: swedish.Stem},
	{Name: "tamil", stem: tamil.Stem},
	{Name: "turkish", stem: turkish.Stem},
	{Name: "yiddish"},
}

// The numbers of PostgreSQL: a stemmer and a configuration for each language, one after the other.
const (
	simpleOID = 3765
	firstOID  = 13151
)

//go:embed stopwords/*.stop
var stopwords embed.FS

// Simple writes words small.
var Simple = &Dictionary{OID: simpleOID, Name: "simple"}

var all = dictionaries()

func dictionaries() []*Dictionary {
	out := []*Dictionary{Simple}
	for i, l := range languages {
		d := &Dictionary{OID: uint32(firstOID + 2*i), Name: l.Name + "_stem", stem: l.stem, stop: stopList(l.Name)}
		if l.stem == nil {
			d.missing = l.Name
		}
		out = append(out, d)
	}
	return out
}

// stopList is the words of a language that are left out; there need not be a list.
func stopList(language string) map[string]bool {
	text, err := stopwords.ReadFile("stopwords/" + language + ".stop")
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for word := range strings.FieldsSeq(string(text)) {
		out[strings.ToLower(word)] = true
	}
	return out
}
