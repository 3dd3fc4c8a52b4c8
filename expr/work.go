package expr

import (
	"cmp"
	"slices"
	"unicode/utf8"
	"unsafe"

	"zproxy/sqlerr"
	"zproxy/types"
)

// Memory bounds what a statement holds.
type Memory interface {
	// Grow charges what evaluation makes until the rows of the present batch are done with;
	// the caller of expressions gives it back.
	Grow(bytes int64) error
}

const (
	// tickUnits is how much work lies between two looks at Interrupt: well below a
	// millisecond of it.
	tickUnits = 64 << 10
	// smallBytes is what Make lets pass unseen: values of usual rows.
	smallBytes = 4 << 10
	// maxBytes is the size of the largest value, as in PostgreSQL.
	maxBytes = 1<<30 - 1
)

// Tick counts n units of work, about a byte copied or a comparison each, and asks
// Interrupt once in a while. Loops over a value's parts call it, since one value can be
// large enough for minutes.
func (c *Context) Tick(n int) error {
	c.units += n
	if c.units < tickUnits {
		return nil
	}
	c.units = 0
	switch {
	case c.refused != nil:
		return c.refused
	case c.Interrupt != nil:
		return c.Interrupt()
	case c.within != nil:
		return c.within.Tick(tickUnits)
	}
	return nil
}

// Make is to be called before a value of so many bytes is made. An error ends the statement, also where the caller
// has no way to say so.
func (c *Context) Make(bytes int64) error {
	if bytes <= smallBytes {
		return nil
	}
	if err := c.charge(bytes); err != nil {
		c.refused = err
	}
	return c.refused
}

// Begin is to be called when another statement begins to use the context: an error of Make ends the one that met it.
func (c *Context) Begin() { c.refused = nil }

func (c *Context) charge(bytes int64) error {
	if bytes > maxBytes {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "invalid memory alloc request size %d", bytes)
	}
	switch err := c.Tick(int(bytes)); {
	case err != nil:
		return err
	case c.Memory != nil:
		return c.Memory.Grow(bytes)
	case c.within != nil:
		return c.within.Make(bytes)
	}
	return nil
}

// Beforehand is the context in which constants are computed when no statement runs yet. It
// ends, and is bounded, as what env belongs to.
func Beforehand(env *types.Env) *Context {
	c := &Context{Env: env}
	if env != nil {
		c.within = env.Work
	}
	return c
}

// grow charges what belongs to a larger value and is too small for Make on its own.
func (c *Context) grow(bytes int) error {
	if c.small += bytes; c.small <= pieceBytes {
		return nil
	}
	bytes, c.small = c.small, 0
	return c.Make(int64(bytes))
}

// pieceBytes is how much of a text is worked on between two ticks.
const pieceBytes = 16 << 10

// pieces calls f for the parts of a text in their order. None is long and none begins within
// a character. Each byte is some units of work.
func (c *Context) pieces(s string, units int, f func(piece string)) error {
	for s != "" {
		n := firstPiece(s)
		if err := c.Tick(n * units); err != nil {
			return err
		}
		f(s[:n])
		s = s[n:]
	}
	return nil
}

