// Package token divides documents into tokens as PostgreSQL's parser "default" does: words, parts of words with
// hyphens, numbers, addresses of mail and hosts, paths, tags and entities. Each kind of token is found by functions
// that try to read it from an offset on and give the offset behind it; of several that are possible the first one in a
// fixed order counts. A word with hyphens and a URL are tokens, and after them so are their parts. Begin with Scanner
// and base.
package token

// Kind is the kind of a token, by PostgreSQL's numbers.
type Kind uint8

// The kinds.
const (
	ASCIIWord Kind = iota + 1
	Word
	NumWord
	Email
	URL
	Host
	Scientific
	Version
	NumPart
	Part
	ASCIIPart
	Blank
	Tag
	Protocol
	NumHyphenated
	ASCIIHyphenated
	Hyphenated
	URLPath
	File
	Decimal
	Signed
	Unsigned
	Entity
)

// Type is what PostgreSQL says of a kind.
type Type struct{ Alias, Description string }

// Types are the kinds from 1 on.
func Types() []Type {
	return []Type{
		{"asciiword", "Word, all ASCII"}, {"word", "Word, all letters"}, {"numword", "Word, letters and digits"},
		{"email", "Email address"}, {"url", "URL"}, {"host", "Host"}, {"sfloat", "Scientific notation"},
		{"version", "Version number"}, {"hword_numpart", "Hyphenated word part, letters and digits"},
		{"hword_part", "Hyphenated word part, all letters"}, {"hword_asciipart", "Hyphenated word part, all ASCII"},
		{"blank", "Space symbols"}, {"tag", "XML tag"}, {"protocol", "Protocol head"},
		{"numhword", "Hyphenated word, letters and digits"}, {"asciihword", "Hyphenated word, all ASCII"},
		{"hword", "Hyphenated word, all letters"}, {"url_path", "URL path"}, {"file", "File or path name"},
		{"float", "Decimal notation"}, {"int", "Signed integer"}, {"uint", "Unsigned integer"}, {"entity", "XML entity"},
	}
}

// Scanner reads the tokens of a text. All characters of the text are in some token.
type Scanner struct {
	reader
	at       int
	parts    bool // of a word with hyphens come
	path     bool // behind the host of a URL
	wantHost bool // a host that is wanted ends before its path
	skipping bool // within a script or a style sheet
}

// NewScanner reads the tokens of a text.
func NewScanner(text string) *Scanner { return &Scanner{reader: reader{text: text}} }

// Visited is how many characters were looked at.
func (s *Scanner) Visited() int { return s.visited }

// match is the end of a token and its kind; 0: there is none.
type match struct {
	end  int
	kind Kind
}

var none match

func (m match) ok() bool { return m.kind != 0 }

// Next reads a token; false: there is none.
func (s *Scanner) Next() (kind Kind, text string, ok bool) {
	if s.at == len(s.text) {
		return 0, "", false
	}
	m := s.match()
	text = s.text[s.at:m.end]
	switch m.kind {
	case NumHyphenated, ASCIIHyphenated, Hyphenated:
		s.parts = true
	case URL:
		s.wantHost = true // it is read again in parts
	default:
		s.at = m.end
	}
	return m.kind, text, true
}

func (s *Scanner) match() match {
	switch {
	case s.path:
		s.path = false
		return s.urlPath(s.at + 1)
	case s.parts:
		if m := s.part(s.at); m.ok() {
			return m
		}
	}
	s.parts = false
	return s.base(s.at)
}

// base reads any token.
func (s *Scanner) base(at int) match {
	c, n := s.look(at)
	m := none
	switch next := at + n; {
	case c == '<':
		m = s.tag(at, next)
	case s.skipping:
	case isASCIILetter(c):
		m = s.asciiWord(next)
	case isAlpha(c):
		m = s.word(next)
	case isDigit(c):
		m = s.unsigned(next)
	case c == '-' || c == '+':
		m = s.signed(next)
	case c == '&':
		m = s.entity(next)
	case c == '~':
		m = s.home(next)
	case c == '/':
		m = s.file(next)
	case c == '.':
		m = s.dots(next)
	}
	if m.ok() {
		return m
	}
	return s.blank(at + n)
}

// blank reads what belongs to no other token.
func (s *Scanner) blank(at int) match {
	for {
		c, n := s.look(at)
		switch {
		case n == 0 || c == '<':
			return match{at, Blank}
		case !s.skipping && (in(c, "-+&/") || isAlnum(c)):
			return match{at, Blank}
		}
		at += n
	}
}
