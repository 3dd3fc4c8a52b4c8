package query

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"zproxy/types/form"
	"zproxy/types/textsearch/vector"
)

// What a node of the binary form begins with.
const (
	wordItem     = 1
	operatorItem = 2
)

// AppendBinary appends the binary form of a tsquery: the number of nodes, and each before its right and its left side.
func AppendBinary(dst, held []byte) []byte {
	return Decode(held).appendBinary(binary.BigEndian.AppendUint32(dst, uint32(Size(held))))
}

func (n *Node) appendBinary(dst []byte) []byte {
	switch {
	case n == nil:
		return dst
	case n.Op == Word:
		prefix := byte(0)
		if n.Prefix {
			prefix = 1
		}
		return append(append(append(dst, wordItem, n.Weights, prefix), n.Lexeme...), 0)
	}
	dst = append(dst, operatorItem, byte(n.Op))
	if n.Op == Phrase {
		dst = binary.BigEndian.AppendUint16(dst, uint16(n.Distance))
	}
	return n.Left.appendBinary(n.Right.appendBinary(dst))
}

// ParseBinary reads the binary form of a tsquery.
func ParseBinary(p []byte) ([]byte, error) {
	if len(p) < 4 {
		return nil, form.TooShort()
	}
	size := binary.BigEndian.Uint32(p)
	if size > maxSize/itemSize {
		return nil, form.InvalidBinary("invalid size of tsquery")
	}
	r := receiver{rest: p[4:], left: int(size)}
	var n *Node
	if size > 0 {
		var err error
		if n, err = r.node(0); err != nil {
			return nil, err
		}
	}
	if r.left > 0 {
		return nil, form.InvalidBinary("malformed tsquery: extra nodes")
	}
	if err := form.CheckLength(r.rest, 0); err != nil {
		return nil, err
	}
	return Encode(n), n.check()
}

type receiver struct {
	rest []byte
	left int // nodes that are to come
}

func (r *receiver) take(n int) ([]byte, error) {
	if len(r.rest) < n {
		return nil, form.TooShort()
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out, nil
}

func (r *receiver) node(depth int) (*Node, error) {
	if err := form.CheckNesting(depth); err != nil {
		return nil, err
	}
	if r.left--; r.left < 0 {
		return nil, form.InvalidBinary("malformed tsquery: operator not found")
	}
	kind, err := r.take(1)
	switch {
	case err != nil:
		return nil, err
	case kind[0] == wordItem:
		return r.word()
	case kind[0] == operatorItem:
		return r.operator(depth)
	}
	return nil, form.InvalidBinary("unrecognized tsquery node type: " + strconv.Itoa(int(kind[0])))
}

func (r *receiver) word() (*Node, error) {
	flags, err := r.take(2)
	if err != nil {
		return nil, err
	}
	end := bytes.IndexByte(r.rest, 0)
	switch {
	case end < 0:
		return nil, form.Unended()
	case flags[0] > 0xF:
		return nil, form.InvalidBinary("invalid tsquery: invalid weight bitmap")
	case end > vector.MaxLexeme:
		return nil, form.InvalidBinary("invalid tsquery: operand too long")
	}
	lexeme := string(r.rest[:end])
	r.rest = r.rest[end+1:]
	return NewWord(lexeme, flags[0], flags[1] != 0), form.CheckUTF8(lexeme)
}

func (r *receiver) operator(depth int) (*Node, error) {
	code, err := r.take(1)
	if err != nil {
		return nil, err
	}
	op := Op(code[0])
	if op < Not || op > Phrase {
		return nil, form.InvalidBinary("invalid tsquery: unrecognized operator type " + strconv.Itoa(int(op)))
	}
	distance := 0
	if op == Phrase {
		p, err := r.take(2)
		if err != nil {
			return nil, err
		}
		distance = int(binary.BigEndian.Uint16(p))
	}
	right, err := r.node(depth + 1)
	if err != nil {
		return nil, err
	}
	if op == Not {
		return NewNot(right), nil
	}
	left, err := r.node(depth + 1)
	if err != nil {
		return nil, err
	}
	return Join(op, left, right, distance), nil
}
