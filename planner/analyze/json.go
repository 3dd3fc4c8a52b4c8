package analyze

import (
	"zproxy/expr/builtin/pg"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// jsonInput is a value as JSON: bytes are decoded, texts are read, and JSON stays what it is.
func (a Analysis[E]) jsonInput(e *ast.JSONInput) (out E, err error) {
	arg, err := a.Known(e.Arg)
	if err != nil {
		return out, err
	}
	from, written := arg.Type().Base(), e.Format != nil
	switch {
	case written && e.Format.Encoding != "" && from.OID != types.OIDBytea:
		return out, sqlerr.New(sqlerr.DatatypeMismatch, "JSON ENCODING clause is only allowed for bytea input type").
			At(int(e.Format.Pos))
	case from.OID == types.OIDJSON, from.OID == types.OIDJSONB && !e.Casts:
		return arg, nil
	case from.OID == types.OIDBytea:
		encoding := "UTF8"
		if written && e.Format.Encoding != "" {
			encoding = e.Format.Encoding
		}
		if arg, err = a.recode("convert_from", arg, encoding, e.Pos); err != nil {
			return out, err
		}
	case types.InfoOf(from.OID).Category != types.CategoryString && !e.Casts:
		how, pos := "implicit", Start(e.Arg)
		if written {
			how, pos = "explicit", e.Format.Pos
		}
		return out, sqlerr.New(sqlerr.DatatypeMismatch, "cannot use non-string types with %s FORMAT JSON clause", how).
			At(int(pos))
	}
	return a.Explicit(arg, types.JSON, e.Pos)
}

// recode calls a function between texts and bytes in an encoding.
func (a Analysis[E]) recode(name string, arg E, encoding string, pos ast.Pos) (E, error) {
	call := &ast.Call{Schema: pg.CatalogSchema, Name: name, Pos: pos}
	return a.Function(call, []E{arg, a.make.Constant(types.NewText(encoding), types.Name, pos)})
}

// jsonOutput casts what a constructor makes to what it is to return; bytes are those of its text.
func (a Analysis[E]) jsonOutput(e *ast.JSONOutput) (out E, err error) {
	to, err := a.make.TypeNamed(e.Type)
	if err == nil {
		err = returnable(e, to)
	}
	if err != nil {
		return out, err
	}
	arg, err := a.make.Expr(e.Arg)
	if err != nil || to.Base().OID != types.OIDBytea {
		if err == nil {
			out, err = a.Explicit(arg, to, e.Pos)
		}
		return out, err
	}
	if arg, err = a.Explicit(arg, types.Text, e.Pos); err != nil {
		return out, err
	}
	if arg, err = a.recode("convert_to", arg, "UTF8", e.Pos); err != nil {
		return out, err
	}
	return a.Explicit(arg, to, e.Pos)
}

// returnable refuses types that JSON cannot be returned as.
func returnable(e *ast.JSONOutput, to types.T) error {
	base := to.Base().OID
	category := types.InfoOf(base).Category
	texts := category == types.CategoryString || base == types.OIDBytea
	f, at := e.Format, 0
	if f != nil {
		at = int(f.Pos)
	}
	switch {
	case category == types.CategoryPseudo:
		return sqlerr.New(sqlerr.FeatureNotSupported, "returning pseudo-types is not supported in SQL/JSON functions")
	case f != nil && !texts && base != types.OIDJSON && base != types.OIDJSONB:
		return sqlerr.New(sqlerr.InvalidParameterValue, "cannot use JSON format with non-string output types").At(at)
	case f != nil && f.Encoding != "" && base != types.OIDBytea:
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot set JSON encoding for non-bytea output types").At(at)
	case f != nil && f.Encoding != "" && f.Encoding != "UTF8":
		return sqlerr.New(sqlerr.FeatureNotSupported, "unsupported JSON encoding").
			WithHint("Only UTF8 JSON encoding is supported.").At(at)
	case e.Text != "" && !texts:
		return sqlerr.New(sqlerr.DatatypeMismatch, "cannot use type %s in RETURNING clause of %s", to.Bare(), e.Text).
			WithHint("Try returning a string type or bytea.")
	}
	return nil
}
