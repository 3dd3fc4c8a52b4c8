package regex

import (
	"unicode"
)

// set is a set of characters.
type set struct {
	ranges  []rune // pairs of first and last
	classes []func(rune) bool
	negate  bool
	fold    bool // a character is in if it is in any case
	notLine bool // a newline is not in, whatever the rest says

	ascii [2]uint64 // what holds says of the first 128, once it is ready
}

// ready computes what most texts ask for.
func (s *set) ready() *set {
	for r := range rune(128) {
		if s.slow(r) {
			s.ascii[r/64] |= 1 << (r % 64)
		}
	}
	return s
}

func (s *set) holds(r rune) bool {
	if r < 128 {
		return s.ascii[r/64]>>(r%64)&1 != 0
	}
	return s.slow(r)
}

func (s *set) slow(r rune) bool {
	if s.notLine && r == '\n' {
		return false
	}
	in := s.listed(r) || s.fold && s.otherCase(r)
	return in != s.negate
}

// otherCase says whether a character is the small or the capital letter of one that is listed.
func (s *set) otherCase(r rune) bool {
	for p := unicode.SimpleFold(r); p != r; p = unicode.SimpleFold(p) {
		if s.listed(p) && (unicode.ToLower(p) == r || unicode.ToUpper(p) == r) {
			return true
		}
	}
	return false
}

func (s *set) listed(r rune) bool {
	for i := 0; i < len(s.ranges); i += 2 {
		if s.ranges[i] <= r && r <= s.ranges[i+1] {
			return true
		}
	}
	for _, class := range s.classes {
		if class(r) {
			return true
		}
	}
	return false
}

// classes are the character classes of brackets, by name.
var classes = map[string]func(rune) bool{
	"alnum":  func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) },
	"alpha":  unicode.IsLetter,
	"blank":  func(r rune) bool { return r == '\t' || unicode.Is(unicode.Zs, r) && r != 0xa0 },
	"cntrl":  unicode.IsControl,
	"digit":  unicode.IsDigit,
	"graph":  func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) },
	"lower":  unicode.IsLower,
	"print":  unicode.IsGraphic,
	"punct":  func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) },
	"space":  isSpace,
	"upper":  unicode.IsUpper,
	"xdigit": func(r rune) bool { return '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'f' },
	"word":   isWord,
}

// isSpace leaves out the spaces that do not break, as the C library does.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) && r != 0xa0 && r != 0x85 && r != 0x2007 && r != 0x202f
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func except(class func(rune) bool) func(rune) bool { return func(r rune) bool { return !class(r) } }

// shorthand is the class of \d, \s and \w, and of their opposites in upper case.
func shorthand(c rune) (func(rune) bool, bool) {
	class, ok := map[rune]func(rune) bool{'d': classes["digit"], 's': isSpace, 'w': isWord}[unicode.ToLower(c)]
	if ok && unicode.IsUpper(c) {
		return except(class), true
	}
	return class, ok
}
