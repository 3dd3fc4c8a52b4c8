package interpret

import (
	"iter"
	"slices"

	"zproxy/plpgsql"
	"zproxy/sqlerr"
	"zproxy/types"
)

// again says whether a loop goes on behind its body, and what comes behind the loop.
func (f *frame) again(label string, out flow) (on bool, behind flow) {
	mine := f.label == "" || f.label == label
	switch {
	case f.done:
		return false, next
	case out == exits && mine:
		f.label = ""
		return false, next
	case out == continues && mine:
		f.label = ""
		return true, next
	case out != next:
		return false, out
	}
	return true, next
}

func (f *frame) loop(s *plpgsql.Loop) (flow, error) {
	for {
		if err := f.engine.Tell(nil); err != nil {
			return next, err
		}
		if s.While != nil {
			if ok, err := f.isTrue(s.While); err != nil || !ok {
				return next, err
			}
		}
		out, err := f.statements(s.Body)
		if err != nil {
			return next, err
		}
		if on, behind := f.again(s.Label, out); !on {
			return behind, nil
		}
	}
}

// bound is an integer of FOR.
func (f *frame) bound(e *plpgsql.SQL, what string) (int64, error) {
	v, err := f.eval(e)
	if err != nil {
		return 0, err
	}
	if v.V.IsNull() {
		return 0, sqlerr.New("22004", "%s of FOR loop cannot be null", what)
	}
	out, err := f.engine.Convert(v, types.Int4)
	if err != nil {
		return 0, err
	}
	return out.Int(), nil
}

func (f *frame) forRange(s *plpgsql.ForRange) (flow, error) {
	from, err := f.bound(s.From, "lower bound")
	if err != nil {
		return next, err
	}
	to, err := f.bound(s.To, "upper bound")
	if err != nil {
		return next, err
	}
	by := int64(1)
	if s.By != nil {
		if by, err = f.bound(s.By, "BY value"); err != nil {
			return next, err
		}
		if by <= 0 {
			return next, sqlerr.New(sqlerr.InvalidParameterValue, "BY value of FOR loop must be greater than zero")
		}
	}
	found, out := false, next
	for i := from; s.Reverse && i >= to || !s.Reverse && i <= to; {
		found = true
		f.set(s.Var, types.NewInt(i))
		if out, err = f.statements(s.Body); err != nil {
			return next, err
		}
		on, behind := f.again(s.Label, out)
		if out = behind; !on {
			break
		}
		if s.Reverse {
			i -= by
		} else {
			i += by
		}
	}
	f.found(found)
	return out, nil
}

func (f *frame) found(is bool) { f.set(f.Function.Scope.Vars["found"], types.NewBool(is)) }

func (f *frame) forQuery(s *plpgsql.ForQuery) (flow, error) {
	o := Opening{Query: s.Query, Frame: &f.Frame, Scroll: plpgsql.NoScroll, Loop: true, Hidden: true}
	if s.Text != nil {
		text, using, err := dynamic(f, s.Text)
		if err != nil {
			return next, err
		}
		o = Opening{Text: text, Using: using, Scroll: plpgsql.NoScroll, Loop: true, Hidden: true}
	}
	name, err := f.engine.Open("", o)
	if err != nil {
		return next, err
	}
	return cursors{f}.each(reading{name, s.Into, s.Label, s.Body, rowsAhead})
}

// parts are the elements of an array, or its parts of the last dimensions.
func parts(a *types.ArrayValue, dims int) iter.Seq[types.Value] {
	if dims == 0 {
		return slices.Values(a.Items)
	}
	of, size := a.Dims[len(a.Dims)-dims:], 1
	for _, d := range of {
		size *= d.Length
	}
	return func(yield func(types.Value) bool) {
		for items := range slices.Chunk(a.Items, size) {
			if !yield(types.NewArray(&types.ArrayValue{Element: a.Element, Dims: of, Items: items})) {
				return
			}
		}
	}
}

func (f *frame) forEach(s *plpgsql.ForEach) (out flow, err error) {
	v, err := f.eval(s.Array)
	if err != nil {
		return next, err
	}
	if v.V.IsNull() {
		return next, sqlerr.New("22004", "FOREACH expression must not be null")
	}
	element, ok := types.ElementOf(v.T)
	if !ok {
		return next, sqlerr.New(sqlerr.DatatypeMismatch, "FOREACH expression must yield an array, not type %s",
			v.T.Bare())
	}
	a := v.V.Array()
	if s.Slice > len(a.Dims) {
		return next, sqlerr.New(sqlerr.ArraySubscriptError, "slice dimension (%d) is out of the valid range 0..%d",
			s.Slice, len(a.Dims))
	}
	if s.Into.Path == nil {
		_, array := types.ElementOf(f.Types[s.Into.Var.Slot])
		switch {
		case s.Slice > 0 && !array:
			return next, sqlerr.New(sqlerr.DatatypeMismatch, "FOREACH ... SLICE loop variable must be of an array type")
		case s.Slice == 0 && array:
			return next, sqlerr.New(sqlerr.DatatypeMismatch, "FOREACH loop variable must not be of an array type")
		}
	}
	if s.Slice > 0 {
		element = v.T
	}
	found := false
	for item := range parts(a, s.Slice) {
		found = true
		if err := f.assign(s.Into, Value{item, element}); err != nil {
			return next, err
		}
		if out, err = f.statements(s.Body); err != nil {
			return next, err
		}
		on, behind := f.again(s.Label, out)
		if out = behind; !on {
			break
		}
	}
	f.found(found)
	return out, nil
}
