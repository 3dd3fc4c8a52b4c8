package bind

import "zproxy/parser/ast"

// MergedSide is the side of a join, 0 or 1, whose column stands for those of both that USING names: the one that always
// has a row. Where both have one it is the left, unless only the right is a column of the type that they have in
// common. It is -1 where neither always has a row.
func MergedSide(kind ast.JoinKind, common [2]bool) int {
	switch kind {
	case ast.FullJoin:
		return -1
	case ast.RightJoin:
		return 1
	case ast.InnerJoin:
		if !common[0] && common[1] {
			return 1
		}
	}
	return 0
}
