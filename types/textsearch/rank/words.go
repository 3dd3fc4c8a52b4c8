package rank

import (
	"cmp"
	"math"
	"slices"

	"zproxy/types/textsearch/query"
	"zproxy/types/textsearch/vector"
)

// distinctWords are the words of a query in order, each lexeme once.
func distinctWords(n *query.Node) (all []*query.Node) {
	n.Words(func(w *query.Node) { all = append(all, w) })
	slices.SortStableFunc(all, func(a, b *query.Node) int { return cmp.Compare(a.Lexeme, b.Lexeme) })
	return slices.CompactFunc(all, func(a, b *query.Node) bool { return a.Lexeme == b.Lexeme })
}

// standing is where a lexeme stands; without says that the document has no positions of it.
type standing struct {
	at      []vector.Position
	without bool
}

// distances is 1 - the product of (1 - how near each other two positions of different words are); -1: there are no two.
func distances(w *Weights, v vector.Vector, words []*query.Node) float32 {
	rank := float32(-1)
	last := make([]standing, len(words))
	for i, word := range words {
		for _, e := range query.Lexemes(v).Meant(word) {
			last[i] = standing{at: e.Positions}
			if len(e.Positions) == 0 {
				last[i] = standing{[]vector.Position{vector.At(missing, 0)}, true}
			}
			for _, before := range last[:i] {
				rank = near(w, rank, last[i], before)
			}
		}
	}
	return rank
}

// near adds the pairs of positions of two words to a rank.
func near(w *Weights, rank float32, a, b standing) float32 {
	for _, p := range a.at {
		for _, q := range b.at {
			distance := max(p.Number()-q.Number(), q.Number()-p.Number())
			if distance == 0 {
				if !a.without && !b.without {
					continue
				}
				distance = vector.MaxPosition + 1
			}
			product := float32(float32(w.of(p)*w.of(q)) * collocation(distance))
			pair := float32(math.Sqrt(float64(product)))
			if rank < 0 {
				rank = pair
				continue
			}
			rank = float32(1 - float64((1-float64(rank))*(1-float64(pair))))
		}
	}
	return rank
}

// collocation is how much two words count that stand so far from each other.
func collocation(distance int) float32 {
	if distance > 100 {
		return 1e-30
	}
	return float32(1 / (1.005 + float64(0.05*math.Exp(float64(float32(distance))/1.5-2))))
}

// occurrences is the mean of the words' sums of weights, where the nth position of a lexeme counts 1/n² and the one
// with the largest weight counts whole.
func occurrences(w *Weights, v vector.Vector, words []*query.Node) float32 {
	const allWeights = 1.64493406685 // the sum of all 1/n²
	rank := float32(0)
	for _, word := range words {
		for _, e := range query.Lexemes(v).Meant(word) {
			positions := e.Positions
			if len(positions) == 0 {
				positions = []vector.Position{0}
			}
			sum, largest, at := float32(0), float32(-1), 0
			for i, p := range positions {
				sum += float32(w.of(p) / float32((i+1)*(i+1)))
				if w.of(p) > largest {
					largest, at = w.of(p), i
				}
			}
			one := float32(largest+sum) - float32(largest/float32((at+1)*(at+1)))
			rank = float32(float64(rank) + float64(one)/allWeights)
		}
	}
	return rank / float32(len(words))
}
