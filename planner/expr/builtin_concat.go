package expr

import (
	"crypto/md5"
	"encoding/hex"
	"strings"

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
			parts[i] = types.NewText(types.FormatText(v, of[i], c.Env))
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
		return types.NewText(types.FormatText(v, from, env)), nil
	}}
}

// OutputTexts is OutputText for an array of arguments.
func OutputTexts(arg Expr) Expr {
	element, _ := types.ElementOf(arg.Type())
	texts, _ := types.ArrayOf(types.Text)
	return Cast{Arg: arg, To: texts, Fn: func(v types.Value, _ types.T, env *types.Env) (types.Value, error) {
		return v.Array().Map(text, func(item types.Value) (types.Value, error) {
			return types.NewText(types.FormatText(item, element, env)), nil
		})
	}}
}

func textCat(_ *Context, a, b types.Value) (types.Value, error) {
	if err := checkLength(len(a.Text()) + len(b.Text())); err != nil {
		return types.Null, err
	}
	return types.NewText(a.Text() + b.Text()), nil
}

func concat(_ *Context, args []types.Value) (types.Value, error) {
	return joinTexts(args, ""), nil
}

func concatSeparated(_ *Context, args []types.Value) (types.Value, error) {
	if args[0].IsNull() {
		return types.Null, nil
	}
	return joinTexts(args[1:], args[0].Text()), nil
}

func joinTexts(args []types.Value, separator string) types.Value {
	parts := make([]string, 0, len(args))
	for _, v := range args {
		if !v.IsNull() {
			parts = append(parts, v.Text())
		}
	}
	return types.NewText(strings.Join(parts, separator))
}

func md5Hex(_ *Context, a types.Value) (types.Value, error) {
	sum := md5.Sum(a.Bytes())
	return types.NewText(hex.EncodeToString(sum[:])), nil
}
