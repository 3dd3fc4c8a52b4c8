package expr

import (
	"cmp"
	"crypto/md5"
	"encoding/hex"
	"hash"

	"zproxy/expr/work"
	"zproxy/types"
)

// concatFunctions put texts together.
var concatFunctions = []*Function{
	{Name: "textcat", Operator: "||", Args: sig{text, text}, Result: text, Doc: "Both texts together.", Fn2: textCat},
	{Name: "textanycat", Operator: "||", Args: sig{text, anyNonArray}, Result: text, Volatility: Stable, Doc: "Text with another value's text after it.", Typed: textAnyCat},
	{Name: "anytextcat", Operator: "||", Args: sig{anyNonArray, text}, Result: text, Volatility: Stable, Doc: "Text with another value's text before it.", Typed: textAnyCat},
	{Name: "concat", Args: sig{text}, Result: text, Variadic: true, AnyArgs: true, NotStrict: true, Volatility: Stable, Doc: "All arguments together, without NULLs.", FnN: concat},
	{Name: "concat_ws", Args: sig{text, text}, Result: text, Variadic: true, AnyArgs: true, NotStrict: true, Volatility: Stable, Doc: "All arguments but the first together, without NULLs, with the first in between.", FnN: concatSeparated},
	{Name: "md5", Args: sig{text}, Result: text, Doc: "MD5 hash in hexadecimal.", Fn1: md5Hex},
	{Name: "md5", Args: sig{bytea}, Result: text, Doc: "MD5 hash in hexadecimal.", Fn1: md5Hex},
}

// textAnyCat makes one text of two values, of which one need not be a text.
func textAnyCat(c *Context, of []types.T, args []types.Value) (types.Value, error) {
	parts := [2]types.Value{}
	for i, v := range args {
		cast, ok := types.FindCast(of[i].OID, text)
		if !ok { // of records there is none
			var err error
			if parts[i], err = outputText(v, of[i], c.Env); err != nil {
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
func OutputText(arg Expr) Expr {
	from := arg.Type()
	if from.Kind() == types.KindText && from.OID != types.OIDChar {
		return arg
	}
	return Cast{Arg: arg, To: types.Text, Fn: func(v types.Value, _ types.T, env *types.Env) (types.Value, error) {
		return outputText(v, from, env)
	}}
}

func outputText(v types.Value, t types.T, env *types.Env) (types.Value, error) {
	s, err := types.LongText(v, t, env)
	return types.NewText(s), err
}

// OutputTexts is OutputText for an array of arguments.
func OutputTexts(arg Expr) Expr {
	element, _ := types.ElementOf(arg.Type())
	texts, _ := types.ArrayOf(types.Text)
	return Cast{Arg: arg, To: texts, Fn: func(v types.Value, _ types.T, env *types.Env) (types.Value, error) {
		return v.Array().Map(text, env, func(item types.Value) (types.Value, error) {
			return outputText(item, element, env)
		})
	}}
}

func textCat(c *Context, a, b types.Value) (types.Value, error) {
	if a.Text() == "" || b.Text() == "" {
		return types.NewText(cmp.Or(a.Text(), b.Text())), nil
	}
	if n := len(a.Text()) + len(b.Text()); n > work.PieceBytes {
		return c.Concat(a.Text(), b.Text()).Value()
	}
	return types.NewText(a.Text() + b.Text()), nil
}

func concat(c *Context, args []types.Value) (types.Value, error) {
	return joinTexts(c, args, "")
}

func concatSeparated(c *Context, args []types.Value) (types.Value, error) {
	if args[0].IsNull() {
		return types.Null, nil
	}
	return joinTexts(c, args[1:], args[0].Text())
}

// joinTexts makes one text of those that are not NULL.
func joinTexts(c *Context, args []types.Value, separator string) (types.Value, error) {
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

func md5Hex(c *Context, a types.Value) (types.Value, error) {
	sum, err := c.hash(md5.New(), a)
	return types.NewText(hex.EncodeToString(sum)), err
}

// hashUnits is the work of hashing one byte.
const hashUnits = 3

// hash is the sum of a value's bytes.
func (c *Context) hash(h hash.Hash, v types.Value) ([]byte, error) {
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
