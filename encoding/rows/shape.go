package rows

import (
	"encoding/binary"
	"math/bits"

	"zproxy/types"
)

// A shape is the fields of a value up to the last one that is wanted, as the headers in
// front of them say. Most rows of a space have one shape, so that the next value is read by
// that of the one before, as long as its headers are the same.
type shape struct {
	steps []step
	tries int // how many more shapes are learned, since learning is dear where each row has another
}

// step is what is done with one field, or with a target that has none.
type step struct {
	header byte // of the field, which is short enough to be one byte
	do     action
	target int32
}

type action uint8

const (
	passVarint action = iota
	passText
	passNumeric
	passOther
	readInt
	readDate // or a timestamp, or a time
	readFloat
	readNumeric
	readText
	readOther
	seeHeader  // the field is behind the last target
	copyTarget // there is another target for the field before
	setMissing // there is no field for the target
	atEnd      // there are no more fields
)

const maxShapes = 8

// add notes a step.
func (s *shape) add(header uint64, do action, target int) {
	if s.steps != nil {
		s.steps = append(s.steps, step{byte(header), do, int32(target)})
	}
	if header >= 0x80 {
		s.steps = nil
	}
}

// begin prepares to learn a shape; nothing is noted after the last try.
func (s *shape) begin() {
	if s.tries--; s.tries < 0 {
		s.steps = nil
		return
	}
	if s.steps = s.steps[:0]; s.steps == nil {
		s.steps = make([]step, 0, 16)
	}
}

func passing(tag byte) action {
	switch {
	case isVarint(tag):
		return passVarint
	case tag == tagText:
		return passText
	case tag == tagNumeric:
		return passNumeric
	}
	return passOther
}

// reading is how a field goes to a target. Only kinds that belong to the tag have an own way.
func reading(tag byte, t *target) action {
	switch {
	case tag == tagInt && t.held == types.KindInt:
		return readInt
	case tag == tagDate && t.held == types.KindDate, tag == tagTimestamp && t.held == types.KindTimestamp,
		tag == tagTime && t.held == types.KindTime:
		return readDate
	case tag == tagFloat && t.held == types.KindFloat:
		return readFloat
	case tag == tagNumeric && t.held == types.KindNumeric:
		return readNumeric
	case tag == tagText && (t.held == types.KindText || t.held == types.KindBpchar):
		return readText
	}
	return readOther
}

// byShape fills a row from a value without its version, and says whether the value has the
// shape and is not damaged. If not, the row is to be filled anew.
func (d *Decoder) byShape(row types.Row, p []byte) bool {
	at := 0
	for i := range d.shape.steps {
		s := &d.shape.steps[i]
		if s.do < copyTarget {
			if at >= len(p) || p[at] != s.header {
				return false
			}
			at++
		}
		n := 0
		switch s.do {
		case passVarint:
			n = passedVarint(p, at)
		case readInt:
			var v int64
			v, n = varint(p[at:])
			row[d.targets[s.target].at] = types.NewInt(v)
		case readFloat:
			if n = 8; len(p)-at < 8 {
				return false
			}
			row[d.targets[s.target].at] = types.NewFloat(float(p[at:]))
		case readDate, readNumeric, readText, readOther:
			n = d.field(row, s.header&(1<<tagBits-1), p[at:], int(s.target))
		case passText, passNumeric, passOther:
			n = skip(s.header&(1<<tagBits-1), p[at:])
		case copyTarget:
			row[d.targets[s.target].at] = row[d.targets[s.target-1].at]
		case setMissing:
			row[d.targets[s.target].at] = d.targets[s.target].missing
		case atEnd:
			if at < len(p) {
				return false
			}
		}
		if n < 0 {
			return false
		}
		at += n
	}
	return true
}

// passedVarint is how long the varint at a place is, negative when it is damaged.
func passedVarint(p []byte, at int) int {
	if len(p)-at >= 8 {
		if last := ^binary.LittleEndian.Uint64(p[at:]) & lastBytes; last != 0 {
			return (bits.TrailingZeros64(last) + 1) / 8
		}
	}
	return varintLength(p[at:])
}
