package plpgsql

import (
	"strings"

	"zproxy/sqlerr"
)

// cursorReader reads the declarations and statements of cursors.
type cursorReader struct{ *reader }

// scroll reads SCROLL or NO SCROLL, where it is there.
func (r cursorReader) scroll() Scroll {
	switch {
	case r.accept("no", "scroll"):
		return NoScroll
	case r.accept("scroll"):
		return DoScroll
	}
	return MayScroll
}

// declaration reads that of a bound cursor, behind its name.
func (r cursorReader) declaration(v *Var) *Var {
	v.Type, v.Cursor = "refcursor", &Cursor{Scroll: r.scroll()}
	r.expect("cursor")
	r.push("")
	if r.accept("(") {
		for r.err == nil {
			r.argument(v.Cursor)
			if !r.accept(",") {
				break
			}
		}
		r.expect(")")
	}
	if !r.accept("is") {
		r.expect("for")
	}
	v.Cursor.Query = r.until(false, ";")
	r.pop()
	r.expect(";")
	name := "'" + strings.ReplaceAll(v.Name, "'", "''") + "'" // by which it is opened
	v.Default = &SQL{Text: name, Expression: true, Line: v.Line, Scope: r.reader.scope}
	return r.declare(v)
}

// argument reads one that a cursor takes.
func (r cursorReader) argument(c *Cursor) {
	v := &Var{Line: r.line(), Name: r.name()}
	from, depth := r.at, 0
	for ; r.at < len(r.list); r.at++ {
		w := r.word(r.at)
		if depth == 0 && (w == "," || w == ")" || w == "default" || w == ":=" || w == "=") {
			break
		}
		switch w {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		}
	}
	r.typeText(v, from)
	c.Args = append(c.Args, r.declare(v))
}

// statement reads a statement about a cursor, nil if there is none.
func (r cursorReader) statement(at At) Statement {
	at.Kind = strings.ToUpper(r.word(r.at))
	switch {
	case r.accept("open"):
		return r.open(&Open{At: at})
	case r.accept("fetch"):
		start := r.at - 1
		s := &Fetch{At: at}
		several := r.direction(s)
		s.Cursor = r.variable()
		r.expect("into")
		s.Into = r.targets()
		r.expect(";")
		if several && r.err == nil {
			r.at = start
			r.fail(sqlerr.New(sqlerr.FeatureNotSupported, "FETCH statement cannot return multiple rows"))
		}
		return s
	case r.accept("move"):
		s := &Fetch{At: at}
		r.direction(s)
		s.Cursor = r.variable()
		r.expect(";")
		return s
	case r.accept("close"):
		s := &Close{at, r.variable()}
		r.expect(";")
		return s
	}
	return nil
}

// variable reads the variable of a cursor.
func (r cursorReader) variable() *Var {
	start := r.at
	t := r.target()
	if r.err == nil && t.Path != nil {
		r.at = start
		r.fail(sqlerr.New(sqlerr.SyntaxError, "cursor variable must be a simple variable"))
	}
	if r.err != nil {
		return nil
	}
	r.f.Cursors = append(r.f.Cursors, CursorUse{t.Var, r.list[start].Start})
	return t.Var
}

func (r cursorReader) open(s *Open) Statement {
	if s.Cursor = r.variable(); r.err != nil {
		return nil
	}
	if s.Cursor.Cursor != nil {
		s.Args = r.args(s.Cursor, ";")
		r.expect(";")
		return s
	}
	s.Scroll = r.scroll()
	if !r.accept("for") {
		r.fail(sqlerr.New(sqlerr.SyntaxError, "syntax error, expected \"FOR\" at or near \"%s\"", r.written(r.at)))
		return nil
	}
	if r.accept("execute") {
		s.Text = r.dynamic(";")
	} else {
		s.Query = r.until(false, ";")
	}
	r.expect(";")
	return s
}

