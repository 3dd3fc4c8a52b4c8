package token

// asciiWord reads behind a letter of ASCII what may become a word, a host, an address, a path or a protocol.
func (s *Scanner) asciiWord(at int) match {
	for {
		c, n := s.look(at)
		m, next := none, at+n
		switch {
		case isASCIILetter(c):
			at = next
			continue
		case c == '.':
			if m = s.domain(next); !m.ok() {
				m = s.fileName(next)
			}
		case c == '-':
			if m = s.hostName(next); !m.ok() {
				m = s.hyphen(next, ASCIIHyphenated)
			}
		case c == '_':
			m = s.hostName(next)
		case c == '@':
			m = s.email(next)
		case c == ':':
			m = s.protocol(next)
		case c == '/':
			m = s.file(next)
		case isDigit(c):
			if m = s.host(next); !m.ok() {
				return s.numWord(next)
			}
		case isAlpha(c) || isMark(c):
			return s.word(next)
		}
		if m.ok() {
			return m
		}
		return match{at, ASCIIWord}
	}
}

// word reads a word that has other letters, too.
func (s *Scanner) word(at int) match {
	at = s.span(at, func(c rune) bool { return isAlpha(c) || isMark(c) })
	c, n := s.look(at)
	if isDigit(c) {
		return s.numWord(at + n)
	}
	if c == '-' {
		if m := s.hyphen(at+n, Hyphenated); m.ok() {
			return m
		}
	}
	return match{at, Word}
}

// numWord reads a word that has digits.
func (s *Scanner) numWord(at int) match {
	at = s.span(at, func(c rune) bool { return isAlnum(c) || isMark(c) })
	c, n := s.look(at)
	m := none
	switch c {
	case '@':
		m = s.email(at + n)
	case '/':
		m = s.file(at + n)
	case '.':
		m = s.fileName(at + n)
	case '-':
		m = s.hyphen(at+n, NumHyphenated)
	}
	if m.ok() {
		return m
	}
	return match{at, NumWord}
}

// hyphen reads the rest of a word behind a hyphen, of which the first part is of a kind.
func (s *Scanner) hyphen(at int, kind Kind) match {
	c, n := s.look(at)
	switch {
	case isASCIILetter(c) && kind == ASCIIHyphenated:
	case isAlpha(c) && kind == NumHyphenated:
	case isAlpha(c):
		kind = Hyphenated
	case isDigit(c): // a number, unless letters follow
		at = s.span(at, isDigit)
		if c, n = s.look(at); !isAlpha(c) && !isMark(c) {
			return none
		}
		kind = NumHyphenated
	default:
		return none
	}
	return s.hyphenated(at+n, kind)
}

// hyphenated reads the rest of a part behind a hyphen, and the parts that follow.
func (s *Scanner) hyphenated(at int, kind Kind) match {
	for {
		c, n := s.look(at)
		switch {
		case kind == ASCIIHyphenated && isASCIILetter(c):
		case isAlpha(c) || isMark(c):
			if kind != NumHyphenated {
				kind = Hyphenated
			}
		case isDigit(c):
			kind = NumHyphenated
		case c == '-':
			if m := s.hyphen(at+n, kind); m.ok() {
				return m
			}
			return match{at, kind}
		default:
			return match{at, kind}
		}
		at += n
	}
}

// part reads a part of a word with hyphens, or a hyphen between two of them.
func (s *Scanner) part(at int) match {
	c, n := s.look(at)
	switch {
	case isASCIILetter(c):
		return s.partWord(at+n, ASCIIPart)
	case isAlpha(c):
		return s.partWord(at+n, Part)
	case isDigit(c):
		end := s.span(at+n, isDigit)
		if c, n := s.look(end); isAlpha(c) || isMark(c) {
			return s.partWord(end+n, NumPart)
		}
	case c == '-':
		if c, _ := s.look(at + n); isAlnum(c) || isMark(c) {
			return match{at + n, Blank}
		}
	}
	return none
}

// partWord reads the rest of a part.
func (s *Scanner) partWord(at int, kind Kind) match {
	for {
		c, n := s.look(at)
		switch {
		case kind == ASCIIPart && isASCIILetter(c):
		case isAlpha(c) || isMark(c):
			if kind != NumPart {
				kind = Part
			}
		case isDigit(c):
			kind = NumPart
		default:
			return match{at, kind}
		}
		at += n
	}
}
