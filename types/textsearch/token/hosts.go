package token

// domain reads the part of a host behind a point. The last part of a host has at least two letters.
func (s *Scanner) domain(at int) match {
	c, n := s.look(at)
	switch {
	case isDigit(c):
		return s.host(at + n)
	case !isASCIILetter(c):
		return none
	}
	at += n
	c, n = s.look(at)
	if isASCIILetter(c) {
		return s.lastDomain(at + n)
	}
	return s.afterDomain(at)
}

// afterDomain reads what makes a host longer.
func (s *Scanner) afterDomain(at int) match {
	c, n := s.look(at)
	switch {
	case isDigit(c):
		return s.host(at + n)
	case c == '-' || c == '_':
		return s.hostName(at + n)
	case c == '.':
		return s.domain(at + n)
	case c == '@':
		return s.email(at + n)
	}
	return none
}

// lastDomain reads from the third character on what may be the last part of a host.
func (s *Scanner) lastDomain(at int) match {
	at = s.span(at, isASCIILetter)
	c, n := s.look(at)
	if c == ':' {
		if end := s.span(at+n, isDigit); end > at+n {
			return s.afterHost(end)
		}
	}
	if m := s.afterDomain(at); m.ok() {
		return m
	}
	if isDigit(c) {
		return none
	}
	return s.afterHost(at)
}

// afterHost reads the path behind a host, unless the host itself is wanted.
func (s *Scanner) afterHost(at int) match {
	c, n := s.look(at)
	switch {
	case c < 0:
	case s.wantHost:
		s.wantHost, s.path = false, c == '/'
	case c == '/':
		if m := s.urlPath(at + n); m.end > at+n {
			return match{m.end, URL}
		}
	}
	return match{at, Host}
}

// hostName reads the rest of a part of a host behind a hyphen or an underscore.
func (s *Scanner) hostName(at int) match {
	if c, n := s.look(at); isASCIIAlnum(c) {
		return s.host(at + n)
	}
	return none
}

// host reads the rest of a part of a host, which must go on.
func (s *Scanner) host(at int) match {
	at = s.span(at, isASCIIAlnum)
	c, n := s.look(at)
	switch c {
	case '@':
		return s.email(at + n)
	case '.':
		return s.domain(at + n)
	case '-', '_':
		return s.hostName(at + n)
	}
	return none
}

// email reads the host behind an @.
func (s *Scanner) email(at int) match {
	if s.wantHost {
		s.wantHost = false
		return none
	}
	of := &Scanner{reader: reader{text: s.text}, wantHost: true}
	m := of.base(at)
	s.visited += of.visited
	if m.kind != Host {
		return none
	}
	return match{m.end, Email}
}

// protocol reads the slashes behind a colon.
func (s *reader) protocol(at int) match {
	if at+2 <= len(s.text) && s.text[at:at+2] == "//" {
		return match{at + 2, Protocol}
	}
	return none
}
