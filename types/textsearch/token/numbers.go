package token

// unsigned reads behind a digit what may become a number, a version, a host, an address, a path or a word.
func (s *Scanner) unsigned(at int) match {
	at = s.span(at, isDigit)
	c, n := s.look(at)
	m, next := none, at+n
	switch {
	case c == '.':
		if m = s.domain(next); !m.ok() {
			m = s.fraction(next, true)
		}
	case c == '-' || c == '_':
		m = s.hostName(next)
	case c == '@':
		m = s.email(next)
	case c == '/':
		m = s.file(next)
	case isASCIILetter(c):
		if c|0x20 == 'e' {
			m = s.exponent(next)
		}
		if !m.ok() {
			m = s.host(next)
		}
	}
	switch {
	case m.ok():
		return m
	case isAlpha(c) || isMark(c):
		return s.numWord(next)
	}
	return match{at, Unsigned}
}

// signed reads a number behind its sign.
func (s *reader) signed(at int) match {
	end := s.span(at, isDigit)
	if end == at {
		return none
	}
	c, n := s.look(end)
	m := none
	switch {
	case c == '.':
		m = s.fraction(end+n, false)
	case c|0x20 == 'e':
		m = s.exponent(end + n)
	}
	if m.ok() {
		return m
	}
	return match{end, Signed}
}

// fraction reads the digits behind a point; a second point may make a version of it.
func (s *reader) fraction(at int, version bool) match {
	end := s.span(at, isDigit)
	if end == at {
		return none
	}
	c, n := s.look(end)
	m := none
	switch {
	case c == '.' && version:
		m = s.version(end + n)
	case c|0x20 == 'e':
		m = s.exponent(end + n)
	}
	if m.ok() {
		return m
	}
	return match{end, Decimal}
}

// version reads numbers with points between them.
func (s *reader) version(at int) (m match) {
	for {
		end := s.span(at, isDigit)
		if end == at {
			return m
		}
		m = match{end, Version}
		c, n := s.look(end)
		if c != '.' {
			return m
		}
		at = end + n
	}
}

// exponent reads behind an e.
func (s *reader) exponent(at int) match {
	if c, n := s.look(at); c == '+' || c == '-' {
		at += n
	}
	end := s.span(at, isDigit)
	if end == at {
		return none
	}
	return match{end, Scientific}
}
