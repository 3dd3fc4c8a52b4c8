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
	of("length", types.OIDBpchar):         lengthsWithoutBlanks,

	of("substring", types.OIDText, types.OIDInt4, types.OIDInt4): substrings,
	of("substr", types.OIDText, types.OIDInt4, types.OIDInt4):    substrings,
	of("||", types.OIDText, types.OIDText):                       concatenations,
}

func lengths(of func(text []byte) int) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		for _, i := range sel {
			text := args[0].Text(int(i))
			if len(text) > longText {
				return false
			}
			out.Ints[i] = int64(of(text))
		}
		return true
	}
}

// characters is utf8.RuneCount, for which most texts have only characters of a byte.
func characters(text []byte) int {
	rest := text
	for ; len(rest) >= 8; rest = rest[8:] {
		if binary.LittleEndian.Uint64(rest)&0x8080808080808080 != 0 {
			return len(text) - len(rest) + utf8.RuneCount(rest)
		}
	}
	return len(text) - len(rest) + utf8.RuneCount(rest)
}

func lengthsWithoutBlanks(args []*types.Vector, out *types.Vector, sel []int32) bool {
	for _, i := range sel {
		text := args[0].Compared(int(i))
		if len(text) > longText {
			return false
		}
		out.Ints[i] = int64(characters(text))
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
