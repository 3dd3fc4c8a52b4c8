package cells

import (
	"encoding/binary"
	"errors"
	"slices"

	"zproxy/encoding/rows"
)

// The bits of the first byte of a state: what comes before the newest cells.
const (
	hasDeleted = 1 << iota
	hasOlder
)

// Append encodes a state: the delete, the older versions behind their number, then groups of columns of one time. Equal
// states have equal bytes.
func (s *State) Append(p []byte) []byte {
	head := len(p)
	p = append(p, 0)
	if s.Deleted != Never {
		p[head] |= hasDeleted
		p = binary.AppendVarint(p, int64(s.Deleted))
	}
	if len(s.Older) > 0 {
		p[head] |= hasOlder
		p = binary.AppendUvarint(p, uint64(len(s.Older)))
		for _, v := range s.Older {
			p = binary.AppendVarint(binary.AppendUvarint(p, uint64(v.Column)), int64(v.At))
			p = rows.AppendValue(p, v.Value)
		}
	}
	for i, c := range s.Cells {
		if slices.ContainsFunc(s.Cells[:i], func(o Cell) bool { return o.At == c.At }) {
			continue
		}
		p = binary.AppendVarint(p, int64(c.At))
		count := len(p)
		p = append(p, 0, 0)
		n := uint16(0)
		for _, o := range s.Cells[i:] {
			if o.At == c.At {
				p = binary.AppendUvarint(p, uint64(o.Column))
				n++
			}
		}
		binary.BigEndian.PutUint16(p[count:], n)
	}
	return p
}

var errState = errors.New("the timestamps of a row cannot be read")

// Decode reads a state.
func Decode(p []byte) (State, error) {
	s := New()
	if len(p) == 0 || p[0]&^(hasDeleted|hasOlder) != 0 {
		return s, errState
	}
	r := reader{p: p[1:]}
	if p[0]&hasDeleted != 0 {
		s.Deleted = r.time()
	}
	if p[0]&hasOlder != 0 {
		s.Older = r.versions()
	}
	for len(r.p) > 0 && !r.bad {
		at := r.time()
		for count := r.count(); count > 0 && !r.bad; count-- {
			s.Cells = append(s.Cells, Cell{r.column(), at})
		}
	}
	if r.bad {
		return New(), errState
	}
	slices.SortFunc(s.Cells, func(a, b Cell) int { return int(a.Column) - int(b.Column) })
	return s, nil
}

// reader reads the parts of a state, until one is bad.
type reader struct {
	p   []byte
	bad bool
}

// pass goes on behind so many bytes, which are not positive where nothing could be read.
func (r *reader) pass(n int) {
	if r.bad = r.bad || n <= 0 || n > len(r.p); !r.bad {
		r.p = r.p[n:]
	}
}

func (r *reader) time() Time {
	at, n := binary.Varint(r.p)
	r.pass(n)
	return Time(at)
}

func (r *reader) column() uint32 { return uint32(r.number()) }

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.p)
	r.pass(n)
	return v
}

// count is how many columns of one time follow.
func (r *reader) count() int {
	n := 0
	if len(r.p) >= 2 {
		n = int(binary.BigEndian.Uint16(r.p))
	}
	r.pass(2)
	return n
}

// versions are the older ones, behind their number.
func (r *reader) versions() []Version {
	var out []Version
	var values rows.Decoder
	for n := r.number(); n > 0 && !r.bad; n-- {
		v := Version{Cell: Cell{r.column(), r.time()}}
		var err error
		if v.Value, r.p, err = values.ReadValue(r.p); err != nil {
			r.bad = true
		}
		out = append(out, v)
	}
	return out
}
