package tariff

import "testing"

// TestSum adds up commits of one request, with writes of all kinds, and by intents.
func TestSum(t *testing.T) {
	small, large := Write{Times: 1, Bytes: 100}, Write{Times: 2, Bytes: 100, Over: 2000}
	for _, c := range []struct {
		name   string
		writes []Write
		want   float64
	}{
		{"one", []Write{small}, 1},
		{"one over a larger one", []Write{{Times: 1, Bytes: 100, Over: 2000}}, 2},
		{"two together", []Write{large}, 8},
		{"apart", []Write{small, {Times: 1, Bytes: 100, Kind: Separate}}, 2},
		{"with an index of the store", []Write{{Times: 2, Bytes: 100}, {Times: 2, Bytes: 1500, Kind: Follows}}, 12},
		{"into a new table", []Write{{Times: 5, Bytes: 600, Kind: Fills}}, 10},
		{"by intents", []Write{{Times: 5, Bytes: 600, Over: 600}}, 2*5*2 + RecordWrites + 1},
		{"by intents with an index", []Write{{Times: 5, Bytes: 1}, {Times: 5, Bytes: 1, Kind: Follows}},
			2*5 + 5 + RecordWrites + 1},
	} {
		s := Sum{Most: 4}
		for _, w := range c.writes {
			s.Add(w)
		}
		if got := s.Units(); got != c.want {
			t.Errorf("%s: %v units, want %v", c.name, got, c.want)
		}
	}
}
