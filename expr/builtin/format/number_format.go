package format

import (
	"strings"

	"zproxy/expr"
	"zproxy/sqlerr"
)

// numberFormat is what a pattern of a number says as a whole, as PostgreSQL reads it.
type numberFormat struct {
	fields  []pattern
	context *expr.Context

	before, after int // digits before and after the point
	multi         int // digits behind V
	zeroStart     int // where 0 begins to fill up, from 1; 0 for never
	zeroEnd       int
	signAt        int // digits before S

	sign                                signPosition
	decimal, zero, blank, fill, bracket bool
	minus, plus, roman, shift, science  bool
}

// signPosition is where S puts the sign.
type signPosition uint8

const (
	signNone signPosition = iota
	signBefore
	signAfter
)

func parseNumberFormat(c *expr.Context, s string) (*numberFormat, error) {
	fields, err := numberPatterns.parse(c, s)
	if err != nil {
		return nil, err
	}
	f := &numberFormat{fields: fields, context: c}
	for _, p := range f.fields {
		if p.kind != patternField {
			continue
		}
		if f.science && p.key != "EEEE" {
			return nil, badFormat(`"EEEE" must be the last pattern used`)
		}
		if err := f.prepare(p.key); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func badFormat(text string) *sqlerr.Error { return sqlerr.New(sqlerr.SyntaxError, "%s", text) }

func (f *numberFormat) prepare(key string) error {
	switch key {
	case "9", "0":
		return f.digit(key)
	case "D", ".":
		switch {
		case f.decimal:
			return badFormat("multiple decimal points")
		case f.shift:
			return badFormat(`cannot use "V" and decimal point together`)
		}
		f.decimal = true
	case "V":
		if f.decimal {
			return badFormat(`cannot use "V" and decimal point together`)
		}
		f.shift = true
	case "B":
		f.blank = f.blank || f.before == 0 && f.after == 0 && !f.zero
	case "FM":
		f.fill = true
	case "RN":
		f.roman = true
	case "EEEE":
		return f.exponent()
	case "S", "MI", "PL", "SG", "PR":
		return f.signField(key)
	}
	return nil
}

func (f *numberFormat) digit(key string) error {
	if f.bracket {
		return badFormat(`"` + key + `" must be ahead of "PR"`)
	}
	if key == "9" && f.shift {
		f.multi++
		return nil
	}
	if key == "0" && !f.zero && !f.decimal {
		f.zero, f.zeroStart = true, f.before+1
	}
	if f.decimal {
		f.after++
	} else {
		f.before++
	}
	if key == "0" {
		f.zeroEnd = f.before + f.after
	}
	return nil
}

func (f *numberFormat) exponent() error {
	switch {
	case f.science:
		return badFormat(`cannot use "EEEE" twice`)
	case f.blank, f.fill, f.sign != signNone, f.bracket, f.minus, f.plus, f.roman, f.shift:
		return badFormat(`"EEEE" is incompatible with other formats`).
			WithDetail(`"EEEE" may only be used together with digit and decimal point patterns.`)
	}
	f.science = true
	return nil
}

func (f *numberFormat) signField(key string) error {
	switch {
	case key == "S" && f.sign != signNone:
		return badFormat(`cannot use "S" twice`)
	case key == "S" && (f.plus || f.minus || f.bracket):
		return badFormat(`cannot use "S" and "PL"/"MI"/"SG"/"PR" together`)
	case key == "PR" && (f.sign != signNone || f.plus || f.minus):
		return badFormat(`cannot use "PR" and "S"/"PL"/"MI"/"SG" together`)
	case f.sign != signNone:
		return badFormat(`cannot use "S" and "` + key + `" together`)
	}
	switch key {
	case "S":
		f.sign, f.signAt = signBefore, f.before
		if f.decimal {
			f.sign = signAfter
		}
	case "MI":
		f.minus = true
	case "PL":
		f.plus = true
	case "SG":
		f.minus, f.plus = true, true
	case "PR":
		f.bracket = true
	}
	return nil
}

// numberWriter fills a pattern with the digits of a number, field by field.
type numberWriter struct {
	*numberFormat
	out      strings.Builder
	digits   string // with a point, without the sign
	at       int    // in digits
	negative bool   // the number's sign
	spaces   int    // places before the first digit
	current  int    // fields of digits so far
	count    int
	cut      int  // where a field met no digit any more: PostgreSQL ends the text there; -1
	last     int  // the last digit that FM keeps, -1 for all
	signed   bool // the sign is written, or has a field of its own
	started  bool // a digit is written
}

// write makes the text of a number that has at most the digits the format has.
func (f *numberFormat) write(digits string, spaces int, negative bool) (string, error) {
	w := &numberWriter{numberFormat: f, digits: digits, negative: negative, spaces: spaces, last: -1, cut: -1}
	if f.zeroStart > 0 {
		f.zeroStart--
	}
	if f.roman {
		*f = numberFormat{fields: f.fields, context: f.context, fill: f.fill, roman: true}
		w.spaces = 0
	}
	w.prepareSign()
	w.count = f.after + f.before - 1
	if f.fill && f.decimal {
		w.trimZeros()
	}
	if !w.signed && w.spaces == 0 {
		w.count++
	}
	for _, p := range f.fields {
		if err := f.context.Tick(patternUnits); err != nil {
			return "", err
		}
		if p.kind != patternField {
			w.out.WriteString(p.text)
			continue
		}
		if p.key == "TH" && w.hasOrdinal() && !isDigit(w.digits[len(w.digits)-1]) {
			return "", sqlerr.New(sqlerr.InvalidTextRepresentation, "\"%s\" is not a number", w.digits)
		}
		w.field(p)
	}
	if w.cut >= 0 {
		return w.out.String()[:w.cut], nil
	}
	return w.out.String(), nil
}

// hasOrdinal says whether TH means something.
func (w *numberWriter) hasOrdinal() bool {
	return !w.roman && w.digits[0] != '#' && !w.negative && !w.decimal
}

func (w *numberWriter) prepareSign() {
	f := w.numberFormat
	if f.plus || f.minus {
		w.signed = f.minus
		return
	}
	if !w.negative && f.fill {
		f.bracket = false
	}
	w.signed = !w.negative && f.fill && f.sign == signNone
	if f.sign == signBefore && f.before == f.signAt {
		f.sign = signAfter
	}
}

// trimZeros finds the last digit that is not a trailing zero behind the point, or the
// last that a 0 asks for.
func (w *numberWriter) trimZeros() {
	point := strings.IndexByte(w.digits, '.')
	if point < 0 {
		return
	}
	w.last = max(point, len(strings.TrimRight(w.digits, "0"))-1)
	if w.zeroEnd > w.spaces {
		w.last = max(w.last, min(len(w.digits)-1, w.zeroEnd-w.spaces))
	}
}

// lastIsPoint says that no digit behind the point is kept.
func (w *numberWriter) lastIsPoint() bool { return w.last >= 0 && w.digits[w.last] == '.' }

func (w *numberWriter) field(p pattern) {
	put := func(is bool, text string) {
		switch {
		case is:
			w.out.WriteString(text)
		case !w.fill:
			w.out.WriteString(strings.Repeat(" ", len(text)))
		}
	}
	switch p.key {
	case "9", "0", ".", "D":
		if !w.roman {
			w.digit(p.key)
		}
	case ",", "G":
		put(w.started, ",")
	case "L":
		w.out.WriteByte(' ')
	case "MI":
		put(w.negative, "-")
	case "PL":
		put(!w.negative, "+")
	case "SG":
		w.out.WriteString(map[bool]string{true: "-", false: "+"}[w.negative])
	case "RN":
		w.romanField(p)
	case "TH":
		if w.hasOrdinal() {
			w.out.WriteString(ordinal(w.digits, p.text))
		}
	}
}

func (w *numberWriter) romanField(p pattern) {
	text := w.digits
	if p.text != p.key {
		text = strings.ToLower(text)
	}
	if !w.fill {
		text = strings.Repeat(" ", max(15-len(text), 0)) + text
	}
	w.out.WriteString(text)
}

// noZeroBefore says that the 0 before the point is not shown: .5.
func (w *numberWriter) noZeroBefore() bool {
	return !w.zero && w.at == 0 && w.digits[0] == '0' && w.after != 0
}

// digit writes a digit or the point, and the sign before the first and behind the last
// of them.
func (w *numberWriter) digit(key string) {
	w.started = false
	if !w.signed && (w.current >= w.spaces || w.zero && w.zeroStart == w.current) &&
		(!w.noZeroBefore() || w.lastIsPoint()) {
		w.writeSign()
	}
	switch {
	case w.current < w.spaces && (!w.zero || w.zeroStart > w.current):
		if !w.fill {
			w.out.WriteByte(' ')
		}
	case w.current < w.spaces:
		w.out.WriteByte('0')
		w.started = true
	default:
		w.writeDigit(key)
	}
	end := w.count
	if w.spaces > 0 {
		end++
	}
	if w.decimal {
		end++
	}
	if w.last >= 0 && w.last == w.at {
		end = w.current
	}
	if w.current+1 == end {
		w.closeSign()
	}
	w.current++
}

func (w *numberWriter) writeSign() {
	switch {
	case w.sign == signAfter:
		return
	case w.sign == signBefore && !w.negative:
		w.out.WriteByte('+')
	case w.bracket && w.negative:
		w.out.WriteByte('<')
	case w.negative:
		w.out.WriteByte('-')
	case w.bracket || !w.fill:
		w.out.WriteByte(' ')
	}
	w.signed = true
}

func (w *numberWriter) closeSign() {
	switch {
	case w.signed && w.bracket:
		w.out.WriteString(map[bool]string{true: ">", false: " "}[w.negative])
	case w.sign == signAfter:
		w.out.WriteString(map[bool]string{true: "-", false: "+"}[w.negative])
	}
}

func (w *numberWriter) writeDigit(key string) {
	if w.at >= len(w.digits) {
		if w.cut < 0 && (w.last < 0 || key == "0") {
			w.cut = w.out.Len()
		}
		return
	}
	switch c := w.digits[w.at]; {
	case c == '.':
		w.out.WriteByte('.')
	case w.last >= 0 && w.at > w.last && key != "0":
	case w.noZeroBefore():
		if !w.fill {
			w.out.WriteByte(' ')
		} else if w.lastIsPoint() {
			w.out.WriteByte('0')
		}
	default:
		w.out.WriteByte(c)
		w.started = true
	}
	w.at++
}
