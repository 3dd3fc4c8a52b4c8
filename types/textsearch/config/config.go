// Package config holds the configurations of text search, which make a tsvector of a document and a tsquery of words. A
// configuration divides a text into tokens and asks a dictionary for each kind of token; kinds without one are no
// words. Positions count words, also those that the dictionary leaves out. Begin with Config and Vector.
package config

import (
	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/textsearch/dict"
	"zproxy/types/textsearch/token"
	"zproxy/types/textsearch/vector"
)

// Config says which dictionary is asked about which kind of token.
type Config struct {
	OID  uint32
	Name string
	// Language is of words, ASCII of those in letters of ASCII.
	Language, ASCII *dict.Dictionary
}

// simpleOID and firstOID are numbers of PostgreSQL; those of languages follow each other.
const (
	simpleOID = 3748
	firstOID  = 13152
)

var all = configs()

func configs() []*Config {
	out := []*Config{{OID: simpleOID, Name: "simple", Language: dict.Simple, ASCII: dict.Simple}}
	for i, l := range dict.Languages() {
		c := &Config{OID: uint32(firstOID + 2*i), Name: l.Name, Language: dict.ByName(l.Name + "_stem")}
		c.ASCII = c.Language
		if l.ASCII != "" {
			c.ASCII = dict.ByName(l.ASCII + "_stem")
		}
		out = append(out, c)
	}
	return out
}

// ByOID finds a configuration by its number.
func ByOID(oid uint32) (*Config, error) {
	for _, c := range all {
		if c.OID == oid {
			return c, nil
		}
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "text search configuration with OID %d does not exist", oid)
}

// ByName finds a configuration by its name in pg_catalog; nil: there is none.
func ByName(name string) *Config {
	for _, c := range all {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Dictionary is the dictionary for a kind of token; nil: there is none.
func (c *Config) Dictionary(kind token.Kind) *dict.Dictionary {
	switch kind {
	case token.ASCIIWord, token.ASCIIHyphenated, token.ASCIIPart:
		return c.ASCII
	case token.Word, token.Hyphenated, token.Part:
		return c.Language
	case token.Blank, token.Tag, token.Protocol, token.Entity:
		return nil
	}
	return dict.Simple
}

// Token is a token of a document.
type Token struct {
	Kind     token.Kind
	Text     string
	Lexeme   string // "": the dictionary leaves it out
	Position int    // of a word, counted from 1; 0: it is no word
}

// Tokens calls f for the tokens of a text.
func (c *Config) Tokens(text string, work form.Work, f func(Token) error) error {
	s := token.NewScanner(text)
	position, seen := 0, 0
	for {
		kind, word, ok := s.Next()
		if !ok {
			return nil
		}
		const cost = 8 // of a character that is looked at
		if err := form.Tick(work, cost*(s.Visited()-seen)+len(word)); err != nil {
			return err
		}
		seen = s.Visited()
		if len(word) > vector.MaxLexeme {
			continue // PostgreSQL gives a NOTICE
		}
		t := Token{Kind: kind, Text: word}
		if d := c.Dictionary(kind); d != nil {
			position++
			lexeme, err := d.Lexeme(word)
			if err != nil {
				return err
			}
			t.Lexeme, t.Position = lexeme, position
		}
		if err := f(t); err != nil {
			return err
		}
	}
}

// Words calls f for the words of a text.
func (c *Config) Words(text string, work form.Work, f func(Token) error) error {
	return c.Tokens(text, work, func(t Token) error {
		if t.Position == 0 {
			return nil
		}
		return f(t)
	})
}

// Collector makes a vector of texts that follow each other.
type Collector struct {
	*Config
	Work    form.Work
	entries map[string][]vector.Position
	last    int // position
}

// Add adds a text, and says whether a word of it is in the vector.
func (c *Collector) Add(text string) (added bool, err error) {
	if c.entries == nil {
		c.entries = map[string][]vector.Position{}
	}
	from := c.last
	err = c.Words(text, c.Work, func(w Token) error {
		c.last = from + w.Position
		if w.Lexeme == "" {
			return nil
		}
		const bytes = 48
		if err := form.Make(c.Work, bytes); err != nil {
			return err
		}
		c.entries[w.Lexeme] = append(c.entries[w.Lexeme], vector.At(c.last, 0))
		added = true
		return nil
	})
	return added, err
}

// Skip leaves a position free, so that no phrase goes on in the next text.
func (c *Collector) Skip() { c.last++ }

// Vector is the vector of all texts.
func (c *Collector) Vector() (vector.Vector, error) {
	all := make([]vector.Entry, 0, len(c.entries))
	for lexeme, positions := range c.entries {
		all = append(all, vector.Entry{Lexeme: lexeme, Positions: positions})
	}
	return vector.Make(all)
}

// Vector is the vector of a document.
func (c *Config) Vector(text string, work form.Work) (vector.Vector, error) {
	of := Collector{Config: c, Work: work}
	if _, err := of.Add(text); err != nil {
		return nil, err
	}
	return of.Vector()
}
