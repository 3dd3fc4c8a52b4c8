package text

import (
	"cmp"
	"crypto/md5"
	"encoding/hex"
	"hash"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/types"
)

// concatFunctions put texts together.
var concatFunctions = []*expr.Function{
	{Name: "textcat", Operator: "||", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Doc: "Both texts together.", Fn2: textCat},
	{Name: "textanycat", Operator: "||", Args: pg.Sig{pg.Text, pg.AnyNonArray}, Result: pg.Text, Volatility: expr.Stable, Doc: "Text with another value's text after it.", Typed: textAnyCat},
	{Name: "anytextcat", Operator: "||", Args: pg.Sig{pg.AnyNonArray, pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Text with another value's text before it.", Typed: textAnyCat},
	{Name: "concat", Args: pg.Sig{pg.Text}, Result: pg.Text, Variadic: true, AnyArgs: true, NotStrict: true, Volatility: expr.Stable, Doc: "All arguments together, without NULLs.", FnN: concat},
	{Name: "concat_ws", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Variadic: true, AnyArgs: true, NotStrict: true, Volatility: expr.Stable, Doc: "All arguments but the first together, without NULLs, with the first in between.", FnN: concatSeparated},
	{Name: "md5", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "MD5 hash in hexadecimal.", Fn1: md5Hex},
	{Name: "md5", Args: pg.Sig{pg.Bytea}, Result: pg.Text, Doc: "MD5 hash in hexadecimal.", Fn1: md5Hex},
}

// textAnyCat makes one text of two values, of which one need not be a text.
func textAnyCat(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	parts := [2]types.Value{}
	for i, v := range args {
		cast, ok := types.FindCast(of[i].OID, pg.Text)
		if !ok { // of records there is none
			var err error
			if parts[i], err = Output(v, of[i], c.Env); err != nil {
				return types.Null, err
			}
			continue
		}
		var err error
		if parts[i], err = cast.Fn(v, types.Text, c.Env); err != nil {
			return types.Null, err
		}
	}
	return textCat(c, parts[0], parts[1])
}

// OutputText makes an argument the text that its type's output function prints, which
// is what a function with AnyArgs takes.
func OutputText(arg expr.Expr) expr.Expr {
	from := arg.Type()
	if from.Kind() == types.KindText && from.OID != types.OIDChar {
		return arg
	}
	return expr.Cast{Arg: arg, To: types.Text, Fn: func(v types.Value, _ types.T, env *types.Env) (types.Value, error) {
		return Output(v, from, env)
	}}
}

// Output is the text that the output function of a type prints.
func Output(v types.Value, t types.T, env *types.Env) (types.Value, error) {
	s, err := types.LongText(v, t, env)
	return types.NewText(s), err
}

// OutputTexts is OutputText for an array of arguments.
func OutputTexts(arg expr.Expr) expr.Expr {
	element, _ := types.ElementOf(arg.Type())
	texts, _ := types.ArrayOf(types.Text)
	return expr.Cast{Arg: arg, To: texts, Fn: func(v types.Value, _ types.T, env *types.Env) (types.Value, error) {
		return v.Array().Map(pg.Text, env, func(item types.Value) (types.Value, error) {
			return Output(item, element, env)
		})
	}}
}

func textCat(c *expr.Context, a, b types.Value) (types.Value, error) {
	if a.Text() == "" || b.Text() == "" {
		return types.NewText(cmp.Or(a.Text(), b.Text())), nil
	}
	if n := len(a.Text()) + len(b.Text()); n > work.PieceBytes {
		return c.Concat(a.Text(), b.Text()).Value()
	}
	return types.NewText(a.Text() + b.Text()), nil
}

func concat(c *expr.Context, args []types.Value) (types.Value, error) {
	return joinTexts(c, args, "")
}

func concatSeparated(c *expr.Context, args []types.Value) (types.Value, error) {
	if args[0].IsNull() {
		return types.Null, nil
	}
	return joinTexts(c, args[1:], args[0].Text())
}

// joinTexts makes one text of those that are not NULL.
func joinTexts(c *expr.Context, args []types.Value, separator string) (types.Value, error) {
	out, any := c.Text(0), false
	for _, v := range args {
		if v.IsNull() {
			continue
		}
		if any {
			out.Add(separator)
		}
		out.Add(v.Text())
		if any = true; out.Err != nil {
			break
		}
	}
	return out.Value()
}

func md5Hex(c *expr.Context, a types.Value) (types.Value, error) {
	sum, err := Hash(c, md5.New(), a)
	return types.NewText(hex.EncodeToString(sum)), err
}

// hashUnits is the work of hashing one byte.
const hashUnits = 3

// Hash is the sum of a value's bytes.
func Hash(c *expr.Context, h hash.Hash, v types.Value) ([]byte, error) {
	for p := v.Bytes(); len(p) > 0; {
		n := min(work.PieceBytes, len(p))
		if err := c.Tick(n * hashUnits); err != nil {
			return nil, err
		}
		h.Write(p[:n])
		p = p[n:]
	}
	return h.Sum(nil), nil
}
