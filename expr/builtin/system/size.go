package system

import (
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	numbers "zproxy/expr/builtin/number"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/numeric"
)

// sizeFunctions write and read numbers of bytes for people.
var sizeFunctions = []*expr.Function{
	{Name: "pg_size_pretty", Args: pg.Sig{pg.Int8}, Result: pg.Text, Doc: "Number of bytes with a unit.", Fn1: sizePretty},
	{Name: "pg_size_pretty", Args: pg.Sig{pg.Numeric}, Result: pg.Text, Doc: "Number of bytes with a unit.", Fn1: numericSizePretty},
	{Name: "pg_size_bytes", Args: pg.Sig{pg.Text}, Result: pg.Int8, Doc: "Number of bytes that a text with a unit says.", Fn1: sizeBytes},
}

// sizeUnits are powers of 1024. A number is shown in the first unit in which, rounded, it
// stays below the limit.
var sizeUnits = []struct {
	name  string
	limit int64 // of the number before it is halved
	bits  int   // in half units, but for bytes
}{
	{"bytes", 10 * 1024, 0}, {"kB", 20*1024 - 1, 9}, {"MB", 20*1024 - 1, 19},
	{"GB", 20*1024 - 1, 29}, {"TB", 20*1024 - 1, 39}, {"PB", 20*1024 - 1, 49},
}

func sizePretty(_ *expr.Context, a types.Value) (types.Value, error) {
	return numericSizePretty(nil, types.NewNumeric(apd.New(a.Int(), 0)))
}

// numericSizePretty divides in steps, as PostgreSQL does: down to half units, of which
// each is rounded to a whole one, half away from zero.
func numericSizePretty(_ *expr.Context, a types.Value) (types.Value, error) {
	d, shift := a.Numeric(), 0
	for i, unit := range sizeUnits {
		for ; shift < unit.bits; shift++ {
			d = halved(d)
		}
		magnitude, err := numbers.AbsNumeric(d)
		if err != nil {
			return types.Null, err
		}
		if i < len(sizeUnits)-1 && numeric.Compare(magnitude, apd.New(unit.limit, 0)) >= 0 {
			continue
		}
		if unit.bits > 0 {
			if d, err = roundHalf(d); err != nil {
				return types.Null, err
			}
		}
		return types.NewText(string(numeric.Append(nil, d)) + " " + unit.name), nil
	}
	return types.Null, nil
}

// halved cuts towards zero.
func halved(d *apd.Decimal) *apd.Decimal {
	if d.Form != apd.Finite {
		return d
	}
	z := new(apd.Decimal).Set(numeric.Trunc(d, 0))
	z.Coeff.Rsh(&z.Coeff, 1)
	z.Negative = z.Negative && z.Coeff.Sign() != 0
	return z
}

// roundHalf makes whole units of half ones.
func roundHalf(d *apd.Decimal) (*apd.Decimal, error) {
	one := apd.New(1, 0)
	if d.Negative {
		one = apd.New(-1, 0)
	}
	up, err := numeric.Add(numeric.Trunc(d, 0), one)
	if err != nil {
		return nil, err
	}
	return halved(up), nil
}

// sizeBytes reads a number, perhaps with an exponent, and a unit.
func sizeBytes(_ *expr.Context, a types.Value) (types.Value, error) {
	s := strings.TrimLeft(a.Text(), " \t\n\r\v\f")
	number, unit := splitSize(s)
	if strings.Trim(number, "+-.") == "" {
		return types.Null, badSize(a.Text())
	}
	v, err := types.ParseText(number, types.Numeric, nil)
	if err != nil {
		return types.Null, err
	}
	unit = strings.Trim(unit, " \t\n\r\v\f")
	bits := map[string]uint{"": 0, "bytes": 0, "b": 0, "kb": 10, "mb": 20, "gb": 30, "tb": 40, "pb": 50}
	power, known := bits[strings.ToLower(unit)]
	if !known {
		return types.Null, badSize(a.Text()).WithDetail("Invalid size unit: \"%s\".", unit).
			WithHint("Valid units are \"bytes\", \"B\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\".")
	}
	product, err := numeric.Mul(v.Numeric(), apd.New(1<<power, 0))
	if err != nil {
		return types.Null, err
	}
	cast, _ := types.FindCast(pg.Numeric, pg.Int8)
	return cast.Fn(types.NewNumeric(product), types.Int8, nil)
}

func badSize(s string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid size: \"%s\"", s)
}

// splitSize cuts behind the number: a minus, digits, a point, and an exponent if digits
// follow.
func splitSize(s string) (number, rest string) {
	digits := func(at int) int {
		for at < len(s) && '0' <= s[at] && s[at] <= '9' {
			at++
		}
		return at
	}
	end := 0
	if s != "" && s[0] == '-' {
		end++
	}
	end = digits(end)
	if end < len(s) && s[end] == '.' {
		end = digits(end + 1)
	}
	if end < len(s) && s[end]|0x20 == 'e' {
		start := end + 1
		if start < len(s) && (s[start] == '-' || s[start] == '+') {
			start++
		}
		if exponent := digits(start); exponent > start {
			end = exponent
		}
	}
	return s[:end], s[end:]
}
