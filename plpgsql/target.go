package plpgsql

import "zproxy/sqlerr"

func (r *reader) targets(ends ...string) (out []Target) {
	for r.err == nil {
		out = append(out, r.target())
		if !r.accept(",") {
			return out
		}
	}
	return out
}

// target is a variable, a field of it, or an element.
func (r *reader) target() Target {
	start := r.at
	name := variableName(r)
	v := r.scope.Find(name)
	if v == nil && r.is(".") {
		if s := r.scope.Labelled(name); s != nil {
			r.at++
			v = s.Vars[r.name()]
		}
	}
	if v == nil {
		if r.err == nil {
			r.at = start
			r.fail(sqlerr.New(sqlerr.SyntaxError, "\"%s\" is not a known variable", name))
		}
		return Target{}
	}
	if v.Constant {
		r.at = start
		r.fail(sqlerr.New("22005", "variable \"%s\" is declared CONSTANT", name))
	}
	return Target{v, pathOf(r)}
}

// pathOf reads the path behind a variable that gets a value.
func pathOf(r *reader) (out []Step) {
	for r.err == nil {
		if r.accept(".") {
			out = append(out, Step{Field: r.name()})
			continue
		}
		var s Step
		for r.err == nil && r.accept("[") {
			s.At = append(s.At, subscriptOf(r))
		}
		if s.At == nil {
			break
		}
		out = append(out, s)
	}
	return out
}

// subscriptOf reads what stands in brackets, behind the first.
func subscriptOf(r *reader) (out Subscript) {
	if !r.is(":") {
		out.High = r.until(true, "]", ":")
	}
	if r.accept(":") {
		out.Low, out.High, out.Slice = out.High, nil, true
		if !r.is("]") {
			out.High = r.until(true, "]")
		}
	}
	r.expect("]")
	return out
}
