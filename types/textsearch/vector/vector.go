// Package vector holds tsvectors: the lexemes of a document in order, with the positions at which they stand in it and
// the weights of those. A Vector is the list in memory; a value of SQL is the bytes that Encode makes, which sort as
// PostgreSQL orders tsvectors. The text and binary forms are here, too, and what makes one vector of others. Begin with
// Vector and Encode.
package vector

import (
	"cmp"
	"slices"
	"strings"

	"zproxy/sqlerr"
)

// Limits of PostgreSQL.
const (
	// MaxLexeme is the length of the longest lexeme in bytes.
	MaxLexeme = 1<<11 - 2
	// MaxPosition is the last position; what stands behind it is taken to stand there.
	MaxPosition = 1<<14 - 1

	maxText      = 1<<20 - 1 // bytes of all lexemes with their positions
	maxPositions = 256       // of one lexeme
)

// Position is where a lexeme stands, counted from 1, and its weight above that: 0 is D, 3 is A.
type Position uint16

const weightShift = 14

// At is a position with a weight.
func At(n, weight int) Position { return Position(min(n, MaxPosition) | weight<<weightShift) }

// Number is the position alone.
func (p Position) Number() int { return int(p & MaxPosition) }

// Weight is the weight alone.
func (p Position) Weight() int { return int(p >> weightShift) }

// Entry is a lexeme and its positions, of which there may be none.
type Entry struct {
	Lexeme    string
	Positions []Position
}

// Vector is the entries in the order of their lexemes, each lexeme once.
type Vector []Entry

// Make is the vector of entries in any order. Equal lexemes become one with the positions of all.
func Make(entries []Entry) (Vector, error) {
	slices.SortStableFunc(entries, func(a, b Entry) int { return strings.Compare(a.Lexeme, b.Lexeme) })
	var out Vector
	for _, e := range entries {
		if n := len(out); n > 0 && out[n-1].Lexeme == e.Lexeme {
			out[n-1].Positions = append(out[n-1].Positions, e.Positions...)
			continue
		}
		out = append(out, Entry{e.Lexeme, slices.Clone(e.Positions)})
	}
	for i := range out {
		out[i].Positions = distinct(out[i].Positions)
	}
	return out, out.Check()
}

// Check refuses a vector that is too large.
func (v Vector) Check() error {
	if n := v.textSize(); n > maxText {
		return tooLong(n)
	}
	return nil
}

func tooLong(n int) error {
	return sqlerr.New(sqlerr.ProgramLimitExceeded,
		"string is too long for tsvector (%d bytes, max %d bytes)", n, maxText)
}

// distinct sorts positions. Of equal ones the largest weight stays. There are at most as many as a lexeme may have.
func distinct(all []Position) []Position {
	if len(all) < 2 {
		return all
	}
	slices.SortStableFunc(all, func(a, b Position) int { return cmp.Compare(a.Number(), b.Number()) })
	out := all[:1]
	for _, p := range all[1:] {
		last := &out[len(out)-1]
		if p.Number() == last.Number() {
			*last = max(*last, p)
			continue
		}
		if len(out) == maxPositions || last.Number() == MaxPosition {
			break
		}
		out = append(out, p)
	}
	return out
}

// textSize is how many bytes PostgreSQL needs for the lexemes and positions, which begin at even offsets.
func (v Vector) textSize() (n int) {
	for _, e := range v {
		n += len(e.Lexeme)
		if len(e.Positions) > 0 {
			n += n&1 + 2 + 2*len(e.Positions)
		}
	}
	return n
}

// Find is the index of a lexeme, or of the first one behind it.
func (v Vector) Find(lexeme string) (at int, found bool) {
	return slices.BinarySearchFunc(v, lexeme, func(e Entry, s string) int { return strings.Compare(e.Lexeme, s) })
}

// Lexemes are the lexemes of a vector: an inverted index has an entry for each.
func (v Vector) Lexemes() []string {
	out := make([]string, len(v))
	for i, e := range v {
		out[i] = e.Lexeme
	}
	return out
}
