package format

import (
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/expr/builtin/number"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/numeric"
)

// toCharNumberFunctions are to_char of numbers, and to_number.
var toCharNumberFunctions = []*expr.Function{
	{Name: "to_char", Args: pg.Sig{pg.Int4, pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Number by a pattern.", Fn2: int4ToChar},
	{Name: "to_char", Args: pg.Sig{pg.Int8, pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Number by a pattern.", Fn2: int8ToChar},
	{Name: "to_char", Args: pg.Sig{pg.Float4, pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Number by a pattern.", Fn2: floatToChar(6)},
	{Name: "to_char", Args: pg.Sig{pg.Float8, pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Number by a pattern.", Fn2: floatToChar(15)},
	{Name: "to_char", Args: pg.Sig{pg.Numeric, pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Number by a pattern.", Fn2: numericToChar},
	{Name: "to_number", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Numeric, Volatility: expr.Stable, Doc: "Number that a text is by a pattern.", Fn2: toNumber},
}

// show writes digits with their sign by a format, number signs when there are too many.
func (f *numberFormat) show(digits string) (types.Value, error) {
	digits, minus := strings.CutPrefix(digits, "-")
	before := len(digits)
	if point := strings.IndexByte(digits, '.'); point >= 0 {
		before = point
	}
	spaces := 0
	switch {
	case before < f.before:
		spaces = f.before - before
	case before > f.before:
		digits = strings.Repeat("#", f.before) + "." + strings.Repeat("#", f.after)
	}
	text, err := f.write(digits, spaces, minus)
	return types.NewText(text), err
}

// showRoman shows a roman numeral.
func (f *numberFormat) showRoman(n int64) (types.Value, error) {
	text, err := f.write(roman(n), 0, false)
	return types.NewText(text), err
}

func roman(n int64) string {
	if n < 1 || n > 3999 {
		return strings.Repeat("#", 15)
	}
	var out strings.Builder
	for _, step := range romanSteps {
		for ; n >= step.value; n -= step.value {
			out.WriteString(step.letters)
		}
	}
	return out.String()
}

var romanSteps = []struct {
	value   int64
	letters string
}{
	{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"},
	{50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
}

func int4ToChar(c *expr.Context, a, b types.Value) (types.Value, error) {
	f, err := parseNumberFormat(c, b.Text())
	switch {
	case err != nil || b.Text() == "":
		return types.NewText(""), err
	case f.roman:
		return f.showRoman(a.Int())
	case f.science:
		return showScience(float64(a.Int()), f)
	}
	return f.showInt(a, pg.Int4)
}

func int8ToChar(c *expr.Context, a, b types.Value) (types.Value, error) {
	f, err := parseNumberFormat(c, b.Text())
	switch {
	case err != nil || b.Text() == "":
		return types.NewText(""), err
	case f.roman:
		cast, _ := types.FindCast(pg.Int8, pg.Int4)
		n, err := cast.Fn(a, types.Int4, c.Env)
		if err != nil {
			return types.Null, err
		}
		return f.showRoman(n.Int())
	case f.science:
		return f.showNumericScience(apd.New(a.Int(), 0))
	}
	return f.showInt(a, pg.Int8)
}

// showInt multiplies by what V asks for within the type.
func (f *numberFormat) showInt(v types.Value, oid types.OID) (types.Value, error) {
	if f.shift {
		multiply, power := number.MulInt8, int64(1)
		if oid == pg.Int4 {
			multiply = number.MulInt4
		}
		for range f.multi {
			power *= 10
		}
		var err error
		if v, err = multiply(v, types.NewInt(power)); err != nil {
			return types.Null, err
		}
		f.before += f.multi
	}
	digits := strconv.FormatInt(v.Int(), 10)
	if f.after > 0 {
		digits += "." + strings.Repeat("0", f.after)
	}
	return f.show(digits)
}

func floatToChar(precision int) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		f, err := parseNumberFormat(c, b.Text())
		v := a.Float()
		switch {
		case err != nil || b.Text() == "":
			return types.NewText(""), err
		case f.roman:
			return f.showRoman(romanOf(v))
		case f.science:
			return showScience(v, f)
		}
		if f.shift {
			v *= math.Pow10(f.multi)
			f.before += f.multi
		}
		whole := len(cText(math.Abs(v), 0))
		f.after = max(min(f.after, precision-whole), 0)
		return f.show(cText(v, f.after))
	}
}

func romanOf(f float64) int64 {
	if !(math.Abs(f) < 1e6) {
		return 0
	}
	return int64(math.RoundToEven(f))
}

// cText is C's %.*f, with PostgreSQL's names of what is not finite.
func cText(f float64, digits int) string {
	if math.IsInf(f, 0) || f != f {
		return types.FormatText(types.NewFloat(f), types.Float8, nil)
	}
	return strconv.FormatFloat(f, 'f', digits, 64)
}

func showScience(v float64, f *numberFormat) (types.Value, error) {
	if math.IsInf(v, 0) || v != v {
		return f.noScience(), nil
	}
	text := strconv.FormatFloat(v, 'e', f.after, 64)
	if text[0] != '-' {
		text = " " + text
	}
	return types.NewText(text), nil
}

// noScience stands for what has no exponent.
func (f *numberFormat) noScience() types.Value {
	marks := []byte(" " + strings.Repeat("#", f.before+f.after+5))
	marks[f.before+1] = '.'
	return types.NewText(string(marks))
}

func numericToChar(c *expr.Context, a, b types.Value) (types.Value, error) {
	f, err := parseNumberFormat(c, b.Text())
	d := a.Numeric()
	switch {
	case err != nil || b.Text() == "":
		return types.NewText(""), err
	case f.roman:
		cast, _ := types.FindCast(pg.Numeric, pg.Int4)
		n, err := cast.Fn(types.NewNumeric(numeric.Round(d, 0)), types.Int4, c.Env)
		if err != nil {
			return types.Null, err
		}
		return f.showRoman(n.Int())
	case f.science:
		return f.showNumericScience(d)
	}
	if f.shift {
		if d, err = numeric.Mul(d, tenTo(f.multi)); err != nil {
			return types.Null, err
		}
		f.before += f.multi
	}
	return f.show(string(numeric.Append(nil, numeric.Round(d, f.after))))
}

// showNumericScience rounds the digits of a numeric with one before the point.
func (f *numberFormat) showNumericScience(d *apd.Decimal) (types.Value, error) {
	if d.Form != apd.Finite {
		return f.noScience(), nil
	}
	exponent := int64(0)
	if !d.IsZero() {
		exponent = int64(d.Exponent) + d.NumDigits() - 1
	}
	var digits apd.Decimal
	digits.Set(d)
	digits.Exponent = d.Exponent - int32(exponent)
	text := string(numeric.Append(nil, numeric.Round(&digits, f.after)))
	sign := "+"
	if exponent < 0 {
		sign, exponent = "-", -exponent
	}
	power := strconv.FormatInt(exponent, 10)
	if len(power) < 2 {
		power = "0" + power
	}
	if text[0] != '-' {
		text = " " + text
	}
	return types.NewText(text + "e" + sign + power), nil
}
