package plpgsql

import (
	"strconv"
	"strings"

	"zproxy/sqlerr"
)

// statement reads one statement, nil for an empty one.
func (r *reader) statement() Statement {
	at := At{Line: r.line()}
	label := r.label()
	if label != "" {
		at.Line = r.line()
	}
	kind := func(k string) At { at.Kind = k; return at }
	switch {
	case r.is("declare"), r.is("begin"):
		b := r.block(label)
		r.expect(";")
		return b
	case r.accept("if"):
		return r.ifStatement(kind("IF"))
	case r.accept("case"):
		return r.caseStatement(kind("CASE"))
	case r.accept("loop"):
		return &Loop{kind("LOOP"), label, nil, r.loopBody(label)}
	case r.accept("while"):
		cond := r.expression("loop")
		return &Loop{kind("WHILE"), label, cond, r.loopBody(label)}
	case r.accept("for"):
		return r.forStatement(at, label)
	case r.accept("foreach"):
		return r.forEach(kind("FOREACH over array"), label)
	case r.is("exit"), r.is("continue"):
		return r.exit(at)
	case r.accept("return"):
		return r.returnStatement(at)
	case r.accept("raise"):
		return r.raise(kind("RAISE"))
	case r.accept("assert"):
		s := &Assert{At: kind("ASSERT"), Condition: r.until(true, ",", ";")}
		if r.accept(",") {
			s.Message = r.until(true, ";")
		}
		r.expect(";")
		return s
	case r.is("get", "diagnostics"), r.is("get", "current"), r.is("get", "stacked"):
		return r.diagnostics(at)
	case r.ends():
		return r.end(at)
	case r.accept("null", ";"):
		return &Null{kind("NULL")}
	case r.accept("perform"):
		s := &Execute{At: kind("PERFORM"), SQL: r.until(false, ";"), Perform: true}
		if s.SQL != nil {
			s.SQL.Text = "SELECT " + s.SQL.Text
		}
		r.expect(";")
		return s
	case r.accept("execute"):
		return r.executeText(kind("EXECUTE"))
	}
	if s := (cursorReader{r}).statement(at); s != nil || r.err != nil {
		return s
	}
	return r.assignOrSQL(at)
}

func (r *reader) loopBody(label string) []Statement {
	r.loops = append(r.loops, label+"\x00loop")
	defer func() { r.loops = r.loops[:len(r.loops)-1] }()
	body := r.statements("end")
	r.expect("end")
	r.expect("loop")
	r.endLabel(label)
	r.expect(";")
	return body
}

func (r *reader) ifStatement(at At) Statement {
	s := &If{At: at}
	for r.err == nil {
		cond := r.expression("then")
		s.Branches = append(s.Branches, Branch{[]*SQL{cond}, r.statements("elsif", "elseif", "else", "end")})
		if !r.accept("elsif") && !r.accept("elseif") {
			break
		}
	}
	if r.accept("else") {
		s.Else = r.statements("end")
	}
	r.expect("end")
	r.expect("if")
	r.expect(";")
	return s
}

func (r *reader) caseStatement(at At) Statement {
	s := &Case{At: at}
	if !r.is("when") {
		s.Value = r.until(true, "when")
	}
	for r.err == nil && r.accept("when") {
		b := Branch{Conditions: r.expressions("then")}
		for _, c := range b.Conditions {
			if s.Value != nil && c != nil {
				c.Text = "(" + s.Value.Text + ") IN (" + c.Text + ")"
			}
		}
		r.expect("then")
		b.Body = r.statements("when", "else", "end")
		s.Branches = append(s.Branches, b)
	}
	if s.HasElse = r.accept("else"); s.HasElse {
		s.Else = r.statements("end")
	}
	r.expect("end")
	r.expect("case")
	r.expect(";")
	return s
}

// forStatement reads FOR. A range is told from a query by the two dots.
func (r *reader) forStatement(at At, label string) Statement {
	begin := r.at
	first := r.name()
	depth := 0
	integers := false
	if r.is("in") {
		for i := r.at; i < len(r.list) && r.word(i) != "loop" && r.word(i) != ";"; i++ {
			switch r.word(i) {
			case "(":
				depth++
			case ")":
				depth--
			case "..":
				integers = integers || depth == 0
			}
		}
	}
	if integers {
		return r.forRange(at, label, first)
	}
	if s := (cursorReader{r}).loop(at, label, first); s != nil || r.err != nil {
		return s
	}
	r.at = begin
	s := &ForQuery{At: at, Label: label, Into: r.targets("in")}
	r.expect("in")
	s.Kind = "FOR over SELECT rows"
	if r.accept("execute") {
		s.Kind = "FOR over EXECUTE statement"
		s.Text = r.dynamic("loop")
	} else {
		s.Query = r.until(false, "loop")
	}
	r.expect("loop")
	s.Body = r.loopBody(label)
	return s
}

