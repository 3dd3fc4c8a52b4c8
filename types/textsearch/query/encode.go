package query

import (
	"bytes"
	"encoding/binary"

	"zproxy/types/checksum"
)

// The bytes of a query begin with the number of its nodes and the size that it has in PostgreSQL. The nodes follow,
// each before its right and then its left side: operators come before words, larger numbers of operators and larger
// checksums of lexemes before smaller ones. A phrase has its distance behind its sides. What does not count when
// queries are compared is at the end: the weights of each word, and whether it is a prefix.
const (
	headerSize = 8  // of the bytes, and what PostgreSQL adds to the size of all nodes
	itemSize   = 12 // the size of a node in PostgreSQL

	operatorMark = 0
	wordMark     = 1
	signBit      = 1 << 31
)

// Encode makes bytes of a query, which are in order as queries are.
func Encode(n *Node) []byte {
	size, text := 0, 0
	if n != nil {
		size, text = n.size, n.text
	}
	out := binary.BigEndian.AppendUint32(nil, uint32(size))
	out = binary.BigEndian.AppendUint32(out, uint32(headerSize+itemSize*size+text))
	out = n.encode(out)
	n.Words(func(w *Node) {
		prefix := byte(0)
		if w.Prefix {
			prefix = 1
		}
		out = append(out, w.Weights, prefix)
	})
	return out
}

func (n *Node) encode(out []byte) []byte {
	if n == nil {
		return out
	}
	if n.Op == Word {
		out = append(out, wordMark)
		out = binary.BigEndian.AppendUint32(out, ^(checksum.Of(n.Lexeme) ^ signBit))
		return append(append(out, n.Lexeme...), 0)
	}
	out = append(out, operatorMark, ^byte(n.Op))
	out = n.Left.encode(n.Right.encode(out))
	if n.Op == Phrase {
		out = binary.BigEndian.AppendUint16(out, ^uint16(n.Distance))
	}
	return out
}

// Size is how many nodes a query has, as bytes.
func Size(held []byte) int { return int(binary.BigEndian.Uint32(held)) }

// Decode is the query that Encode made bytes of.
func Decode(held []byte) *Node {
	if Size(held) == 0 {
		return nil
	}
	d := decoder{rest: held[headerSize:]}
	n := d.node()
	n.Words(func(w *Node) {
		w.Weights, w.Prefix = d.rest[0], d.rest[1] == 1
		d.rest = d.rest[2:]
	})
	return n
}

type decoder struct{ rest []byte }

func (d *decoder) node() *Node {
	if d.rest[0] == wordMark {
		end := bytes.IndexByte(d.rest[5:], 0) + 5
		word := NewWord(string(d.rest[5:end]), 0, false)
		d.rest = d.rest[end+1:]
		return word
	}
	op := Op(^d.rest[1])
	d.rest = d.rest[2:]
	right := d.node()
	if op == Not {
		return NewNot(right)
	}
	left := d.node()
	if op != Phrase {
		return Join(op, left, right, 0)
	}
	distance := ^binary.BigEndian.Uint16(d.rest)
	d.rest = d.rest[2:]
	return Join(op, left, right, int(distance))
}
