// Package rank says how well a document answers a query of text search: by how often its words stand in the document
// (ByWords), or by how short the parts of the document are that answer the whole query (ByCovers; Clarke, Cormack and
// Tudhope, "Relevance Ranking for One to Three Term Queries", 1999). The numbers are PostgreSQL's to the last bit, so
// sums are rounded to float32 where PostgreSQL does it. A rank does not depend on other documents. Begin with ByWords.
package rank

import (
	"math"

	"zproxy/sqlerr"
	"zproxy/types/textsearch/query"
	"zproxy/types/textsearch/vector"
)

// Weights say how much a position counts, by its weight: D, C, B and A.
type Weights [4]float32

// DefaultWeights count where none are given.
func DefaultWeights() Weights { return Weights{0.1, 0.2, 0.4, 1} }

// MakeWeights reads weights; a negative one is the default.
func MakeWeights(given [4]float32) (Weights, error) {
	out := DefaultWeights()
	for i, w := range given {
		if w >= 0 {
			out[i] = w
		}
		if out[i] > 1 {
			return out, sqlerr.New(sqlerr.InvalidParameterValue, "weight out of range")
		}
	}
	return out, nil
}

func (w *Weights) of(p vector.Position) float32 { return w[p.Weight()] }

// Method is a set of what a rank is divided by.
type Method int

// The bits of a Method.
const (
	ByLogLength  Method = 1 << iota // 1 + the logarithm of the number of words of the document
	ByLength                        // that number
	ByDistance                      // the mean distance of covers; of ByCovers alone
	ByLexemes                       // the number of different lexemes
	ByLogLexemes                    // 1 + its logarithm
	ByItself                        // the rank plus one
)

// length is the number of words of a document.
func length(v vector.Vector) (n int) {
	for _, e := range v {
		n += max(1, len(e.Positions))
	}
	return n
}

// log2Above is the logarithm of a number plus one.
func log2Above(n int) float64 { return math.Log(float64(n+1)) / math.Log(2) }

// missing is where a lexeme stands that has no positions.
const missing = vector.MaxPosition - 1

// ByWords ranks by the words of a document: by their distances from each other where the query wants several, otherwise
// by how often each of them stands there.
func ByWords(w Weights, v vector.Vector, n *query.Node, m Method) float32 {
	if len(v) == 0 || n == nil {
		return 0
	}
	words := distinctWords(n)
	rank := float32(0)
	if (n.Op == query.And || n.Op == query.Phrase) && len(words) > 1 {
		rank = distances(&w, v, words)
	} else {
		rank = occurrences(&w, v, words)
	}
	if rank < 0 {
		rank = 1e-20
	}
	if m&ByLogLength != 0 {
		rank = float32(float64(rank) / log2Above(length(v)))
	}
	if m&ByLength != 0 {
		rank /= float32(length(v))
	}
	if m&ByLexemes != 0 {
		rank /= float32(len(v))
	}
	if m&ByLogLexemes != 0 {
		rank = float32(float64(rank) / log2Above(len(v)))
	}
	if m&ByItself != 0 {
		rank /= rank + 1
	}
	return rank
}
