package work

import (
	"cmp"
	"strings"
	"unicode/utf8"
	"unsafe"

	"zproxy/sqlerr"
	"zproxy/types"
)

// PieceBytes is how much of a text is worked on between two ticks.
const PieceBytes = 16 << 10

// Pieces calls f for the parts of a text in their order. None is long and none begins within
// a character. Each byte is some units of work.
func (m *Meter) Pieces(s string, units int, f func(piece string)) error {
	for s != "" {
		n := FirstPiece(s)
		if err := m.Tick(n * units); err != nil {
			return err
		}
		f(s[:n])
		s = s[n:]
	}
	return nil
}

// FirstPiece is the length of the first piece of a text.
func FirstPiece(s string) int {
	n := min(PieceBytes, len(s))
	for n < len(s) && n > PieceBytes-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// AddPieces appends what f makes of the pieces of a text.
func (t *Text) AddPieces(s string, units int, f func(piece string) string) {
	err := t.m.Pieces(s, units, func(piece string) { t.Add(f(piece)) })
	if t.Err == nil {
		t.Err = err
	}
}

// Offset is where the character with a number from 0 begins, or the end of a shorter text.
func (m *Meter) Offset(s string, number int64) (int, error) {
	at := 0
	for number > 0 && at < len(s) {
		piece := s[at : at+FirstPiece(s[at:])]
		if err := m.Tick(len(piece)); err != nil {
			return 0, err
		}
		count := int64(utf8.RuneCountInString(piece))
		if count <= number {
			number -= count
			at += len(piece)
			continue
		}
		for i := range piece {
			if number == 0 {
				return at + i, nil
			}
			number--
		}
	}
	return at, nil
}

// MapPieces is a text of what f makes of its pieces.
func (m *Meter) MapPieces(s string, units int, f func(piece string) string) (types.Value, error) {
	out := m.Text(len(s))
	out.AddPieces(s, units, f)
	return out.Value()
}

// TryPieces is a value of what f appends for the pieces of a text, about so many bytes in all.
func (m *Meter) TryPieces(s string, units, bytes int,
	f func(dst []byte, piece string) ([]byte, error)) (types.Value, error) {
	var bad error
	var buffer []byte
	out := m.Text(bytes)
	err := m.Pieces(s, units, func(piece string) {
		if bad == nil && out.Err == nil {
			buffer, bad = f(buffer[:0], piece)
			out.AddBytes(buffer)
		}
	})
	if err = cmp.Or(err, bad); err != nil {
		return types.Null, err
	}
	return out.Value()
}

// Text makes a text piece by piece. It keeps the first error, and takes nothing more then.
type Text struct {
	m    *Meter
	out  []byte
	room int   // bytes that were charged
	Err  error // the first one; nothing is taken after it
}

// Text begins a text that will have about so many bytes.
func (m *Meter) Text(bytes int) *Text {
	t := &Text{m: m}
	t.reserve(bytes)
	return t
}

func (t *Text) reserve(bytes int) {
	if t.Err = CheckLength(bytes); t.Err == nil {
		t.Err = t.m.Make(int64(bytes)) // what there was is garbage, which takes as much as before
	}
	if t.Err == nil {
		old := t.out
		t.room, t.out = bytes, make([]byte, 0, bytes)
		t.copy(unsafe.String(unsafe.SliceData(old), len(old)))
	}
}

// copy appends to a text that has room.
func (t *Text) copy(s string) {
	for t.Err == nil {
		n := min(copyBytes, len(s))
		if t.Err = t.m.Tick(1 + n); t.Err == nil {
			t.out = append(t.out, s[:n]...)
		}
		if s = s[n:]; s == "" {
			return
		}
	}
}

// Under charges what follows to another meter.
func (t *Text) Under(m *Meter) { t.m = m }

// Add appends to the text.
func (t *Text) Add(s string) {
	if t.Err == nil && len(t.out)+len(s) > t.room {
		t.reserve(max(len(t.out)+len(s), min(2*t.room, MaxText), 64))
	}
	t.copy(s)
}

// AddBytes is add for bytes.
func (t *Text) AddBytes(p []byte) { t.Add(unsafe.String(unsafe.SliceData(p), len(p))) }

// copyBytes is how much is copied between two ticks.
const copyBytes = 128 << 10

// Len is how many bytes were added.
func (t *Text) Len() int { return len(t.out) }

// SoFar is what was added. It stays as it is when more is added.
func (t *Text) SoFar() string { return unsafe.String(unsafe.SliceData(t.out), len(t.out)) }

// Value is the text, which then belongs to the value.
func (t *Text) Value() (types.Value, error) {
	if t.Err != nil {
		return types.Null, t.Err
	}
	return types.NewText(t.SoFar()), nil
}

// Bytes is value for bytes.
func (t *Text) Bytes() (types.Value, error) {
	if t.Err != nil {
		return types.Null, t.Err
	}
	return types.NewBytes(t.out), nil
}

// Concat is all parts one after the other. They may be of bytes.
func (m *Meter) Concat(parts ...string) *Text {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	out := m.Text(n)
	for _, p := range parts {
		out.Add(p)
	}
	return out
}

// Characters is the number of characters of a text.
func (m *Meter) Characters(s string) (n int, err error) {
	err = m.Pieces(s, 1, func(piece string) { n += utf8.RuneCountInString(piece) })
	return n, err
}

// MaxText is the longest text that a function makes: PostgreSQL's limit of one
// allocation.
const MaxText = 1<<30 - 5

// CheckLength refuses a text that would be too long.
func CheckLength(n int) error {
	if n > MaxText {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "requested length too large")
	}
	return nil
}

// IndexIn is strings.Index in a text that may be long.
func (m *Meter) IndexIn(s, part string) (int, error) {
	const step = 128 << 10
	for at := 0; ; at += step {
		n := min(step+len(part)-1, len(s)-at)
		found := strings.Index(s[at:at+n], part)
		looked := n
		if found >= 0 {
			looked = found + 1
		}
		if err := m.Tick(looked); err != nil {
			return 0, err
		}
		if found >= 0 {
			return at + found, nil
		}
		if at+n == len(s) {
			return -1, nil
		}
	}
}
