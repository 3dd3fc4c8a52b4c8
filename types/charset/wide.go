package charset

import (
	"slices"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// wide is an alphabet whose characters have several bytes.
type wide struct {
	table encoding.Encoding
	// size is the bytes of a character by its first two bytes, the second 0 if there is none.
	size func(first, second byte) int
	// valid says whether bytes of this size are a character.
	valid func(char []byte) bool
	// lacks says of characters that the table has whether PostgreSQL does not have them; nil: there are none.
	lacks func(char []byte) bool
	other map[string]rune // what PostgreSQL has otherwise
	// codes are those of characters that the table has twice, or otherwise than PostgreSQL; nil: there are none.
	codes func() map[rune][2]byte
}

func (w *wide) length(p []byte) int {
	second := byte(0)
	if len(p) > 1 {
		second = p[1]
	}
	n := w.size(p[0], second)
	if n > len(p) || n > 1 && !w.valid(p[:n]) {
		return 0
	}
	return n
}

func (w *wide) longest(c byte) int { return w.size(c, 0) }

func (w *wide) decode(dst, char []byte) ([]byte, bool) {
	if w.lacks != nil && w.lacks(char) {
		return dst, false
	}
	if r, ok := w.other[string(char)]; ok {
		return utf8.AppendRune(dst, r), true
	}
	var room [16]byte
	n, _, err := w.table.NewDecoder().Transform(room[:], char, true)
	r, first := utf8.DecodeRune(room[:n])
	if err != nil || r == utf8.RuneError || first != n {
		return dst, false
	}
	return append(dst, room[:n]...), true
}

func (w *wide) encode(dst []byte, r rune) ([]byte, bool) {
	for char, other := range w.other {
		if r == other {
			return append(dst, char...), true
		}
	}
	if w.codes != nil {
		if code, ok := w.codes()[r]; ok {
			return append(dst, code[:]...), true
		}
	}
	var text, room [16]byte
	n, _, err := w.table.NewEncoder().Transform(room[:], utf8.AppendRune(text[:0], r), true)
	char := room[:n]
	_, has := w.other[string(char)]
	if has || err != nil || w.length(char) != n || w.lacks != nil && w.lacks(char) {
		return dst, false
	}
	return append(dst, char...), true
}

// The bytes that EUC has besides ASCII, and those before characters of further tables.
const (
	eucLow, eucHigh = 0xa1, 0xfe
	shift2, shift3  = 0x8e, 0x8f
)

func inEUC(chars ...byte) bool {
	for _, c := range chars {
		if c < eucLow || c > eucHigh {
			return false
		}
	}
	return true
}

func pairSize(first, _ byte) int {
	if first < utf8.RuneSelf {
		return 1
	}
	return 2
}

func eucJPSize(first, _ byte) int {
	switch {
	case first < utf8.RuneSelf:
		return 1
	case first == shift3:
		return 3
	}
	return 2
}

func validEUCJP(char []byte) bool {
	switch char[0] {
	case shift2:
		return char[1] >= 0xa1 && char[1] <= 0xdf
	case shift3:
		return inEUC(char[1:]...)
	}
	return inEUC(char...)
}

func sjisSize(first, _ byte) int {
	if first < utf8.RuneSelf || first >= 0xa1 && first <= 0xdf {
		return 1
	}
	return 2
}

func validSJIS(char []byte) bool {
	head, tail := char[0], char[1]
	return (head >= 0x81 && head <= 0x9f || head >= 0xe0 && head <= 0xfc) &&
		(tail >= 0x40 && tail <= 0x7e || tail >= 0x80 && tail <= 0xfc)
}

func validPair(char []byte) bool { return char[1] != 0 }

func gb18030Size(first, second byte) int {
	switch {
	case first < utf8.RuneSelf:
		return 1
	case second >= '0' && second <= '9':
		return 4
	}
	return 2
}

func validGB18030(char []byte) bool {
	if char[0] < 0x81 || char[0] > 0xfe {
		return false
	}
	if len(char) == 4 {
		return char[2] >= 0x81 && char[2] <= 0xfe && char[3] >= '0' && char[3] <= '9'
	}
	return char[1] >= 0x40 && char[1] <= 0x7e || char[1] >= 0x80 && char[1] <= 0xfe
}

// What follows are characters of x/text's tables, which are those of web browsers, that PostgreSQL's do not have.

func lacksEUCJP(char []byte) bool { return len(char) == 2 && char[0] >= 0xf9 }

func lacksBig5(char []byte) bool {
	if len(char) == 1 {
		return false
	}
	switch head, tail := char[0], char[1]; head {
	case 0xa1:
		return slices.Contains([]byte{0x5a, 0xc3, 0xc5, 0xfe}, tail)
	case 0xa2:
		return tail == 0x40 || tail == 0xcc || tail == 0xce
	case 0xa3:
		return tail >= 0xc0
	case 0xc6:
		return tail >= 0xa1
	case 0xc7, 0xc8:
		return true
	case 0xf9:
		return tail >= 0xd6
	default:
		return head < 0xa1 || head > 0xf9
	}
}

// codesOf finds the first code of each character, but the last of those that later says are better.
func codesOf(w *wide, later byte) func() map[rune][2]byte {
	return sync.OnceValue(func() map[rune][2]byte {
		codes := map[rune][2]byte{}
		for head := 0x81; head <= 0xfc; head++ {
			for tail := 0x40; tail <= 0xfe; tail++ {
				char := []byte{byte(head), byte(tail)}
				if w.length(char) != 2 {
					continue
				}
				text, ok := w.decode(nil, char)
				r, _ := utf8.DecodeRune(text)
				if code, known := codes[r]; ok && (!known || byte(head) >= later && code[0] > 0x81) {
					codes[r] = [2]byte(char)
				}
			}
		}
		return codes
	})
}

func lacksGBK(char []byte) bool {
	if len(char) == 1 {
		return false
	}
	switch head, tail := char[0], char[1]; head {
	case 0xa2:
		return tail == 0xe3
	case 0xa3:
		return tail == 0xa0
	case 0xa8:
		return tail == 0xbf
	case 0xa9:
		return tail >= 0x89 && tail <= 0x95
	case 0xfe:
		return tail >= 0x50
	}
	return false
}

func lacksEUCCN(char []byte) bool {
	switch head, tail := char[0], char[1]; head {
	case 0xa2:
		return tail <= 0xaa || tail == 0xe3
	case 0xa6:
		return tail >= 0xe0
	case 0xa8:
		return tail >= 0xbb && tail <= 0xc0
	}
	return false
}
