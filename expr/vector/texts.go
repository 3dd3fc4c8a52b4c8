package vector

import (
	"encoding/binary"
	"unicode/utf8"

	"zproxy/types"
)

// longText is from how many bytes on a text is left to the function, which asks whether the statement is to end.
const longText = 16 << 10

// textKernels are those of texts.
var textKernels = map[signature]kernel{
	of("length", types.OIDText):           lengths(characters),
	of("char_length", types.OIDText):      lengths(characters),
	of("character_length", types.OIDText): lengths(characters),
	of("octet_length", types.OIDText):     lengths(func(text []byte) int { return len(text) }),
	of("length", types.OIDBpchar):         lengths(characters),

	of("substring", types.OIDText, types.OIDInt4, types.OIDInt4): substrings,
	of("substr", types.OIDText, types.OIDInt4, types.OIDInt4):    substrings,
	of("lower", types.OIDText):                                   inCase('A', 'Z'),
	of("upper", types.OIDText):                                   inCase('a', 'z'),
	of("||", types.OIDText, types.OIDText):                       concatenations,
}

// lengths are those of texts, of a char(n) without its blanks.
func lengths(of func(text []byte) int) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		for _, i := range sel {
			text := args[0].Compared(int(i))
			if len(text) > longText {
				return false
			}
			out.Ints[i] = int64(of(text))
		}
		return true
	}
}

// characters is utf8.RuneCount: most texts have only characters of a byte.
func characters(text []byte) int {
	if isASCII(text) {
		return len(text)
	}
	return utf8.RuneCount(text)
}

func isASCII(text []byte) bool {
	for ; len(text) >= 8; text = text[8:] {
		if binary.LittleEndian.Uint64(text)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// substrings are parts of texts, by the number of their first character and how many there are.
func substrings(args []*types.Vector, out *types.Vector, sel []int32) bool {
	text, from, length := args[0], args[1].Ints, args[2].Ints
	put := putter{out: out}
	for _, i := range sel {
		s, first, end := text.Text(int(i)), from[i]-1, from[i]-1+length[i]
		if length[i] < 0 || len(s) > longText {
			return false
		}
		begin := offset(s, max(first, 0))
		put.text(int(i), s[begin:begin+offset(s[begin:], max(end-max(first, 0), 0))])
	}
	put.end()
	return true
}

// inCase is the kernel of texts whose letters in a range have the other case. It leaves letters of more than a byte to
// the function.
func inCase(first, last byte) kernel {
	var cased [utf8.RuneSelf]byte
	for c := range cased {
		if cased[c] = byte(c); byte(c) >= first && byte(c) <= last {
			cased[c] ^= 'a' - 'A'
		}
	}
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		put := putter{out: out}
		for _, i := range sel {
			text := args[0].Text(int(i))
			if len(text) > longText || !isASCII(text) {
				return false
			}
			put.skip(int(i))
			begin := len(out.Bytes)
			put.text(int(i), text)
			made := out.Bytes[begin:]
			for at, c := range made {
				made[at] = cased[c&(utf8.RuneSelf-1)]
			}
		}
		put.end()
		return true
	}
}

// concatenations are texts and others behind them.
func concatenations(args []*types.Vector, out *types.Vector, sel []int32) bool {
	put := putter{out: out}
	for _, i := range sel {
		a, b := args[0].Text(int(i)), args[1].Text(int(i))
		if len(a)+len(b) > longText {
			return false
		}
		put.text(int(i), a, b)
	}
	put.end()
	return true
}

// putter fills a vector with the texts of some of its rows, in their order. Each text begins where that of the row
// before ends, so that all have one.
type putter struct {
	out  *types.Vector
	next int
}

func (p *putter) text(row int, parts ...[]byte) {
	p.skip(row)
	for _, part := range parts {
		p.out.Bytes = append(p.out.Bytes, part...)
	}
	p.out.PutText(row, nil)
	p.next++
}

func (p *putter) skip(to int) {
	for ; p.next < to; p.next++ {
		p.out.PutText(p.next, nil)
	}
}

// end gives the rows behind the last one their texts.
func (p *putter) end() { p.skip(len(p.out.Ends)) }

// offset is where a character begins, by its number from 0, or the end of a text that has fewer.
func offset(s []byte, number int64) int {
	at := 0
	for ; number > 0 && at < len(s); number-- {
		if s[at] < utf8.RuneSelf {
			at++
			continue
		}
		_, size := utf8.DecodeRune(s[at:])
		at += size
	}
	return at
}
