package vector

import (
	"bytes"
	"encoding/binary"
)

// The bytes of a vector begin with the size that it has in PostgreSQL and the number of its entries, by which vectors
// are compared first. The entries follow: whether there are positions, the lexeme up to a zero byte, and the number
// and the list of the positions, both inverted, since larger ones come first.
const (
	headerSize = 8 // of the bytes, and what PostgreSQL adds to the sizes of all entries
	entrySize  = 4 // what PostgreSQL adds to the size of each

	positioned = 0
	bare       = 1
)

// Encode makes bytes of a vector, which are in order as vectors are.
func Encode(v Vector) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(headerSize+entrySize*len(v)+v.textSize()))
	out = binary.BigEndian.AppendUint32(out, uint32(len(v)))
	for _, e := range v {
		if len(e.Positions) == 0 {
			out = append(append(append(out, bare), e.Lexeme...), 0)
			continue
		}
		out = append(append(append(out, positioned), e.Lexeme...), 0)
		out = binary.BigEndian.AppendUint16(out, ^uint16(len(e.Positions)))
		for _, p := range e.Positions {
			out = binary.BigEndian.AppendUint16(out, ^uint16(p.Number()<<2|p.Weight()))
		}
	}
	return out
}

// Size is how many entries a vector has, as bytes.
func Size(held []byte) int { return int(binary.BigEndian.Uint32(held[4:])) }

// Decode is the vector that Encode made bytes of. The lexemes are copies.
func Decode(held []byte) Vector {
	out := make(Vector, Size(held))
	rest := held[headerSize:]
	for i := range out {
		hasPositions := rest[0] == positioned
		end := bytes.IndexByte(rest[1:], 0) + 1
		out[i].Lexeme = string(rest[1:end])
		rest = rest[end+1:]
		if !hasPositions {
			continue
		}
		out[i].Positions = make([]Position, ^binary.BigEndian.Uint16(rest))
		rest = rest[2:]
		for k := range out[i].Positions {
			p := ^binary.BigEndian.Uint16(rest[2*k:])
			out[i].Positions[k] = At(int(p>>2), int(p&3))
		}
		rest = rest[2*len(out[i].Positions):]
	}
	return out
}
