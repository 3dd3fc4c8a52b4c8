package vector

import (
	"unicode/utf8"

	"zproxy/types"
)

// longText is from how many bytes on a text is left to the function, which asks whether the statement is to end.
const longText = 16 << 10

// textKernels are those of texts.
var textKernels = map[signature]kernel{
	of("length", types.OIDText):           lengths(utf8.RuneCount),
	of("char_length", types.OIDText):      lengths(utf8.RuneCount),
	of("character_length", types.OIDText): lengths(utf8.RuneCount),
	of("octet_length", types.OIDText):     lengths(func(text []byte) int { return len(text) }),
	of("length", types.OIDBpchar):         lengthsWithoutBlanks,

	of("substring", types.OIDText, types.OIDInt4, types.OIDInt4): substrings,
	of("substr", types.OIDText, types.OIDInt4, types.OIDInt4):    substrings,
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

func lengthsWithoutBlanks(args []*types.Vector, out *types.Vector, sel []int32) bool {
	for _, i := range sel {
		text := args[0].Compared(int(i))
		if len(text) > longText {
			return false
		}
		out.Ints[i] = int64(utf8.RuneCount(text))
	}
	return true
}

// substrings are parts of texts, by the number of their first character and how many there are.
func substrings(args []*types.Vector, out *types.Vector, sel []int32) bool {
	text, from, length := args[0], args[1].Ints, args[2].Ints
	next := int32(0)
	for _, i := range sel {
		s, first, end := text.Text(int(i)), from[i]-1, from[i]-1+length[i]
		if length[i] < 0 || len(s) > longText {
			return false
		}
		for ; next < i; next++ { // each text begins where the one before ends
			out.PutText(int(next), nil)
		}
		begin := offset(s, max(first, 0))
		out.PutText(int(i), s[begin:begin+offset(s[begin:], max(end-max(first, 0), 0))])
		next = i + 1
	}
	for ; int(next) < len(out.Ends); next++ {
		out.PutText(int(next), nil)
	}
	return true
}

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
