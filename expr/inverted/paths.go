package inverted

import (
	"slices"

	"zproxy/catalog/elements"
	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/json"
	"zproxy/types/jsonpath"
)

// pathFinds asks for the scalars that a document must have so that a path finds something in it.
func pathFinds(_ *expr.Context, v types.Value) (Query, error) {
	root := v.JSONPath().Root
	if root.Op.IsPredicate() { // which is found, whatever it says
		return Query{All: true}, nil
	}
	_, q := walk(root, way{})
	return q, nil
}

// pathIsTrue asks for the scalars that a document must have so that a path is true of it.
func pathIsTrue(_ *expr.Context, v types.Value) (Query, error) {
	root := v.JSONPath().Root
	if root.Op.IsPredicate() {
		return predicate(root, way{}), nil
	}
	end, q := walk(root, way{})
	return Both([]Query{q, end.has(&json.Value{Kind: json.Bool, Bool: true})}), nil
}

// way is how a path came to a part of the document: by keys, with any arrays between them.
type way struct {
	keys    []string
	steps   int  // into containers
	unknown bool // it may have come by any keys, or what it has is not in the document
}

// has asks for a scalar at the end of a way, or in an array that is there.
func (w way) has(scalar *json.Value) Query {
	if w.unknown {
		return Query{All: true}
	}
	at := elements.AppendElementAt([]byte{'p'}, w.keys, w.steps, scalar)
	if at == nil {
		return Query{All: true}
	}
	return Query{Element: string(at)}
}

// walk follows a path from a part of the document, and collects what its filters ask for.
func walk(n *jsonpath.Node, current way) (end way, q Query) {
	at := way{unknown: true}
	var all []Query
	for ; n != nil; n = n.Next {
		switch n.Op {
		case jsonpath.Root:
			at = way{}
		case jsonpath.Current:
			at = current
		case jsonpath.Key:
			at = way{append(slices.Clip(at.keys), n.Text), at.steps + 1, at.unknown}
		case jsonpath.AnyArray, jsonpath.Indexes:
			at.steps++
		case jsonpath.Filter:
			all = append(all, predicate(n.Left, at))
		default:
			at.unknown = true
		}
	}
	return at, Both(all)
}

// predicate asks for what a document must have so that a predicate is true of a part of it.
func predicate(n *jsonpath.Node, current way) Query {
	switch n.Op {
	case jsonpath.And:
		return Both([]Query{predicate(n.Left, current), predicate(n.Right, current)})
	case jsonpath.Or:
		return Either([]Query{predicate(n.Left, current), predicate(n.Right, current)})
	case jsonpath.Exists:
		_, q := walk(n.Left, current)
		return q
	case jsonpath.Equal:
		return Both([]Query{equal(n.Left, n.Right, current), equal(n.Right, n.Left, current)})
	}
	return Query{All: true}
}

// equal asks for what a path must find to be equal to a scalar.
func equal(path, scalar *jsonpath.Node, current way) Query {
	if scalar.Next != nil {
		return Query{All: true}
	}
	v := json.Value{}
	switch scalar.Op {
	case jsonpath.Null:
	case jsonpath.String:
		v = json.Value{Kind: json.String, Text: scalar.Text}
	case jsonpath.Number:
		v = json.Value{Kind: json.Number, Number: scalar.Number}
	case jsonpath.Bool:
		v = json.Value{Kind: json.Bool, Bool: scalar.Bool}
	default:
		return Query{All: true}
	}
	end, q := walk(path, current)
	return Both([]Query{q, end.has(&v)})
}
