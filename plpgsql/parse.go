package plpgsql

import (
	"strconv"
	"strings"

	"zproxy/parser"
	"zproxy/sqlerr"
)

// triggerVars are what the body of a trigger function knows besides, with their types.
var triggerVars = [][2]string{
	{"new", "record"}, {"old", "record"}, {"tg_name", "name"}, {"tg_when", "text"}, {"tg_level", "text"},
	{"tg_op", "text"}, {"tg_relid", "oid"}, {"tg_relname", "name"}, {"tg_table_name", "name"},
	{"tg_table_schema", "name"}, {"tg_nargs", "integer"}, {"tg_argv", "text[]"},
}

// ParseTrigger is Parse for a trigger function.
func ParseTrigger(name, body string) (*Function, error) { return parse(name, body, nil, triggerVars) }

// Parse reads the body of a function with parameters of some names, each in a slot of its own; empty ones have none.
func Parse(name, body string, params []string) (*Function, error) {
	return parse(name, body, params, nil)
}

func parse(name, body string, params []string, more [][2]string) (*Function, error) {
	list, err := parser.Scan(body)
	if err != nil {
		return nil, err
	}
	f := &Function{}
	r := &reader{text: body, list: list, f: f}
	f.Scope = r.push(name)
	for i, p := range params {
		v := &Var{Slot: i, Name: p}
		f.Vars = append(f.Vars, v)
		if p != "" {
			f.Scope.Vars[p] = v
		}
		f.Scope.Vars["$"+strconv.Itoa(i+1)] = v
	}
	r.declare(&Var{Name: "found", Type: "boolean"})
	for _, v := range more {
		r.declare(&Var{Name: v[0], Type: v[1]})
	}
	for r.accept("#") { // options of the compiler
		for r.at < len(list) && !r.is("begin") && !r.is("declare") && !r.is("<<") {
			r.at++
		}
	}
	f.Body = r.block(r.label())
	r.accept(";")
	if r.at < len(r.list) {
		r.syntax()
	}
	return f, r.err
}

func (r *reader) push(label string) *Scope {
	r.scope = &Scope{Outer: r.scope, Label: label, Vars: map[string]*Var{}}
	return r.scope
}

func (r *reader) pop() { r.scope = r.scope.Outer }

func (r *reader) declare(v *Var) *Var {
	v.Slot = len(r.f.Vars)
	r.f.Vars = append(r.f.Vars, v)
	r.scope.Vars[v.Name] = v
	return v
}

// label is <<label>>, empty where there is none.
func (r *reader) label() string {
	if !r.accept("<<") {
		return ""
	}
	out := r.name()
	r.expect(">>")
	return out
}

func (r *reader) block(label string) *Block {
	b := &Block{Label: label}
	r.push(label)
	defer r.pop()
	if r.accept("declare") {
		for r.err == nil && !r.is("begin") {
			if r.accept("declare") {
				continue
			}
			if v := r.declaration(); v != nil {
				b.Vars = append(b.Vars, v)
			}
		}
	}
	b.At = At{r.line(), "statement block"}
	r.expect("begin")
	r.loops = append(r.loops, label)
	b.Body = r.statements("end", "exception")
	if r.accept("exception") {
		r.push("")
		b.State = r.declare(&Var{Name: "sqlstate", Type: "text", Constant: true})
		b.Message = r.declare(&Var{Name: "sqlerrm", Type: "text", Constant: true})
		for r.err == nil && r.accept("when") {
			b.Handlers = append(b.Handlers, r.handler())
		}
		r.pop()
	}
	r.loops = r.loops[:len(r.loops)-1]
	r.expect("end")
	r.endLabel(label)
	return b
}

// endLabel is the label behind an END.
func (r *reader) endLabel(label string) {
	if r.err != nil || r.is(";") || r.at >= len(r.list) {
		return
	}
	at := r.at
	switch end := r.name(); {
	case r.err != nil:
	case label == "":
		r.at = at
		r.fail(sqlerr.New(sqlerr.SyntaxError, "end label \"%s\" specified for unlabeled block", end))
	case end != label:
		r.at = at
		r.fail(sqlerr.New(sqlerr.SyntaxError, "end label \"%s\" differs from block's label \"%s\"", end, label))
	}
}

