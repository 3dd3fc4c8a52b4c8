package types

import (
	"math/rand/v2"
	"strings"

	"zproxy/types/textsearch/query"
	"zproxy/types/textsearch/vector"
)

// randomVector is a tsvector of a few lexemes.
func randomVector(r *rand.Rand) []byte {
	var entries []vector.Entry
	for range r.IntN(5) {
		e := vector.Entry{Lexeme: strings.Repeat(string(rune('a'+r.IntN(3))), 1+r.IntN(3))}
		for range r.IntN(3) {
			e.Positions = append(e.Positions, vector.At(1+r.IntN(20), r.IntN(4)))
		}
		entries = append(entries, e)
	}
	v, err := vector.Make(entries)
	if err != nil {
		panic(err)
	}
	return vector.Encode(v)
}

// randomTSQuery is a query as its text reads, which groups a & b & c in its own way.
func randomTSQuery(r *rand.Rand) []byte {
	held, err := query.Parse(randomQuery(r, 3).String())
	if err != nil {
		panic(err)
	}
	return held
}

func randomQuery(r *rand.Rand, depth int) *query.Node {
	switch op := query.Op(r.IntN(5)); {
	case depth == 0 || op == query.Word:
		return query.NewWord(string(rune('a'+r.IntN(3))), uint8(r.IntN(16)), r.IntN(2) == 0)
	case op == query.Not:
		return query.NewNot(randomQuery(r, depth-1))
	case op == query.Phrase:
		return query.Join(op, randomQuery(r, depth-1), randomQuery(r, depth-1), r.IntN(3))
	default:
		return query.Join(op, randomQuery(r, depth-1), randomQuery(r, depth-1), 0)
	}
}
