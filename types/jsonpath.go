package types

import (
	"math"
	"strconv"
	"unsafe"

	"zproxy/types/numeric"

	"github.com/cockroachdb/apd/v3"
)

// JSONPath is a parsed jsonpath, which never changes.
type JSONPath struct {
	Strict bool
	Root   *PathNode
}

// PathNode is one item of a jsonpath, and what is done with its result.
type PathNode struct {
	Op          PathOp
	Text        string         // a string, a key, a variable's name, a pattern
	Flags       string         // of a pattern
	Number      *apd.Decimal   // of a number
	Bool        bool           // of a boolean
	Left, Right *PathNode      // operands; the condition of a filter is Left
	Subscripts  [][2]*PathNode // from and to, which may be nil
	First, Last uint32         // the levels of **, PathLast for the deepest
	Next        *PathNode
}

// PathLast is the level of ** that is called last.
const PathLast = math.MaxUint32

// PathOp is the kind of an item of a jsonpath.
type PathOp uint8

// The items of a jsonpath.
const (
	PathNull PathOp = iota
	PathString
	PathNumber
	PathBool
	PathVariable
	PathRoot      // $
	PathCurrent   // @
	PathLastIndex // last
	PathKey
	PathAnyKey   // .*
	PathAnyArray // [*]
	PathIndexes
	PathAny // **
	PathFilter
	PathMethod // its name is Text
	PathAdd
	PathSub
	PathMul
	PathDiv
	PathMod
	PathPlus // of one operand
	PathMinus
	PathAnd // the predicates begin here
	PathOr
	PathNot
	PathIsUnknown
	PathEqual
	PathNotEqual
	PathLess
	PathGreater
	PathLessOrEqual
	PathGreaterOrEqual
	PathExists
	PathStartsWith
	PathLikeRegex
)

// IsPredicate says whether the item is true, false or unknown.
func (op PathOp) IsPredicate() bool { return op >= PathAnd }

// pathSigns are how operators are written.
var pathSigns = map[PathOp]string{
	PathAdd: "+", PathSub: "-", PathMul: "*", PathDiv: "/", PathMod: "%", PathPlus: "+", PathMinus: "-",
	PathAnd: "&&", PathOr: "||", PathEqual: "==", PathNotEqual: "!=", PathLess: "<", PathGreater: ">",
	PathLessOrEqual: "<=", PathGreaterOrEqual: ">=", PathStartsWith: "starts with",
}

// String is how an operator is written.
func (op PathOp) String() string { return pathSigns[op] }

// precedence is how tightly an item binds.
func (op PathOp) precedence() int {
	switch op {
	case PathOr:
		return 0
	case PathAnd:
		return 1
	case PathEqual, PathNotEqual, PathLess, PathGreater, PathLessOrEqual, PathGreaterOrEqual, PathStartsWith:
		return 2
	case PathAdd, PathSub:
		return 3
	case PathMul, PathDiv, PathMod:
		return 4
	case PathPlus, PathMinus:
		return 5
	}
	return 6
}

// NewJSONPath makes a jsonpath. The caller must not change p afterwards.
func NewJSONPath(p *JSONPath) Value { return Value{kind: KindJSONPath, ref: unsafe.Pointer(p)} }

// JSONPath is the value of a jsonpath, not to be changed.
func (v Value) JSONPath() *JSONPath { return (*JSONPath)(v.ref) }

// AppendJSONPath appends the text of a jsonpath as PostgreSQL prints it.
func AppendJSONPath(dst []byte, p *JSONPath) []byte {
	if p.Strict {
		dst = append(dst, "strict "...)
	}
	return appendPathNode(dst, p.Root, false, true)
}

func pathText(v Value) string { return string(AppendJSONPath(nil, v.JSONPath())) }

// appendPathNode appends an item and what follows it. In a key, a dot leads a name.
func appendPathNode(dst []byte, n *PathNode, inKey, brackets bool) []byte {
	switch {
	case n.Op <= PathLastIndex:
		dst = appendPathScalar(dst, n)
	case n.Op <= PathMethod:
		dst = appendPathAccessor(dst, n, inKey)
	case n.Op == PathNot:
		dst = append(appendPathNode(append(dst, "!("...), n.Left, false, false), ')')
	case n.Op == PathIsUnknown:
		dst = append(appendPathNode(append(dst, '('), n.Left, false, false), ") is unknown"...)
	case n.Op == PathExists:
		dst = append(appendPathNode(append(dst, "exists ("...), n.Left, false, false), ')')
	default:
		if brackets {
			dst = append(dst, '(')
		}
		dst = appendPathOperator(dst, n)
		if brackets {
			dst = append(dst, ')')
		}
	}
	if n.Next != nil {
		dst = appendPathNode(dst, n.Next, true, true)
	}
	return dst
}

func appendPathScalar(dst []byte, n *PathNode) []byte {
	switch n.Op {
	case PathNull:
		return append(dst, "null"...)
	case PathString:
		return AppendJSONString(dst, n.Text)
	case PathNumber:
		if n.Next != nil {
			return append(numeric.Append(append(dst, '('), n.Number), ')')
		}
		return numeric.Append(dst, n.Number)
	case PathBool:
		return strconv.AppendBool(dst, n.Bool)
	case PathVariable:
		return AppendJSONString(append(dst, '$'), n.Text)
	case PathRoot:
		return append(dst, '$')
	case PathCurrent:
		return append(dst, '@')
	}
	return append(dst, "last"...)
}

func appendPathAccessor(dst []byte, n *PathNode, inKey bool) []byte {
	if inKey && (n.Op == PathKey || n.Op == PathAnyKey || n.Op == PathAny) {
		dst = append(dst, '.')
	}
	switch n.Op {
	case PathKey:
		return AppendJSONString(dst, n.Text)
	case PathAnyKey:
		return append(dst, '*')
	case PathAnyArray:
		return append(dst, "[*]"...)
	case PathAny:
		return appendPathLevels(dst, n)
	case PathFilter:
		return append(appendPathNode(append(dst, "?("...), n.Left, false, false), ')')
	case PathMethod:
		dst = append(append(append(dst, '.'), n.Text...), '(')
		if n.Left != nil {
			dst = appendPathNode(dst, n.Left, false, false)
		}
		return append(dst, ')')
	}
	dst = append(dst, '[')
	for i, s := range n.Subscripts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendPathNode(dst, s[0], false, false)
		if s[1] != nil {
			dst = appendPathNode(append(dst, " to "...), s[1], false, false)
		}
	}
	return append(dst, ']')
}

func appendPathLevels(dst []byte, n *PathNode) []byte {
	if n.First == 0 && n.Last == PathLast {
		return append(dst, "**"...)
	}
	level := func(l uint32) {
		if l == PathLast {
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

func appendPathOperator(dst []byte, n *PathNode) []byte {
	operand := func(o *PathNode) { dst = appendPathNode(dst, o, false, o.Op.precedence() <= n.Op.precedence()) }
	if n.Op == PathPlus || n.Op == PathMinus {
		dst = append(dst, pathSigns[n.Op]...)
		operand(n.Left)
		return dst
	}
	operand(n.Left)
	if n.Op == PathLikeRegex {
		dst = AppendJSONString(append(dst, " like_regex "...), n.Text)
		if n.Flags != "" {
			dst = append(append(append(dst, " flag \""...), n.Flags...), '"')
		}
		return dst
	}
	dst = append(append(append(dst, ' '), pathSigns[n.Op]...), ' ')
	operand(n.Right)
	return dst
}