func (r *reader) forRange(at At, label, name string) Statement {
	at.Kind = "FOR with integer loop variable"
	s := &ForRange{At: at, Label: label}
	r.expect("in")
	s.Reverse = r.accept("reverse")
	s.From = r.expression("..")
	s.To = r.until(true, "loop", "by")
	if r.accept("by") {
		s.By = r.until(true, "loop")
	}
	r.expect("loop")
	r.push(label)
	s.Var = r.declare(&Var{Name: name, Type: "integer", Line: at.Line})
	s.Body = r.loopBody(label)
	r.pop()
	return s
}

func (r *reader) forEach(at At, label string) Statement {
	s := &ForEach{At: at, Label: label, Into: r.target()}
	if r.accept("slice") {
		s.Slice, _ = strconv.Atoi(r.written(r.at))
		r.at++
	}
	r.expect("in")
	r.expect("array")
	s.Array = r.expression("loop")
	s.Body = r.loopBody(label)
	return s
}

func (r *reader) exit(at At) Statement {
	s := &Exit{At: at, Continue: r.is("continue")}
	s.Kind = strings.ToUpper(r.word(r.at))
	r.at++
	if !r.is("when") && !r.is(";") {
		start := r.at
		if s.Label = r.name(); !r.hasLabel(s.Label, s.Continue) && r.err == nil {
			r.at = start
			r.fail(sqlerr.New(sqlerr.SyntaxError,
				"there is no label \"%s\" attached to any block or loop enclosing this statement", s.Label))
		}
	} else if !r.inLoop() {
		r.at--
		if s.Continue {
			r.fail(sqlerr.New(sqlerr.SyntaxError, "CONTINUE cannot be used outside a loop"))
		} else {
			r.fail(sqlerr.New(sqlerr.SyntaxError, "EXIT cannot be used outside a loop, unless it has a label"))
		}
		return nil
	}
	if r.accept("when") {
		s.When = r.until(true, ";")
	}
	r.expect(";")
	return s
}

// ends says whether COMMIT or ROLLBACK follows, which may also be names of variables.
func (r *reader) ends() bool {
	return (r.is("commit") || r.is("rollback")) && (r.scope.Find(r.word(r.at)) == nil || !r.assigns())
}

func (r *reader) end(at At) Statement {
	at.Kind = strings.ToUpper(r.word(r.at))
	s := &End{At: at, Rollback: r.is("rollback")}
	r.at++
	if r.accept("and") {
		s.Chain = !r.accept("no")
		r.expect("chain")
	}
	r.expect(";")
	return s
}

func (r *reader) hasLabel(label string, loop bool) bool {
	for _, l := range r.loops {
		if l == label+"\x00loop" || l == label && !loop {
			return true
		}
	}
	return false
}

func (r *reader) inLoop() bool {
	for _, l := range r.loops {
		if strings.HasSuffix(l, "\x00loop") {
			return true
		}
	}
	return false
}

func (r *reader) returnStatement(at At) Statement {
	at.Kind = "RETURN"
	switch {
	case r.accept("next"):
		s := &ReturnNext{At: at}
		s.Kind = "RETURN NEXT"
		if !r.is(";") {
			s.Value = r.until(true, ";")
		}
		r.expect(";")
		return s
	case r.accept("query"):
		s := &ReturnQuery{At: at}
		s.Kind = "RETURN QUERY"
		if r.accept("execute") {
			s.Text = r.dynamic(";")
		} else {
			s.Query = r.until(false, ";")
		}
		r.expect(";")
		return s
	}
	s := &Return{At: at}
	if !r.is(";") {
		s.Value = r.until(true, ";")
	}
	r.expect(";")
	return s
}

// dynamic is the text of EXECUTE with its values.
func (r *reader) dynamic(ends ...string) *Dynamic {
	r.f.Dynamic = true
	d := &Dynamic{Text: r.until(true, append([]string{"into", "using"}, ends...)...)}
	if r.accept("using") {
		d.Using = r.expressions(append([]string{"into"}, ends...)...)
	}
	return d
}

func (r *reader) executeText(at At) Statement {
	s := &ExecuteText{At: at, Text: r.dynamic(";")}
	if r.accept("into") {
		s.Strict = r.accept("strict")
		s.Into = r.targets("using", ";")
		if r.accept("using") {
			s.Text.Using = r.expressions(";")
		}
	}
	r.expect(";")
	return s
}

var levels = []string{"exception", "warning", "notice", "info", "log", "debug"}