// args reads the values of the arguments of a bound cursor, behind which a word comes.
func (r cursorReader) args(v *Var, end string) []*SQL {
	fail := func(format string, args ...any) []*SQL {
		r.fail(sqlerr.New(sqlerr.SyntaxError, format, args...))
		return nil
	}
	want := v.Cursor.Args
	if want == nil && r.is("(") {
		return fail("cursor \"%s\" has no arguments", v.Name)
	}
	if want == nil {
		return nil
	}
	if !r.accept("(") {
		return fail("cursor \"%s\" has arguments", v.Name)
	}
	out := make([]*SQL, len(want))
	for i := range want {
		at, start := i, r.at
		if r.word(r.at+1) == ":=" {
			name := r.name()
			for at = 0; at < len(want) && want[at].Name != name; at++ {
			}
			if at == len(want) {
				r.at = start
				return fail("cursor \"%s\" has no argument named \"%s\"", v.Name, name)
			}
			r.at++
		}
		value := r.until(true, ",", ")")
		switch {
		case r.err != nil:
			return nil
		case out[at] != nil:
			r.at = start
			return fail("value for parameter \"%s\" of cursor \"%s\" specified more than once", want[at].Name, v.Name)
		case r.is(")") && i < len(want)-1:
			return fail("not enough arguments for cursor \"%s\"", v.Name)
		case r.is(",") && i == len(want)-1:
			return fail("too many arguments for cursor \"%s\"", v.Name)
		}
		out[at] = value
		r.at++
	}
	if !r.is(end) {
		r.syntax()
	}
	return out
}

// direction reads where a FETCH or MOVE goes, up to its cursor, and says whether it may deliver several rows.
func (r cursorReader) direction(s *Fetch) (several bool) {
	s.Direction, s.Number = Forward, 1
	switch {
	case r.accept("next"):
	case r.accept("prior"):
		s.Direction = Backward
	case r.accept("first"):
		s.Direction = Absolute
	case r.accept("last"):
		s.Direction, s.Number = Absolute, -1
	case r.accept("absolute"):
		s.Direction, s.Count = Absolute, r.until(true, "from", "in")
	case r.accept("relative"):
		s.Direction, s.Count = Relative, r.until(true, "from", "in")
	case r.accept("all"):
		s.Number, several = All, true
	case r.accept("forward"):
		several = r.count(s)
	case r.accept("backward"):
		s.Direction = Backward
		several = r.count(s)
	case r.is("from"), r.is("in"):
	case r.scope.Find(strings.Trim(strings.ToLower(r.written(r.at)), `"`)) != nil:
		return false // the cursor itself
	default:
		s.Count, several = r.until(true, "from", "in"), true
	}
	if !r.accept("from") && !r.accept("in") && r.err == nil {
		r.fail(sqlerr.New(sqlerr.SyntaxError, "expected FROM or IN at or near \"%s\"", r.written(r.at)))
	}
	return several
}

// count reads how many rows FORWARD and BACKWARD are about.
func (r cursorReader) count(s *Fetch) (several bool) {
	switch {
	case r.is("from"), r.is("in"):
		return false
	case r.accept("all"):
		s.Number = All
		return true
	}
	s.Count = r.until(true, "from", "in")
	return true
}

// loop reads FOR over a bound cursor, nil if it is over something else.
func (r cursorReader) loop(at At, label, name string) Statement {
	start := r.at
	if !r.accept("in") {
		return nil
	}
	v := r.scope.Find(strings.Trim(strings.ToLower(r.written(r.at)), `"`))
	r.at++
	if v == nil || v.Cursor == nil && !strings.EqualFold(v.Type, "refcursor") || !r.is("loop") && !r.is("(") {
		r.at = start
		return nil
	}
	at.Kind = "FOR over cursor"
	if v.Cursor == nil {
		r.at--
		r.fail(sqlerr.New(sqlerr.SyntaxError, "cursor FOR loop must use a bound cursor variable"))
		return nil
	}
	s := &ForCursor{At: at, Label: label, Cursor: v, Args: r.args(v, "loop")}
	r.expect("loop")
	r.push(label)
	s.Var = r.declare(&Var{Name: name, Type: "record", Line: at.Line})
	s.Body = r.loopBody(label)
	r.pop()
	return s
}
