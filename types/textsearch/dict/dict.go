// Package dict holds dictionaries of text search, which make lexemes of words: one that writes words small, and the
// stemmers of the Snowball project for many languages, each with a list of words that are too common to be looked
// for. A dictionary knows a word or not; of a word that it knows and leaves out there is no lexeme. The configurations
// that say which dictionary is asked about what are in package config. Begin with Dictionary and ByOID.
package dict

import (
	"strings"

	"github.com/blevesearch/snowballstem"

	"zproxy/sqlerr"
)

// Dictionary makes lexemes of words.
type Dictionary struct {
	OID  uint32
	Name string
	stem func(*snowballstem.Env) bool // nil: the word stays as it is
	stop map[string]bool
	// missing is the language of a stemmer that there is not.
	missing string
}

// Lexeme is the lexeme of a word; empty: the word is left out.
func (d *Dictionary) Lexeme(word string) (string, error) {
	if d.missing != "" {
		return "", sqlerr.Unsupported("the stemmer of %s", d.missing)
	}
	word = strings.ToLower(word)
	if word == "" || d.stop[word] {
		return "", nil
	}
	if d.stem == nil {
		return word, nil
	}
	env := snowballstem.NewEnv(word)
	d.stem(env)
	return env.Current(), nil
}

// ByOID finds a dictionary by its number; nil: there is none.
func ByOID(oid uint32) *Dictionary {
	for _, d := range all {
		if d.OID == oid {
			return d
		}
	}
	return nil
}

// ByName finds a dictionary by its name; nil: there is none.
func ByName(name string) *Dictionary {
	for _, d := range all {
		if d.Name == name {
			return d
		}
	}
	return nil
}