// firstPiece is the length of the first piece of a text.
func firstPiece(s string) int {
	n := min(pieceBytes, len(s))
	for n < len(s) && n > pieceBytes-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// addPieces appends what f makes of the pieces of a text.
func (t *textMaker) addPieces(s string, units int, f func(piece string) string) {
	err := t.c.pieces(s, units, func(piece string) { t.add(f(piece)) })
	if t.err == nil {
		t.err = err
	}
}

// offset is where the character with a number from 0 begins, or the end of a shorter text.
func (c *Context) offset(s string, number int64) (int, error) {
	at := 0
	for number > 0 && at < len(s) {
		piece := s[at : at+firstPiece(s[at:])]
		if err := c.Tick(len(piece)); err != nil {
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

// mapPieces is a text of what f makes of its pieces.
func (c *Context) mapPieces(s string, units int, f func(piece string) string) (types.Value, error) {
	out := c.text(len(s))
	out.addPieces(s, units, f)
	return out.value()
}

// tryPieces is a value of what f appends for the pieces of a text, about so many bytes in all.
func (c *Context) tryPieces(s string, units, bytes int,
	f func(dst []byte, piece string) ([]byte, error)) (types.Value, error) {
	var bad error
	var buffer []byte
	out := c.text(bytes)
	err := c.pieces(s, units, func(piece string) {
		if bad == nil && out.err == nil {
			buffer, bad = f(buffer[:0], piece)
			out.addBytes(buffer)
		}
	})
	if err = cmp.Or(err, bad); err != nil {
		return types.Null, err
	}
	return out.value()
}

// textMaker makes a text piece by piece. It keeps the first error, and takes nothing more then.
type textMaker struct {
	c    *Context
	out  []byte
	room int // bytes that were charged
	err  error
}

// text begins a text that will have about so many bytes.
func (c *Context) text(bytes int) *textMaker {
	t := &textMaker{c: c}
	t.reserve(bytes)
	return t
}

func (t *textMaker) reserve(bytes int) {
	if t.err = checkLength(bytes); t.err == nil {
		t.err = t.c.Make(int64(bytes)) // what there was is garbage, which takes as much as before
	}
	if t.err == nil {
		old := t.out
		t.room, t.out = bytes, make([]byte, 0, bytes)
		t.copy(unsafe.String(unsafe.SliceData(old), len(old)))
	}
}

// copy appends to a text that has room.
func (t *textMaker) copy(s string) {
	for t.err == nil {
		n := min(copyBytes, len(s))
		if t.err = t.c.Tick(1 + n); t.err == nil {
			t.out = append(t.out, s[:n]...)
		}
		if s = s[n:]; s == "" {
			return
		}
	}
}

// add appends to the text.
func (t *textMaker) add(s string) {
	if t.err == nil && len(t.out)+len(s) > t.room {
		t.reserve(max(len(t.out)+len(s), min(2*t.room, maxTextBytes), 64))
	}
	t.copy(s)
}

// addBytes is add for bytes.
func (t *textMaker) addBytes(p []byte) { t.add(unsafe.String(unsafe.SliceData(p), len(p))) }

// copyBytes is how much is copied between two ticks.
const copyBytes = 128 << 10

// soFar is what was added. It stays as it is when more is added.
func (t *textMaker) soFar() string { return unsafe.String(unsafe.SliceData(t.out), len(t.out)) }

// value is the text, which then belongs to the value.
func (t *textMaker) value() (types.Value, error) {
	if t.err != nil {
		return types.Null, t.err
	}
	return types.NewText(t.soFar()), nil
}

// bytes is value for bytes.
func (t *textMaker) bytes() (types.Value, error) {
	if t.err != nil {
		return types.Null, t.err
	}
	return types.NewBytes(t.out), nil
}

// concat is all parts one after the other. They may be of bytes.
func (c *Context) concat(parts ...string) *textMaker {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	out := c.text(n)
	for _, p := range parts {
		out.add(p)
	}
	return out
}

// characters is the number of characters of a text.
func (c *Context) characters(s string) (n int, err error) {
	err = c.pieces(s, 1, func(piece string) { n += utf8.RuneCountInString(piece) })
	return n, err
}

// chunks is a list that grows without being copied, since copying a long one takes long and nothing
// ends it.
type chunks[T any] struct {
	full [][]T
	last []T
}

// chunkItems is the length of the chunks but the first, which begins small.
const chunkItems = 16 << 10

func (l *chunks[T]) add(v T) {
	if len(l.last) == chunkItems {
		l.full = append(l.full, l.last)
		l.last = make([]T, 0, chunkItems)
	}
	l.last = append(l.last, v)
}

func (l *chunks[T]) len() int { return len(l.full)*chunkItems + len(l.last) }

// all is the whole list, which stays as it is.
func (l *chunks[T]) all(c *Context) ([]T, error) {
	if l.full == nil {
		return slices.Clip(l.last), nil
	}
	var v T
	if err := c.Make(int64(l.len()) * int64(unsafe.Sizeof(v))); err != nil {
		return nil, err
	}
	out := make([]T, 0, l.len())
	for _, chunk := range append(slices.Clip(l.full), l.last) {
		if err := c.Tick(len(chunk) * int(unsafe.Sizeof(v))); err != nil {
			return nil, err
		}
		out = append(out, chunk...)
	}
	return out, nil
}

// items gathers values. It keeps the first error, and takes nothing more then.
type items struct {
	c    *Context
	list chunks[types.Value]
	err  error
}

// all is what was gathered.
func (i *items) all() ([]types.Value, error) {
	if i.err != nil {
		return nil, i.err
	}
	return i.list.all(i.c)
}

const itemBytes = int(unsafe.Sizeof(types.Value{}))

// makeItems is Make for a list of values.
func (c *Context) makeItems(n int) error { return c.Make(int64(n) * int64(itemBytes)) }

// joinItems is the items of several lists one after the other, in a list of their own. They are copied in pieces, between
// which the statement can end.
func joinItems(c *Context, lists ...[]types.Value) ([]types.Value, error) {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	if err := c.makeItems(n); err != nil {
		return nil, err
	}
	out := make([]types.Value, 0, n)
	for _, list := range lists {
		for piece := range slices.Chunk(list, pieceBytes/itemBytes) {
			if err := c.Tick(len(piece) * itemBytes); err != nil {
				return nil, err
			}
			out = append(out, piece...)
		}
	}
	return out, nil
}

// add takes a value, and says whether it takes another.
func (i *items) add(v types.Value) bool {
	if i.err == nil {
		i.err = i.c.grow(itemBytes)
	}
	if i.err == nil {
		i.list.add(v)
	}
	return i.err == nil
}
