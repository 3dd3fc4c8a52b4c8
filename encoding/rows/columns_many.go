package rows

import (
	"fmt"

	"zproxy/types"
)

// Rows of one shape are read step by step: each step for all rows before the next one. Where a field begins depends on
// the one before, but not on other rows, so that the processor works at several of them at once. First all rows are
// walked, to know where their fields are and how many have the shape; then what has to be set in order is read.

// mostWalked is how many rows are walked at once: what is noted of them stays in the cache next to the processor.
const (
	mostWalked = 128
	rowMask    = mostWalked - 1
)

// walk is what is noted while rows are walked.
type walk struct {
	most     int                 // how many rows to try next
	ends     [mostWalked]int32   // of what has been passed of each row
	payloads [][mostWalked]int32 // of each step, where the payload of its field begins in each row
}

// AppendAll is Append for some rows, for which the batch has room.
func (d *Decoder) AppendAll(b *types.Batch, values [][]byte) error {
	at := b.Len()
	b.Grow(len(values))
	return d.SetAll(b, at, values)
}

// SetAll is Set for rows one behind the other.
func (d *Decoder) SetAll(b *types.Batch, at int, values [][]byte) error {
	if d.walk == nil {
		d.walk = &walk{most: 1}
	}
	for len(values) > 0 {
		n := 0
		if try := min(len(values), d.walk.most); d.shape.steps != nil {
			var err error
			if n, err = d.setByShape(at, values[:try]); err != nil {
				return err
			}
			if n == try {
				d.walk.most = min(2*d.walk.most, mostWalked)
			} else {
				d.walk.most = max(d.walk.most/2, 1) // what is walked behind a row of another shape is walked again
			}
		}
		if n == 0 {
			if err := d.Set(b, at, values[0]); err != nil {
				return err
			}
			n = 1
		}
		at, values = at+n, values[n:]
	}
	return nil
}

// setByShape sets rows as long as they have the shape, and says how many.
func (d *Decoder) setByShape(at int, values [][]byte) (int, error) {
	w := d.walk
	for r, p := range values {
		if len(p) == 0 || p[0] != version {
			values = values[:r]
			break
		}
		w.ends[r] = 1
	}
	for len(w.payloads) < len(d.shape.steps) {
		w.payloads = append(w.payloads, [mostWalked]int32{})
	}
	for i := range d.shape.steps {
		if values = values[:d.pass(i, at, values)]; len(values) == 0 {
			return 0, nil
		}
	}
	for i := range d.shape.steps {
		if err := d.setField(&d.shape.steps[i], at, values, &w.payloads[i]); err != nil {
			return 0, err
		}
	}
	return len(values), nil
}

// pass walks over the field of a step, and says how many rows have it. Plain values are read on the way: those of rows
// that are set again are set to the same.
func (d *Decoder) pass(i int, at int, values [][]byte) int {
	s, w := &d.shape.steps[i], d.walk
	switch s.do {
	case copyTarget, setMissing:
		return len(values)
	case atEnd:
		for r, p := range values {
			if int(w.ends[r&rowMask]) != len(p) {
				return r
			}
		}
		return len(values)
	case passVarint:
		return passVarints(s.header, values, &w.ends)
	case passText, readText:
		return passTexts(s.header, values, &w.ends, &w.payloads[i])
	case passNumeric:
		return passNumerics(s.header, values, &w.ends)
	case readInt, readDate:
		if v := d.vectors[s.target]; v.Kind != types.KindNull {
			return readVarints(s.header, values, &w.ends, v.Ints[at:])
		}
	case readNumeric:
		if v := d.vectors[s.target]; v.Kind != types.KindNull {
			return d.readNumerics(s, at, values)
		}
	}
	return passOthers(s, values, &w.ends, &w.payloads[i])
}

func passVarints(header byte, values [][]byte, ends *[mostWalked]int32) int {
	for r, p := range values {
		at := int(ends[r&rowMask])
		if at >= len(p) || p[at] != header {
			return r
		}
		n := passedVarint(p, at+1)
		if n < 0 {
			return r
		}
		ends[r&rowMask] = int32(at + 1 + n)
	}
	return len(values)
}

func readVarints(header byte, values [][]byte, ends *[mostWalked]int32, ints []int64) int {
	for r, p := range values {
		at := int(ends[r&rowMask])
		if at >= len(p) || p[at] != header {
			return r
		}
		w, n := longUvarint(p[at+1:])
		if n < 0 {
			return r
		}
		ints[r], ends[r&rowMask] = unzigzag(w), int32(at+1+n)
	}
	return len(values)
}

func passTexts(header byte, values [][]byte, ends, payloads *[mostWalked]int32) int {
	for r, p := range values {
		at := int(ends[r&rowMask])
		if at+1 >= len(p) || p[at] != header {
			return r
		}
		at++
		n := 1 + int(p[at])
		if n > 0x80 {
			_, n = counted(p[at:])
		}
		if n < 0 || at+n > len(p) {
			return r
		}
		payloads[r&rowMask], ends[r&rowMask] = int32(at), int32(at+n)
	}
	return len(values)
}

func passNumerics(header byte, values [][]byte, ends *[mostWalked]int32) int {
	for r, p := range values {
		at := int(ends[r&rowMask])
		if at >= len(p) || p[at] != header {
			return r
		}
		at++
		n := -1
		if at+2 < len(p) && p[at]&^numericNegative == 0 && p[at+1] < 0x80 {
			n = passedVarint(p, at+2) + 2
		}
		if n < 2 {
			if n = numericLength(p[at:]); n < 0 {
				return r
			}
		}
		ends[r&rowMask] = int32(at + n)
	}
	return len(values)
}

// readNumerics reads numerics until one is of no usual form.
func (d *Decoder) readNumerics(s *step, to int, values [][]byte) int {
	v, ends := d.vectors[s.target], &d.walk.ends
	for r, p := range values {
		at := int(ends[r&rowMask])
		if at >= len(p) || p[at] != s.header {
			return r
		}
		x, n := shortNumeric(p[at+1:])
		if n <= 0 || !v.Scaled(to+r, x.Scale) {
			return r
		}
		v.Ints[to+r], ends[r&rowMask] = x.Coefficient, int32(at+1+n)
	}
	return len(values)
}

func passOthers(s *step, values [][]byte, ends, payloads *[mostWalked]int32) int {
	for r, p := range values {
		at := int(ends[r&rowMask])
		if at >= len(p) || p[at] != s.header {
			return r
		}
		n := s.length(p[at+1:])
		if n < 0 {
			return r
		}
		payloads[r&rowMask], ends[r&rowMask] = int32(at+1), int32(at+1+n)
	}
	return len(values)
}

// setField sets the target of a step in rows of which it was not read on the way.
func (d *Decoder) setField(s *step, at int, values [][]byte, payloads *[mostWalked]int32) error {
	switch s.do {
	case passVarint, passText, passNumeric, passOther, seeHeader, atEnd:
		return nil
	case copyTarget, setMissing:
		for r := range values {
			d.fill(s, at+r)
		}
		return nil
	case readInt, readDate, readNumeric:
		if d.vectors[s.target].Kind != types.KindNull {
			return nil
		}
	}
	for r, p := range values {
		if d.appendField(s, at+r, p[payloads[r&rowMask]:]) < 0 {
			return fmt.Errorf("%w: a column has a value of another form", ErrCorrupt)
		}
	}
	return nil
}

// length is how long the payload of the field is, negative when it is damaged.
func (s *step) length(p []byte) int {
	if s.do == seeHeader {
		return 0
	}
	return skip(s.header&(1<<tagBits-1), p)
}