func (r *reader) handler() (h Handler) {
	for r.err == nil {
		if r.accept("sqlstate") {
			h.Conditions = append(h.Conditions, "%"+r.literal())
		} else {
			h.Conditions = append(h.Conditions, r.name())
		}
		if !r.accept("or") {
			break
		}
	}
	r.expect("then")
	h.Body = r.statements("when", "end")
	return h
}

// literal is a text in quotes.
func (r *reader) literal() string {
	w := r.written(r.at)
	r.at++
	switch {
	case strings.HasPrefix(w, "'"):
		return strings.ReplaceAll(w[1:len(w)-1], "''", "'")
	case strings.HasPrefix(w, "$") && len(w) > 2:
		tag := w[:strings.IndexByte(w[1:], '$')+2]
		return strings.TrimSuffix(strings.TrimPrefix(w, tag), tag)
	}
	if (strings.HasPrefix(w, "e'") || strings.HasPrefix(w, "E'")) && len(w) > 2 {
		return unescape(w[2 : len(w)-1])
	}
	r.at--
	r.syntax()
	return ""
}

// unescape is the text of an E” literal.
func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\'`, `'`, `''`, `'`).Replace(s)
}

func (r *reader) declaration() *Var {
	v := &Var{Line: r.line()}
	if v.Name = r.name(); r.err == nil && r.scope.Vars[v.Name] != nil {
		r.at--
		r.fail(sqlerr.New(sqlerr.SyntaxError, "duplicate declaration at or near \"%s\"", r.written(r.at)))
		return nil
	}
	if r.accept("alias") {
		r.expect("for")
		r.alias(v.Name)
		return nil
	}
	if r.is("no", "scroll", "cursor") || r.is("scroll", "cursor") || r.is("cursor") {
		return cursorReader{r}.declaration(v)
	}
	v.Constant = r.accept("constant")
	r.varType(v)
	v.NotNull = r.accept("not", "null")
	if r.accept("default") || r.accept(":=") || r.accept("=") {
		v.Default = r.until(true, ";")
	} else if v.NotNull {
		r.fail(sqlerr.New("22004", "variable \"%s\" must have a default value, since it's declared NOT NULL", v.Name))
	}
	r.expect(";")
	return r.declare(v)
}

func (r *reader) alias(name string) {
	var of *Var
	if w := r.written(r.at); strings.HasPrefix(w, "$") {
		of = r.f.Scope.Vars[w]
		r.at++
	} else {
		of = r.scope.Find(r.name())
	}
	if of == nil && r.err == nil {
		r.at--
		r.fail(sqlerr.New(sqlerr.UndefinedObject, "variable \"%s\" does not exist", r.written(r.at)))
		return
	}
	r.scope.Vars[name] = of
	r.expect(";")
}

// varType reads the type of a variable.
func (r *reader) varType(v *Var) {
	from, depth := r.at, 0
	for ; r.at < len(r.list); r.at++ {
		switch w := r.word(r.at); {
		case w == "(" || w == "[":
			depth++
		case w == ")" || w == "]":
			depth--
		case depth == 0 && (w == ";" || w == ":=" || w == "=" || w == "default" || w == "not"):
			r.typeText(v, from)
			return
		}
	}
	r.syntax()
}

func (r *reader) typeText(v *Var, from int) {
	if from == r.at {
		r.fail(sqlerr.New(sqlerr.SyntaxError, "missing data type declaration at or near \"%s\"", r.written(r.at)))
		return
	}
	v.Type = r.text[r.list[from].Start:r.list[r.at-1].End]
	if name, ok := strings.CutSuffix(strings.ToLower(strings.ReplaceAll(v.Type, " ", "")), "%type"); ok {
		if of := r.scope.Find(name); of != nil {
			v.Of = of
		}
	}
}

// statements are those up to one of some words.
func (r *reader) statements(ends ...string) (out []Statement) {
	for r.err == nil {
		for _, end := range ends {
			if r.is(end) {
				return out
			}
		}
		if s := r.statement(); s != nil {
			out = append(out, s)
		}
	}
	return out
}
