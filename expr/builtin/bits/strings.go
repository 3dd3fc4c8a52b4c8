package bits

import (
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/text"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/form"
)

// stringFunctions are those of strings of bits. A bit is a byte, '0' or '1'.
var stringFunctions = []*expr.Function{
	{Name: "bitand", Operator: "&", Args: pg.Sig{pg.Bit, pg.Bit}, Result: pg.Bit, Doc: "Bitwise and.", Fn2: And},
	{Name: "bitor", Operator: "|", Args: pg.Sig{pg.Bit, pg.Bit}, Result: pg.Bit, Doc: "Bitwise or.", Fn2: Or},
	{Name: "bitxor", Operator: "#", Args: pg.Sig{pg.Bit, pg.Bit}, Result: pg.Bit, Doc: "Bitwise exclusive or.", Fn2: Xor},
	{Name: "bitnot", Operator: "~", Args: pg.Sig{pg.Bit}, Result: pg.Bit, Doc: "Bitwise not.", Fn1: not},
	{Name: "bitshiftleft", Operator: "<<", Args: pg.Sig{pg.Bit, pg.Int4}, Result: pg.Bit, Doc: "Bits moved to the left, with zeros behind them.", Fn2: shiftLeft},
	{Name: "bitshiftright", Operator: ">>", Args: pg.Sig{pg.Bit, pg.Int4}, Result: pg.Bit, Doc: "Bits moved to the right, with zeros before them.", Fn2: shiftRight},
	{Name: "bitcat", Operator: "||", Args: pg.Sig{pg.Varbit, pg.Varbit}, Result: pg.Varbit, Doc: "Both strings of bits together.", Fn2: concat},
	{Name: "length", Args: pg.Sig{pg.Bit}, Result: pg.Int4, Doc: "Number of bits.", Fn1: text.OctetLength},
	{Name: "bit_length", Args: pg.Sig{pg.Bit}, Result: pg.Int4, Doc: "Number of bits.", Fn1: text.OctetLength},
	{Name: "octet_length", Args: pg.Sig{pg.Bit}, Result: pg.Int4, Doc: "Number of bytes that the bits take.", Fn1: octets},
	{Name: "bit_count", Args: pg.Sig{pg.Bit}, Result: pg.Int8, Doc: "Number of bits that are set.", Fn1: countOnes},
	{Name: "get_bit", Args: pg.Sig{pg.Bit, pg.Int4}, Result: pg.Int4, Doc: "Bit at a position from 0, which is the leftmost.", Fn2: bitAt},
	{Name: "set_bit", Args: pg.Sig{pg.Bit, pg.Int4, pg.Int4}, Result: pg.Bit, Doc: "Bits with the one at a position from 0 set or cleared.", FnN: withBit},
	{Name: "substring", Args: pg.Sig{pg.Bit, pg.Int4}, Result: pg.Bit, Doc: "Part of bits from a position.", Fn2: byteaFrom},
	{Name: "substring", Args: pg.Sig{pg.Bit, pg.Int4, pg.Int4}, Result: pg.Bit, Doc: "Part of bits from a position with a length.", FnN: byteaFor},
	{Name: "position", Args: pg.Sig{pg.Bit, pg.Bit}, Result: pg.Int4, Doc: "Position of the second bits in the first, 0 when they are not there.", Fn2: position},
	{Name: "overlay", Args: pg.Sig{pg.Bit, pg.Bit, pg.Int4}, Result: pg.Bit, Doc: "Bits with a part from a position replaced.", FnN: byteaOverlay},
	{Name: "overlay", Args: pg.Sig{pg.Bit, pg.Bit, pg.Int4, pg.Int4}, Result: pg.Bit, Doc: "Bits with a part from a position and of a length replaced.", FnN: byteaOverlay},
}

// made is a string of so many bits, each of which a function gives.
func made(c *expr.Context, n int, bit func(i int) byte) (types.Value, error) {
	if err := c.Make(int64(n)); err != nil {
		return types.Null, err
	}
	out := make([]byte, n)
	for i := range out {
		if i%form.PieceBytes == 0 {
			if err := c.Tick(min(form.PieceBytes, n-i)); err != nil {
				return types.Null, err
			}
		}
		out[i] = bit(i)
	}
	return types.NewBytes(out), nil
}

// And, Or and Xor combine strings of bits of one length.
var (
	And = combine("AND", func(a, b byte) byte { return a & b })
	Or  = combine("OR", func(a, b byte) byte { return a | b })
	Xor = combine("XOR", func(a, b byte) byte { return '0' + (a ^ b) })
)

func combine(name string, of func(a, b byte) byte) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		p, q := a.Bytes(), b.Bytes()
		if len(p) != len(q) {
			return types.Null, sqlerr.New(sqlerr.StringDataLengthMismatch,
				"cannot %s bit strings of different sizes", name)
		}
		return made(c, len(p), func(i int) byte { return of(p[i], q[i]) })
	}
}

func not(c *expr.Context, a types.Value) (types.Value, error) {
	p := a.Bytes()
	return made(c, len(p), func(i int) byte { return p[i] ^ 1 })
}

func shiftLeft(c *expr.Context, a, by types.Value) (types.Value, error) {
	return shift(c, a.Bytes(), by.Int())
}

func shiftRight(c *expr.Context, a, by types.Value) (types.Value, error) {
	return shift(c, a.Bytes(), -by.Int())
}

// shift moves bits to the left, or to the right by a negative number.
func shift(c *expr.Context, p []byte, left int64) (types.Value, error) {
	return made(c, len(p), func(i int) byte {
		if from := int64(i) + left; from >= 0 && from < int64(len(p)) {
			return p[from]
		}
		return '0'
	})
}

func concat(c *expr.Context, a, b types.Value) (types.Value, error) {
	return c.Concat(a.Text(), b.Text()).Bytes()
}

func octets(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewInt(int64(len(a.Bytes())+7) / 8), nil
}

func countOnes(c *expr.Context, a types.Value) (types.Value, error) {
	n := 0
	err := c.Pieces(a.Text(), 1, func(piece string) { n += strings.Count(piece, "1") })
	return types.NewInt(int64(n)), err
}

// checkBit wants a string of bits to have a position.
func checkBit(p []byte, at int64) error {
	if at < 0 || at >= int64(len(p)) {
		return sqlerr.New(sqlerr.ArraySubscriptError, "bit index %d out of valid range (0..%d)", at, len(p)-1)
	}
	return nil
}

func bitAt(_ *expr.Context, a, at types.Value) (types.Value, error) {
	p := a.Bytes()
	if err := checkBit(p, at.Int()); err != nil {
		return types.Null, err
	}
	return types.NewInt(int64(p[at.Int()] - '0')), nil
}

func withBit(c *expr.Context, args []types.Value) (types.Value, error) {
	p, at, bit := args[0].Bytes(), args[1].Int(), args[2].Int()
	if err := checkBit(p, at); err != nil {
		return types.Null, err
	}
	if err := checkNewBit(bit); err != nil {
		return types.Null, err
	}
	return c.Concat(string(p[:at]), string('0'+rune(bit)), string(p[at+1:])).Bytes()
}

// position finds no bits in a string that has none.
func position(c *expr.Context, a, b types.Value) (types.Value, error) {
	if len(a.Bytes()) == 0 {
		return types.NewInt(0), nil
	}
	return byteaPosition(c, a, b)
}
