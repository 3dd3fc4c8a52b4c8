package collation

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// tables are the locales that have an order of their own.
var tables = sync.OnceValue(func() (out []string) {
	for _, t := range collate.Supported() {
		out = append(out, t.String())
	}
	return out
})

// option is a key of a locale, what its values are called in BCP 47, and where an order has their number.
type option struct {
	key    string
	legacy string   // what ICU calls it behind an @
	values []string // by number, the first one where the key is missing
	shift  int
}

func options() []option {
	truth := []string{"false", "true"}
	return []option{
		{"ka", "colalternate", []string{"noignore", "shifted"}, alternateShift},
		{"kb", "colbackwards", truth, backwardsShift},
		{"kc", "colcaselevel", truth, caseLevelShift},
		{"kn", "colnumeric", truth, numericShift},
		{"ks", "colstrength", []string{"level3", "level1", "level2", "level4", "identic"}, strengthShift},
	}
}

// spellings are the values of ICU's own keys that BCP 47 calls by other names.
func spellings(value string) string {
	known := map[string]string{"primary": "level1", "secondary": "level2", "tertiary": "level3", "quaternary": "level4",
		"identical": "identic", "non-ignorable": "noignore", "yes": "true", "no": "false", "phonebook": "phonebk",
		"traditional": "trad", "": "true"}
	if to, ok := known[value]; ok {
		return to
	}
	return value
}

// Parse reads a locale as ICU has it: de, de-AT, de_AT@collation=phonebook, und-u-ks-level2. A language without an
// order of its own has that of its parents, at last the one of all languages. The error says what has no order.
func Parse(locale string, deterministic bool) (Order, error) {
	language, settings := split(locale)
	if language == "fr-ca" && !slices.ContainsFunc(settings, func(s setting) bool { return s.key == "kb" }) {
		settings = append(settings, setting{"kb", "true"})
	}
	var out Order
	if !deterministic {
		out |= loose
	}
	kind := ""
	for _, s := range settings {
		value := spellings(s.value)
		if s.key == "co" || s.key == "collation" {
			if kind = value; kind == "standard" {
				kind = ""
			}
			continue
		}
		if s.key == "kk" || s.key == "colnormalization" { // texts are always compared as if they were normal
			continue
		}
		known := options()
		at := slices.IndexFunc(known, func(o option) bool { return o.key == s.key || o.legacy == s.key })
		if at < 0 {
			return 0, fmt.Errorf("the collation option %q", s.key)
		}
		number := slices.Index(known[at].values, value)
		if number < 0 {
			return 0, fmt.Errorf("the value %q of the collation option %q", s.value, s.key)
		}
		out |= Order(number) << known[at].shift
	}
	table := tableOf(language, kind)
	if table < 0 {
		return 0, fmt.Errorf("the collation %q of the locale %q", kind, language)
	}
	return out | Order(table+1), nil
}

type setting struct{ key, value string }

// split divides a locale into its language and its settings.
func split(locale string) (of string, settings []setting) {
	of, rest, legacy := strings.Cut(strings.ToLower(locale), "@")
	if legacy {
		for _, s := range strings.Split(rest, ";") {
			key, value, _ := strings.Cut(s, "=")
			settings = append(settings, setting{key, value})
		}
	}
	of, rest, _ = strings.Cut(strings.ReplaceAll(of, "_", "-"), "-u-")
	for _, word := range strings.Split(rest, "-") {
		switch {
		case word == "":
		case len(word) == 2:
			settings = append(settings, setting{key: word})
		case len(settings) > 0:
			last := &settings[len(settings)-1]
			last.value = strings.TrimPrefix(last.value+"-"+word, "-")
		}
	}
	return of, settings
}

// same are languages without a table, or with an incomplete one, whose order is that of another one.
func same(of string) string {
	first, rest, _ := strings.Cut(of, "-")
	switch {
	case first == "nb", first == "no":
		return "nn"
	case first == "bs" && !strings.HasPrefix(rest, "cyrl"), first == "sr" && strings.HasPrefix(rest, "latn"):
		return "hr"
	case first == "gl", first == "ceb":
		return "es"
	}
	return of
}

// tableOf finds the table of a language, -1 where it has none of the kind.
func tableOf(of, kind string) int {
	t, err := language.Raw.Parse(same(of))
	if err != nil {
		t = language.Und
	}
	for ; ; t = t.Parent() {
		name := t.String()
		if kind != "" {
			name += "-u-co-" + kind
		}
		if at := slices.Index(tables(), name); at >= 0 {
			return at
		}
		if t == language.Und {
			return -1
		}
	}
}

// locale is the table and the options of an order, in BCP 47.
func (o Order) locale() string {
	text := tables()[o&tableMask-1]
	language, kind, _ := strings.Cut(text, "-u-")
	settings := ""
	if kind != "" {
		settings = "-" + kind
	}
	for _, of := range options() {
		mask := Order(1)
		switch of.shift {
		case strengthShift:
			mask = strengthMask
		case alternateShift:
			mask = alternateMask
		}
		if number := o >> of.shift & mask; number > 0 {
			settings += "-" + of.key + "-" + of.values[number]
		}
	}
	if settings == "" {
		return language
	}
	return language + "-u" + settings
}

// looseMark stands before the locale of an order that is not deterministic.
const looseMark = "~"

// MarshalText implements encoding.TextMarshaler: it is the form that is kept.
func (o Order) MarshalText() ([]byte, error) {
	switch {
	case o == 0:
		return nil, nil
	case o.Deterministic():
		return []byte(o.locale()), nil
	}
	return []byte(looseMark + o.locale()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *Order) UnmarshalText(text []byte) (err error) {
	*o = 0
	if len(text) == 0 {
		return nil
	}
	locale, not := strings.CutPrefix(string(text), looseMark)
	*o, err = Parse(locale, !not)
	return err
}
