package ast

import "zproxy/types"

func (*CreateCast) statement() {}

// CreateCast is CREATE CAST.
type CreateCast struct {
	From, To TypeName
	Function *Signature // nil: WITHOUT FUNCTION, or WITH INOUT
	InOut    bool
	Context  types.CastContext
}
