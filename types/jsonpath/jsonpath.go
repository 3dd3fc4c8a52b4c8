// Package jsonpath holds the paths of SQL/JSON: the tree of one, which it reads from text and writes as PostgreSQL
// does. What a path finds in a document is in package expr/builtin/json. Read Path and Parse first.
package jsonpath

import (
	"math"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"zproxy/types/json"
	"zproxy/types/numeric"
)

// Path is a parsed jsonpath, which never changes.
type Path struct {
	Strict bool
	Root   *Node
}

// Node is one item of a jsonpath, and what is done with its result.
type Node struct {
	Op          Op
	Text        string       // a string, a key, a variable's name, a pattern
	Flags       string       // of a pattern
	Number      *apd.Decimal // of a number
	Bool        bool         // of a boolean
	Left, Right *Node        // operands; the condition of a filter is Left
	Subscripts  [][2]*Node   // from and to, which may be nil
	First, Last uint32       // the levels of **, Last for the deepest
	Next        *Node
}

// Last is the level of ** that is called last.
const Last = math.MaxUint32

// Op is the kind of an item of a jsonpath.
type Op uint8

// The items of a jsonpath.
const (
	Null Op = iota
	String
	Number
	Bool
	Variable
	Root      // $
	Current   // @
	LastIndex // last
	Key
	AnyKey   // .*
	AnyArray // [*]
	Indexes
	Any // **
	Filter
	Method // its name is Text
	Add
	Sub
	Mul
	Div
	Mod
	Plus // of one operand
	Minus
	And // the predicates begin here
	Or
	Not
	IsUnknown
	Equal
	NotEqual
	Less
	Greater
	LessOrEqual
	GreaterOrEqual
	Exists
	StartsWith
	LikeRegex
)

// IsPredicate says whether the item is true, false or unknown.
func (op Op) IsPredicate() bool { return op >= And }

// signs are how operators are written.
var signs = map[Op]string{
	Add: "+", Sub: "-", Mul: "*", Div: "/", Mod: "%", Plus: "+", Minus: "-",
	And: "&&", Or: "||", Equal: "==", NotEqual: "!=", Less: "<", Greater: ">",
	LessOrEqual: "<=", GreaterOrEqual: ">=", StartsWith: "starts with",
}

// String is how an operator is written.
func (op Op) String() string { return signs[op] }

// precedence is how tightly an item binds.
func (op Op) precedence() int {
	switch op {
	case Or:
		return 0
	case And:
		return 1
	case Equal, NotEqual, Less, Greater, LessOrEqual, GreaterOrEqual, StartsWith:
		return 2
	case Add, Sub:
		return 3
	case Mul, Div, Mod:
		return 4
	case Plus, Minus:
		return 5
	}
	return 6
}

// Append appends the text of a jsonpath as PostgreSQL prints it.
func Append(dst []byte, p *Path) []byte {
	if p.Strict {
		dst = append(dst, "strict "...)
	}
	return appendNode(dst, p.Root, false, true)
}

// appendNode appends an item and what follows it. In a key, a dot leads a name.
func appendNode(dst []byte, n *Node, inKey, brackets bool) []byte {
	switch {
	case n.Op <= LastIndex:
		dst = appendScalar(dst, n)
	case n.Op <= Method:
		dst = appendAccessor(dst, n, inKey)
	case n.Op == Not:
		dst = append(appendNode(append(dst, "!("...), n.Left, false, false), ')')
	case n.Op == IsUnknown:
		dst = append(appendNode(append(dst, '('), n.Left, false, false), ") is unknown"...)
	case n.Op == Exists:
		dst = append(appendNode(append(dst, "exists ("...), n.Left, false, false), ')')
	default:
		if brackets {
			dst = append(dst, '(')
		}
		dst = appendOperator(dst, n)
		if brackets {
			dst = append(dst, ')')
		}
	}
	if n.Next != nil {
		dst = appendNode(dst, n.Next, true, true)
	}
	return dst
}

func appendScalar(dst []byte, n *Node) []byte {
	switch n.Op {
	case Null:
		return append(dst, "null"...)
	case String:
		return json.AppendString(dst, n.Text)
	case Number:
		if n.Next != nil {
			return append(numeric.Append(append(dst, '('), n.Number), ')')
		}
		return numeric.Append(dst, n.Number)
	case Bool:
		return strconv.AppendBool(dst, n.Bool)
	case Variable:
		return json.AppendString(append(dst, '$'), n.Text)
	case Root:
		return append(dst, '$')
	case Current:
		return append(dst, '@')
	}
	return append(dst, "last"...)
}

func appendAccessor(dst []byte, n *Node, inKey bool) []byte {
	if inKey && (n.Op == Key || n.Op == AnyKey || n.Op == Any) {
		dst = append(dst, '.')
	}
	switch n.Op {
	case Key:
		return json.AppendString(dst, n.Text)
	case AnyKey:
		return append(dst, '*')
	case AnyArray:
		return append(dst, "[*]"...)
	case Any:
		return appendLevels(dst, n)
	case Filter:
		return append(appendNode(append(dst, "?("...), n.Left, false, false), ')')
	case Method:
		dst = append(append(append(dst, '.'), n.Text...), '(')
		if n.Left != nil {
			dst = appendNode(dst, n.Left, false, false)
		}
		return append(dst, ')')
	}
	dst = append(dst, '[')
	for i, s := range n.Subscripts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendNode(dst, s[0], false, false)
		if s[1] != nil {
			dst = appendNode(append(dst, " to "...), s[1], false, false)
		}
	}
	return append(dst, ']')
}

func appendLevels(dst []byte, n *Node) []byte {
	if n.First == 0 && n.Last == Last {
		return append(dst, "**"...)
	}
	level := func(l uint32) {
		if l == Last {
			dst = append(dst, "last"...)
			return
		}
		dst = strconv.AppendUint(dst, uint64(l), 10)
	}
	dst = append(dst, "**{"...)
	level(n.First)
	if n.Last != n.First {
		dst = append(dst, " to "...)
		level(n.Last)
	}
	return append(dst, '}')
}

func appendOperator(dst []byte, n *Node) []byte {
	operand := func(o *Node) { dst = appendNode(dst, o, false, o.Op.precedence() <= n.Op.precedence()) }
	if n.Op == Plus || n.Op == Minus {
		dst = append(dst, signs[n.Op]...)
		operand(n.Left)
		return dst
	}
	operand(n.Left)
	if n.Op == LikeRegex {
		dst = json.AppendString(append(dst, " like_regex "...), n.Text)
		if n.Flags != "" {
			dst = append(append(append(dst, " flag \""...), n.Flags...), '"')
		}
		return dst
	}
	dst = append(append(append(dst, ' '), signs[n.Op]...), ' ')
	operand(n.Right)
	return dst
}
