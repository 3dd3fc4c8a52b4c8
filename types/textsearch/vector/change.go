package vector

import (
	"slices"
	"strings"
)

// Strip is a vector without positions.
func (v Vector) Strip() Vector {
	out := make(Vector, len(v))
	for i, e := range v {
		out[i].Lexeme = e.Lexeme
	}
	return out
}

// Weigh gives a weight to the positions of lexemes.
func (v Vector) Weigh(weight int, wanted func(lexeme string) bool) Vector {
	out := slices.Clone(v)
	for i, e := range v {
		if !wanted(e.Lexeme) {
			continue
		}
		out[i].Positions = make([]Position, len(e.Positions))
		for k, p := range e.Positions {
			out[i].Positions[k] = At(p.Number(), weight)
		}
	}
	return out
}

// Filter keeps the positions with weights of a set, a bit for each, and the lexemes that have some.
func (v Vector) Filter(weights uint8) (out Vector) {
	for _, e := range v {
		unwanted := func(p Position) bool { return weights&(1<<p.Weight()) == 0 }
		kept := slices.DeleteFunc(slices.Clone(e.Positions), unwanted)
		if len(kept) > 0 {
			out = append(out, Entry{e.Lexeme, kept})
		}
	}
	return out
}

// Concat is the lexemes of two documents of which the second one stands behind the first one.
func (v Vector) Concat(next Vector) (Vector, error) {
	last := 0
	for _, e := range v {
		if n := len(e.Positions); n > 0 {
			last = max(last, e.Positions[n-1].Number())
		}
	}
	var out Vector
	for len(v) > 0 || len(next) > 0 {
		switch order := compareFirst(v, next); {
		case order < 0:
			out, v = append(out, v[0]), v[1:]
		case order > 0:
			out, next = append(out, Entry{next[0].Lexeme, moved(nil, next[0].Positions, last)}), next[1:]
		default:
			out = append(out, Entry{v[0].Lexeme, moved(slices.Clone(v[0].Positions), next[0].Positions, last)})
			v, next = v[1:], next[1:]
		}
	}
	return out, out.Check()
}

// compareFirst compares the first lexemes; that of an empty vector comes last.
func compareFirst(a, b Vector) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	}
	return strings.Compare(a[0].Lexeme, b[0].Lexeme)
}

// moved appends positions that are moved, as many as a lexeme may have. Of those that end at the last position one
// stays.
func moved(to, positions []Position, by int) []Position {
	for _, p := range positions {
		if n := len(to); n >= maxPositions || n > 0 && to[n-1].Number() == MaxPosition {
			break
		}
		to = append(to, At(p.Number()+by, p.Weight()))
	}
	return to
}
