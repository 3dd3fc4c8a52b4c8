package copytext

import "zproxy/sqlerr"

// newline is how the lines of a stream end, which the first line decides.
type newline byte

const (
	undecided newline = iota
	lf
	cr
	crlf
)

// readLine reads a line without its newline. It is the last one if the stream or the
// line \. ended it; the last line may be one without bytes, which is none.
func (r *Reader) readLine() (line []byte, last bool, err error) {
	r.line++
	r.raw = nil
	if r.format.CSV {
		line, last, err = r.readCSV()
	} else {
		line, last, err = r.readText()
	}
	if err == nil {
		r.raw = line
	}
	return line, last, err
}

func (r *Reader) readText() (line []byte, last bool, err error) {
	for i := 0; ; i += 2 {
		at, found := r.input.seek(i, &r.stops.quoteless)
		if !found {
			return r.lastLine()
		}
		if i = at; r.input.at(i) != '\\' {
			return r.endLine(i)
		}
		if r.input.at(i+1) == '.' {
			return r.endMarker(i)
		}
	}
}

func (r *Reader) readCSV() (line []byte, last bool, err error) {
	if r.input.at(0) == '\\' && r.input.at(1) == '.' {
		if alone, err := r.markerAlone(2); alone || err != nil {
			return r.finish(0, err)
		}
	}
	quote, escape := r.format.Quote, r.format.Escape
	set := &r.stops.quoteless
	for i := 0; ; i++ {
		at, found := r.input.seek(i, set)
		if !found {
			return r.lastLine()
		}
		i = at
		c := r.input.at(i)
		switch quoted := set == &r.stops.quoted; {
		case quoted && c == escape && escape != quote:
			if next := r.input.at(i + 1); next == quote || next == escape {
				i++
			}
			continue
		case quoted && c == quote:
			set = &r.stops.quoteless
		case c == quote:
			set = &r.stops.quoted
		}
		switch {
		case set == &r.stops.quoteless && (c == '\n' || c == '\r'):
			return r.endLine(i)
		case set == &r.stops.quoted && c == r.counted():
			r.line++
		}
	}
}

// counted is the byte that counts lines within quotes, as PostgreSQL has it: it misses
// the line feeds in the first line.
func (r *Reader) counted() byte {
	if r.newline == lf {
		return '\n'
	}
	return '\r'
}

// lastLine takes what is left of the stream.
func (r *Reader) lastLine() ([]byte, bool, error) {
	if err := r.input.failure(); err != nil {
		return nil, false, err
	}
	n := len(r.input.window())
	if err := r.input.verify(n); err != nil {
		return nil, false, err
	}
	return r.input.take(n, 0), true, nil
}

// endLine takes a line of n bytes, behind which is a newline or half of one.
func (r *Reader) endLine(n int) ([]byte, bool, error) {
	if err := r.input.verify(n); err != nil {
		return nil, false, err
	}
	if r.input.at(n) == '\n' {
		if r.newline == cr || r.newline == crlf {
			return nil, false, r.stray("newline", `\n`)
		}
		r.newline = lf
		return r.input.take(n, 1), false, nil
	}
	if r.newline == cr {
		return r.input.take(n, 1), false, nil
	}
	if r.newline != lf && r.input.at(n+1) == '\n' {
		r.newline = crlf
		return r.input.take(n, 2), false, nil
	}
	if r.newline != undecided {
		return nil, false, r.stray("carriage return", `\r`)
	}
	r.newline = cr
	return r.input.take(n, 1), false, nil
}

// stray is about half a newline, or one of another kind than before.
func (r *Reader) stray(what, escape string) error {
	if r.format.CSV {
		return sqlerr.New(sqlerr.BadCopyFileFormat, "unquoted %s found in data", what).
			WithHint("Use quoted CSV field to represent %s.", what)
	}
	return sqlerr.New(sqlerr.BadCopyFileFormat, "literal %s found in data", what).
		WithHint(`Use "%s" to represent %s.`, escape, what)
}

// endMarker ends the data at \. behind n bytes of the text format.
func (r *Reader) endMarker(n int) ([]byte, bool, error) {
	if err := r.input.verify(n); err != nil {
		return nil, false, err
	}
	alone, err := r.markerAlone(n + 2)
	if !alone && err == nil {
		err = r.input.failure()
	}
	if !alone && err == nil {
		err = sqlerr.New(sqlerr.BadCopyFileFormat, "end-of-copy marker corrupt")
	}
	return r.finish(n, err)
}

// markerAlone says whether a newline is behind the marker \. that ends before i, and
// fails if it is of another kind than those before.
func (r *Reader) markerAlone(i int) (bool, error) {
	mismatch := sqlerr.New(sqlerr.BadCopyFileFormat, "end-of-copy marker does not match previous newline style")
	c := r.input.at(i)
	if r.newline == crlf {
		if c == '\n' && !r.format.CSV {
			return false, mismatch
		}
		if c != '\r' {
			return false, nil
		}
		c = r.input.at(i + 1)
	}
	switch {
	case c != '\n' && c != '\r':
		return false, nil
	case c == '\r' && (r.newline == lf || r.newline == crlf), c == '\n' && r.newline == cr:
		return false, mismatch
	}
	return true, nil
}

// finish takes the n bytes before the marker as the last line.
func (r *Reader) finish(n int, err error) ([]byte, bool, error) {
	if err != nil {
		return nil, false, err
	}
	line := r.input.take(n, 0)
	return line, true, r.input.drain()
}
