package json

import (
	"strings"

	"zproxy/expr/builtin/text"
	"zproxy/types/json"
	"zproxy/types/jsonpath"
)

// pathAnswer is what a predicate of a jsonpath says.
type pathAnswer uint8

const (
	pathFalse pathAnswer = iota
	pathTrue
	pathUnknown
)

func answerOf(b bool) pathAnswer {
	if b {
		return pathTrue
	}
	return pathFalse
}

// test evaluates a predicate. Errors of the data make it unknown.
func (r *pathRun) test(n *jsonpath.Node, j *json.Value) (pathAnswer, error) {
	switch n.Op {
	case jsonpath.And, jsonpath.Or:
		return r.both(n, j)
	case jsonpath.Not:
		answer, err := r.test(n.Left, j)
		if answer != pathUnknown {
			answer = answerOf(answer == pathFalse)
		}
		return answer, err
	case jsonpath.IsUnknown:
		answer, err := r.test(n.Left, j)
		return answerOf(answer == pathUnknown), err
	case jsonpath.Exists:
		return r.exists(n.Left, j)
	}
	answer, err := r.pairs(n, j)
	if isPathError(err) {
		return pathUnknown, nil
	}
	return answer, err
}

func (r *pathRun) both(n *jsonpath.Node, j *json.Value) (pathAnswer, error) {
	decides, other := pathFalse, pathTrue
	if n.Op == jsonpath.Or {
		decides, other = pathTrue, pathFalse
	}
	left, err := r.test(n.Left, j)
	if err != nil || left == decides {
		return left, err
	}
	right, err := r.test(n.Right, j)
	if right == other {
		return left, err
	}
	return right, err
}

// exists stops at the first value in lax mode; in strict mode an error may come later.
func (r *pathRun) exists(n *jsonpath.Node, j *json.Value) (pathAnswer, error) {
	outer := r.probing
	r.probing = !r.strict
	defer func() { r.probing = outer }()
	any := false
	err := r.eval(n, j, false, func(*json.Value) error {
		any = true
		if r.strict {
			return nil
		}
		return errEnough
	})
	switch {
	case isPathError(err):
		return pathUnknown, nil
	case err != nil && err != errEnough:
		return pathUnknown, err
	}
	return answerOf(any), nil
}

// pairs is true when a predicate is for any pair of the values of its operands. In lax
// mode the first answer that is true counts, in strict mode the first unknown one.
func (r *pathRun) pairs(n *jsonpath.Node, j *json.Value) (pathAnswer, error) {
	left, err := r.unwrapped(n.Left, j)
	if err != nil {
		return pathUnknown, err
	}
	right := []*json.Value{nil}
	switch {
	case n.Op == jsonpath.StartsWith:
		right, err = r.list(n.Right, j, !r.strict)
	case n.Right != nil:
		right, err = r.unwrapped(n.Right, j)
	}
	if err != nil {
		return pathUnknown, err
	}
	all := pathFalse
	for _, a := range left {
		for _, b := range right {
			answer, err := r.pair(n, a, b)
			switch {
			case err != nil:
				return pathUnknown, err
			case answer == pathUnknown && r.strict, answer == pathTrue && !r.strict:
				return answer, nil
			case answer != pathFalse:
				all = answer
			}
		}
	}
	return all, nil
}

func (r *pathRun) pair(n *jsonpath.Node, a, b *json.Value) (pathAnswer, error) {
	switch n.Op {
	case jsonpath.StartsWith:
		if a.Kind != json.String || b.Kind != json.String {
			return pathUnknown, nil
		}
		return answerOf(strings.HasPrefix(a.Text, b.Text)), nil
	case jsonpath.LikeRegex:
		if a.Kind != json.String {
			return pathUnknown, nil
		}
		pattern, flags := regexOf(n)
		re, err := text.Regex(r.context, pattern, flags)
		if err != nil {
			return pathUnknown, err
		}
		found, err := re.Match(a.Text)
		return answerOf(found), err
	}
	if momentTypes[a.Kind].OID != 0 && momentTypes[b.Kind].OID != 0 {
		sign, pair, err := r.compareMoments(a, b)
		if !pair {
			return pathUnknown, err
		}
		return holds(n.Op, sign), nil
	}
	return compareItems(n.Op, a, b), nil
}

// regexOf turns the flags of XQuery into PostgreSQL's.
func regexOf(n *jsonpath.Node) (pattern, flags string) {
	has := func(flag string) bool { return strings.Contains(n.Flags, flag) }
	pattern = n.Text
	if has("i") {
		flags = "i"
	}
	switch {
	case has("q"):
		return "***=" + pattern, flags
	case !has("s") && has("m"):
		flags += "n"
	case !has("s"):
		flags += "p"
	case has("m"):
		flags += "w"
	}
	return pattern, flags
}

// compareItems compares scalars of one kind, and null with anything.
func compareItems(op jsonpath.Op, a, b *json.Value) pathAnswer {
	switch {
	case a.Kind != b.Kind && (a.Kind == json.Null || b.Kind == json.Null):
		return answerOf(op == jsonpath.NotEqual)
	case a.Kind != b.Kind, !isScalar(a):
		return pathUnknown
	}
	return holds(op, json.Compare(a, b))
}

// holds says whether a comparison does, of operands of which the first is less if the sign is below 0.
func holds(op jsonpath.Op, sign int) pathAnswer {
	return answerOf(map[jsonpath.Op]bool{
		jsonpath.Equal: sign == 0, jsonpath.NotEqual: sign != 0, jsonpath.Less: sign < 0, jsonpath.Greater: sign > 0,
		jsonpath.LessOrEqual: sign <= 0, jsonpath.GreaterOrEqual: sign >= 0,
	}[op])
}
