// Package money is the functions and operators of amounts of money. The forms of amounts, and their casts, are in
// package types/money. Begin with Functions.
package money

import (
	"math"

	"zproxy/expr"
	"zproxy/expr/builtin/number"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/integer"
	"zproxy/types/money"
	"zproxy/types/numeric"
)

// Functions are all of them, but for comparisons and casts.
var Functions = append([]*expr.Function{
	{Name: "cash_pl", Operator: "+", Args: pg.Sig{pg.Money, pg.Money}, Result: pg.Money, Doc: "Sum.", Fn2: expr.Of2(Add)},
	{Name: "cash_mi", Operator: "-", Args: pg.Sig{pg.Money, pg.Money}, Result: pg.Money, Doc: "Difference.", Fn2: expr.Of2(sub)},
	{Name: "cash_div_cash", Operator: "/", Args: pg.Sig{pg.Money, pg.Money}, Result: pg.Float8, Doc: "Quotient of two amounts.", Fn2: expr.Of2(ratio)},
	{Name: "cash_words", Args: pg.Sig{pg.Money}, Result: pg.Text, Doc: "Amount in words.", Fn1: inWords},
}, scaled()...)

type binary = func(a, b types.Value) (types.Value, error)

// factors are the numbers that amounts are multiplied with and divided by, as names of functions have them.
var factors = []struct {
	oid      types.OID
	name     string
	mul, div binary
}{
	{pg.Float8, "flt8", mulFloat, divFloat}, {pg.Float4, "flt4", mulFloat, divFloat},
	{pg.Int8, "int8", mulInt, divInt}, {pg.Int4, "int4", mulInt, divInt}, {pg.Int2, "int2", mulInt, divInt},
}

func scaled() (all []*expr.Function) {
	for _, f := range factors {
		back := func(by, of types.Value) (types.Value, error) { return f.mul(of, by) }
		all = append(all,
			operator("cash_mul_"+f.name, "*", pg.Sig{pg.Money, f.oid}, "Product.", f.mul),
			operator(f.name+"_mul_cash", "*", pg.Sig{f.oid, pg.Money}, "Product.", back),
			operator("cash_div_"+f.name, "/", pg.Sig{pg.Money, f.oid}, "Quotient.", f.div))
	}
	return all
}

func operator(name, sign string, args pg.Sig, doc string, of binary) *expr.Function {
	return &expr.Function{Name: name, Operator: sign, Args: args, Result: pg.Money, Doc: doc, Fn2: expr.Of2(of)}
}

// Add is money + money.
func Add(a, b types.Value) (types.Value, error) { return amount(integer.Add(a.Int(), b.Int())) }

func sub(a, b types.Value) (types.Value, error) { return amount(integer.Sub(a.Int(), b.Int())) }

func amount(cents int64, fits bool) (types.Value, error) {
	if !fits {
		return types.Null, integer.OutOfRange("money")
	}
	return types.NewInt(cents), nil
}

func ratio(a, b types.Value) (types.Value, error) {
	if b.Int() == 0 {
		return types.Null, numeric.DivisionByZero()
	}
	return types.NewFloat(float64(a.Int()) / float64(b.Int())), nil
}

func mulInt(of, by types.Value) (types.Value, error) { return amount(integer.Mul(of.Int(), by.Int())) }

func divInt(of, by types.Value) (types.Value, error) {
	if by.Int() == 0 {
		return types.Null, numeric.DivisionByZero()
	}
	return types.NewInt(of.Int() / by.Int()), nil
}

func mulFloat(of, by types.Value) (types.Value, error) {
	return rounded(number.MulFloat8(types.NewFloat(float64(of.Int())), by))
}

func divFloat(of, by types.Value) (types.Value, error) {
	return rounded(number.DivFloat8(types.NewFloat(float64(of.Int())), by))
}

// rounded is the amount nearest to a number of cents.
func rounded(v types.Value, err error) (types.Value, error) {
	if err != nil {
		return types.Null, err
	}
	f := math.RoundToEven(v.Float())
	return amount(int64(f), f >= math.MinInt64 && f < -math.MinInt64)
}

func inWords(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewText(money.Words(a.Int())), nil
}
