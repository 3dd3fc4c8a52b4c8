package token

import "unicode"

// entity reads an entity of XML behind its ampersand.
func (s *reader) entity(at int) match {
	c, n := s.look(at)
	switch {
	case c == '#':
		return s.numericEntity(at + n)
	case !isASCIILetter(c) && !in(c, ":_"):
		return none
	}
	return s.entityEnd(s.span(at+n, isName))
}

func (s *reader) numericEntity(at int) match {
	is := isDigit
	if c, n := s.look(at); c == 'x' || c == 'X' {
		at, is = at+n, func(c rune) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
	}
	if end := s.span(at, is); end > at {
		return s.entityEnd(end)
	}
	return none
}

func (s *reader) entityEnd(at int) match {
	if c, n := s.look(at); c == ';' {
		return match{at + n, Entity}
	}
	return none
}

func isName(c rune) bool { return isAlnum(c) || in(c, ":_.-") }

// tag reads a tag or a comment from its angle bracket, behind which at is.
func (s *Scanner) tag(start, at int) match {
	c, n := s.look(at)
	switch {
	case c == '/':
		if c, n := s.look(at + 1); isASCIILetter(c) {
			return s.tagName(start, at+1+n)
		}
	case c == '!':
		return s.comment(at + n)
	case c == '?':
		if c, n := s.look(at + 1); c == 'x' {
			return s.tagRest(at + 1 + n)
		}
	case isASCIILetter(c) || in(c, ":_"):
		return s.tagName(start, at+n)
	}
	return none
}

// tagName reads the rest of the name of a tag, and the tag.
func (s *Scanner) tagName(start, at int) match {
	at = s.span(at, isName)
	c, n := s.look(at)
	switch {
	case c == '/':
		if c, _ := s.look(at + n); c == '>' {
			return match{at + n + 1, Tag}
		}
		return none
	case c == '>':
		s.skip(s.text[start:at])
		return match{at + n, Tag}
	case unicode.IsSpace(c):
		s.skip(s.text[start:at])
		return s.tagRest(at + n)
	}
	return none
}

// skip begins and ends scripts and style sheets, of which nothing is a word.
func (s *Scanner) skip(tag string) {
	switch lower(tag) {
	case "<script", "<style":
		s.skipping = true
	case "</script", "</style":
		s.skipping = false
	}
}

// lower changes letters of ASCII.
func lower(tag string) string {
	out := []byte(tag)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c | 0x20
		}
	}
	return string(out)
}

// tagRest reads the attributes of a tag.
func (s *reader) tagRest(at int) match {
	for {
		c, n := s.look(at)
		at += n
		switch {
		case c == '>':
			return match{at, Tag}
		case c == '\'' || c == '"':
			if at = s.quoted(at, c); at < 0 {
				return none
			}
		case !isASCIIAlnum(c) && !in(c, "=-_#/:.&?%~") && !unicode.IsSpace(c):
			return none
		}
	}
}

// quoted is the offset behind a quote, or -1.
func (s *reader) quoted(at int, quote rune) int {
	for {
		c, n := s.look(at)
		switch {
		case n == 0:
			return -1
		case c == quote:
			return at + n
		case c == '\\':
			_, escaped := s.look(at + n)
			n += escaped
		}
		at += n
	}
}

// comment reads a comment or a document type behind the exclamation mark.
func (s *reader) comment(at int) match {
	c, n := s.look(at)
	if c|0x20 == 'd' {
		return s.tagRest(at + n)
	}
	if at+2 > len(s.text) || s.text[at:at+2] != "--" {
		return none
	}
	hyphens := 0
	for at += 2; ; at += n {
		switch c, n = s.look(at); {
		case n == 0:
			return none
		case c == '>' && hyphens >= 2:
			return match{at + n, Tag}
		case c == '-':
			hyphens++
		default:
			hyphens = 0
		}
	}
}
