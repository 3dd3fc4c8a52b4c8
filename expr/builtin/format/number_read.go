package format

import (
	"strings"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/expr/builtin/number"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/numeric"
)

func toNumber(c *expr.Context, a, b types.Value) (types.Value, error) {
	if b.Text() == "" {
		return types.Null, nil
	}
	f, err := parseNumberFormat(c, b.Text())
	switch {
	case err != nil:
		return types.Null, err
	case f.science:
		return types.Null, sqlerr.New(sqlerr.FeatureNotSupported, "\"EEEE\" not supported for input")
	case f.roman:
		return types.Null, sqlerr.New(sqlerr.FeatureNotSupported, "\"RN\" not supported for input")
	}
	r := numberReader{numberFormat: f, in: a.Text(), signRead: ' '}
	text, err := r.read()
	if err != nil {
		return types.Null, err
	}
	v, err := types.ParseText(text, types.Numeric, c.Env)
	if err != nil {
		return types.Null, err
	}
	precision := f.before + f.multi + r.after
	v, err = types.ApplyMod(v, types.T{OID: pg.Numeric, Mod: numeric.Modifier(precision, r.after)}, true, nil)
	if err != nil || !f.shift {
		return v, err
	}
	power, err := number.PowerNumeric(apd.New(10, 0), apd.New(int64(-f.multi), 0))
	if err != nil {
		return types.Null, err
	}
	return number.NumericValue(numeric.Mul(v.Numeric(), power))
}

func tenTo(n int) *apd.Decimal {
	power := apd.New(1, 0)
	power.Coeff.Exp(apd.NewBigInt(10), apd.NewBigInt(int64(n)), nil)
	return power
}

// numberReader takes the digits of a text as the fields of a pattern ask for them.
type numberReader struct {
	*numberFormat
	in       string
	at       int
	signRead byte // a blank until there is one
	digits   []byte
	before   int // digits read before the point, and behind it
	after    int
	point    bool
	isRead   bool
}

func (r *numberReader) read() (string, error) {
	for _, p := range r.fields {
		if err := r.context.Tick(patternUnits); err != nil {
			return "", err
		}
		switch {
		case r.at >= len(r.in):
		case p.kind != patternField:
			r.skip()
		default:
			r.field(p)
		}
	}
	return strings.TrimSuffix(string(r.signRead)+string(r.digits), "."), nil
}

func (r *numberReader) skip() {
	_, n := utf8.DecodeRuneInString(r.in[r.at:])
	r.at += n
}

func (r *numberReader) field(p pattern) {
	switch p.key {
	case "9", "0", ".", "D":
		r.digit(p.key)
		r.at++
	case ",", "G":
		if r.fill && len(r.digits) == 0 {
			return
		}
		if r.in[r.at] == ',' {
			r.at++
		}
	case "L":
		r.skipOther(1)
	case "TH":
		if !r.decimal && r.signRead != '-' {
			r.skipOther(2)
		}
	case "MI":
		r.signOr("-")
	case "PL":
		r.signOr("+")
	case "SG":
		r.signOr("+-")
	}
}

// skipOther passes over characters that no number has.
func (r *numberReader) skipOther(n int) {
	for ; n > 0 && r.at < len(r.in) && !strings.ContainsRune("0123456789.,+-", rune(r.in[r.at])); n-- {
		r.skip()
	}
}

func (r *numberReader) signOr(signs string) {
	if strings.IndexByte(signs, r.in[r.at]) < 0 {
		r.skipOther(1)
		return
	}
	r.signRead = r.in[r.at]
	r.at++
}

func (r *numberReader) end() bool { return r.at >= len(r.in) }

// digit reads one digit or the point, with the sign before the first or behind the last.
// It stays on the last character that it took.
func (r *numberReader) digit(key string) {
	r.isRead = false
	if r.in[r.at] == ' ' {
		r.at++
	}
	if r.end() {
		return
	}
	if r.signRead == ' ' && (key == "0" || key == "9") && r.before+r.after == 0 {
		r.leadingSign()
	}
	if r.end() {
		return
	}
	switch c := r.in[r.at]; {
	case isDigit(c):
		if r.point && r.after == r.numberFormat.after {
			return
		}
		r.digits = append(r.digits, c)
		if r.point {
			r.after++
		} else {
			r.before++
		}
		r.isRead = true
	case c == '.' && r.decimal && !r.point:
		r.digits = append(r.digits, c)
		r.point, r.isRead = true, true
	}
	if r.signRead == ' ' && r.before+r.after > 0 {
		r.trailingSign()
	}
}

func (r *numberReader) leadingSign() {
	switch c := r.in[r.at]; {
	case c == '-', c == '<' && r.bracket:
		r.signRead = '-'
	case c == '+':
		r.signRead = '+'
	default:
		return
	}
	r.at++
}

func (r *numberReader) trailingSign() {
	switch {
	case r.sign != signNone && r.isRead:
		if next := r.at + 1; next < len(r.in) && (r.in[next] == '-' || r.in[next] == '+') {
			r.signRead = r.in[next]
			r.at = next
		}
	case !r.isRead && r.sign == signNone:
		if c := r.in[r.at]; c == '-' || c == '+' {
			r.signRead = c
		}
	}
}