func (r *reader) raise(at At) Statement {
	s := &Raise{At: at, Level: "exception"}
	if r.accept(";") {
		s.Again = true
		return s
	}
	for _, level := range levels {
		if r.accept(level) {
			s.Level = level
			break
		}
	}
	switch w := r.written(r.at); {
	case strings.HasPrefix(w, "'") || strings.HasPrefix(w, "$") || strings.HasPrefix(strings.ToLower(w), "e'"):
		s.Message, s.Formatted = r.literal(), true
		if r.accept(",") {
			s.Args = r.expressions("using", ";")
		}
		want := strings.Count(strings.ReplaceAll(s.Message, "%%", ""), "%")
		if r.err == nil && want < len(s.Args) {
			r.fail(sqlerr.New(sqlerr.SyntaxError, "too many parameters specified for RAISE"))
		} else if r.err == nil && want > len(s.Args) {
			r.fail(sqlerr.New(sqlerr.SyntaxError, "too few parameters specified for RAISE"))
		}
	case r.accept("sqlstate"):
		s.Condition = "%" + r.literal()
	case !r.is("using") && !r.is(";"):
		s.Condition = r.name()
	}
	if r.accept("using") {
		for r.err == nil {
			o := RaiseOption{Name: r.name()}
			if !r.accept("=") {
				r.expect(":=")
			}
			o.Value = r.until(true, ",", ";")
			s.Options = append(s.Options, o)
			if !r.accept(",") {
				break
			}
		}
	}
	r.expect(";")
	return s
}

func (r *reader) diagnostics(at At) Statement {
	at.Kind = "GET DIAGNOSTICS"
	s := &Diagnostics{At: at}
	r.expect("get")
	if s.Stacked = r.accept("stacked"); s.Stacked {
		s.Kind = "GET STACKED DIAGNOSTICS"
	} else {
		r.accept("current")
	}
	r.expect("diagnostics")
	for r.err == nil {
		item := DiagnosticItem{Target: r.target()}
		if !r.accept("=") {
			r.expect(":=")
		}
		item.Item = r.name()
		s.Items = append(s.Items, item)
		if !r.accept(",") {
			break
		}
	}
	r.expect(";")
	return s
}

// targets are variables with commas between them.
// assignOrSQL reads an assignment, or else a statement of SQL.
func (r *reader) assignOrSQL(at At) Statement {
	if r.assigns() {
		at.Kind = "assignment"
		from := r.start()
		s := &Assign{At: at, Target: r.target()}
		if !r.accept(":=") {
			r.expect("=")
		}
		before := r.text[from:r.start()]
		if s.Value = r.until(true, ";"); s.Value != nil {
			s.Value.Before = before
		}
		r.expect(";")
		return s
	}
	if r.err == nil && (r.at >= len(r.list) || !isLetter(r.written(r.at)[0])) && !r.is("(") {
		r.syntax()
		return nil
	}
	at.Kind = "SQL statement"
	if r.is("call") || r.is("do") {
		at.Kind = strings.ToUpper(r.word(r.at))
	}
	return r.sqlStatement(at)
}

// assigns says whether an assignment follows.
func (r *reader) assigns() bool {
	if w := r.written(r.at); w == "" || !isLetter(w[0]) && w[0] != '"' && r.scope.Find(w) == nil {
		return false
	}
	depth := 0
	for i := r.at + 1; i < len(r.list); i++ {
		switch w := r.word(i); {
		case w == "[" || w == "(":
			if w == "(" && depth == 0 {
				return false
			}
			depth++
		case w == "]" || w == ")":
			depth--
		case depth > 0:
		case w == ":=", w == "=":
			return true
		case w == ".":
			i++
		default:
			return false
		}
	}
	return false
}

// sqlStatement reads a statement of SQL, and takes INTO out of it.
func (r *reader) sqlStatement(at At) Statement {
	s := &Execute{At: at}
	from, first, depth, previous := r.start(), r.at, 0, ""
	text := []byte(nil)
	line := r.line()
	for ; r.err == nil && r.at < len(r.list); r.at++ {
		w := r.word(r.at)
		if w == ";" && depth == 0 {
			break
		}
		switch {
		case w == "(":
			depth++
		case w == ")":
			depth--
		case w == "into" && depth == 0 && previous != "insert" && previous != "merge" && s.Into == nil:
			text = append(text, r.text[from:r.start()]...)
			r.at++
			s.Strict = r.accept("strict")
			s.Into = r.targets()
			from = r.start()
			r.at--
			continue
		}
		previous = w
	}
	if r.err != nil {
		return nil
	}
	if r.at >= len(r.list) || r.at == first {
		r.syntax()
		return nil
	}
	text = append(text, r.text[from:r.start()]...)
	s.SQL = r.f.note(&SQL{Text: strings.TrimSpace(string(text)), Line: line, Scope: r.scope})
	r.expect(";")
	return s
}
