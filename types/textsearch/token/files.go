package token

import "unicode"

func isFile(c rune) bool { return isASCIIAlnum(c) || c == '_' }

// file reads a path behind a slash.
func (s *reader) file(at int) match {
	c, n := s.look(at)
	switch {
	case isFile(c):
		return s.fileRest(at + n)
	case c == '.':
		return s.dot(at + n)
	case c == '~':
		return s.home(at + n)
	}
	return none
}

// fileRest reads the rest of a path.
func (s *reader) fileRest(at int) match {
	for {
		c, n := s.look(at)
		m := none
		switch {
		case isFile(c) || c == '-':
			at += n
			continue
		case c == '.':
			m = s.fileName(at + n)
		case c == '/':
			m = s.file(at + n)
		}
		if m.ok() {
			return m
		}
		return match{at, File}
	}
}

// fileName reads a path behind a point within a name.
func (s *reader) fileName(at int) match {
	if c, n := s.look(at); isFile(c) {
		return s.fileRest(at + n)
	}
	return none
}

// home reads a path behind a tilde.
func (s *reader) home(at int) match {
	switch c, n := s.look(at); {
	case isFile(c):
		return s.fileRest(at + n)
	case c == '/':
		return s.file(at + n)
	}
	return none
}

// dots reads a path that begins with one or two points, behind the first one.
func (s *reader) dots(at int) match {
	switch c, n := s.look(at); c {
	case '.':
		return s.parent(at + n)
	case '/':
		return s.file(at + n)
	}
	return none
}

// dot reads a path behind a slash and a point.
func (s *reader) dot(at int) match {
	if c, n := s.look(at); isFile(c) {
		return s.fileRest(at + n)
	}
	return s.dots(at)
}

// parent reads a path behind two points.
func (s *reader) parent(at int) match {
	c, n := s.look(at)
	switch {
	case c == '/':
		if m := s.file(at + n); m.ok() {
			return m
		}
	case c >= 0 && !unicode.IsSpace(c):
		return none
	}
	return match{at, File}
}

// urlPath reads the path of a URL behind its first character.
func (s *reader) urlPath(at int) match { return match{s.span(at, isURL), URLPath} }

// isURL says whether a character may stand in a URL.
func isURL(c rune) bool { return 0x20 < c && c < 0x7F && !in(c, "\"<>\\^`{|}") }
