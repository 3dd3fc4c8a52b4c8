package elements

import (
	"fmt"
	"math"
	"testing"

	"zproxy/types"
	"zproxy/types/json"
)

func document(t *testing.T, text string) types.Value {
	t.Helper()
	j, err := json.Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return types.NewJSONB(j)
}

// array is one of numbers, in which those below 0 are NULL.
func array(numbers ...int) types.Value {
	items := make([]types.Value, len(numbers))
	for i, n := range numbers {
		if n >= 0 {
			items[i] = types.NewInt(int64(n))
		}
	}
	return types.NewItems(types.OIDInt4, items)
}

var arrays, _ = types.ArrayOf(types.Int4)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: %g instead of %g", what, got, want)
	}
}

func TestArrays(t *testing.T) {
	s := Collect(arrays, []types.Value{array(1, 1, 2), array(), array(1, -1), array(-1, -1)}, 4)
	near(t, "of 1", s.Share(types.NewInt(1)), 0.5)
	near(t, "of 2", s.Share(types.NewInt(2)), 0.25)
	near(t, "of 3", s.Share(types.NewInt(3)), 0.125) // half a row
	near(t, "with NULL", s.Nulls, 0.5)
	near(t, "how many", s.Mean(), 0.75)
	if len(s.Counts) != pieces || s.Counts[0] != 0 || s.Counts[pieces-1] != 2 {
		t.Errorf("counts are %v", s.Counts)
	}
	if Collect(arrays, nil, 10) != nil {
		t.Error("something is known of nothing")
	}
}

// TestRareElements has one element in half of the arrays, and 5000 others in two each.
func TestRareElements(t *testing.T) {
	var values []types.Value
	for i := range 10_000 {
		values = append(values, array(-1, 10_000*(i%2)+i%5000))
		if i%2 == 0 {
			values[i] = array(7, i%5000+8)
		}
	}
	s := Collect(arrays, values, 1e6)
	if len(s.Common) > mostCommon {
		t.Errorf("%d are listed", len(s.Common))
	}
	near(t, "the common one", s.Share(types.NewInt(7)), 0.5)
	if got := s.Share(types.NewInt(-5)); got < 1e-4 || got > 3e-4 {
		t.Errorf("one of the rest is in %g of the arrays", got)
	}
	if all := s.Others.Distinct + float64(len(s.Common)); all < 4900 || all > 5100 {
		t.Errorf("%g elements", all)
	}
}

func TestDocuments(t *testing.T) {
	var values []types.Value
	for i := range 1000 {
		values = append(values, document(t, fmt.Sprintf(
			`{"id": %d, "kind": "k%d", "at": {"city": "c%d", "none": {}}, "tags": ["t%d", "t%d"]}`, i, i%4, i%10, i%5, i%2)))
	}
	values = append(values, document(t, `["id", "x"]`), document(t, `"x"`))
	of := func(text string) (share float64) {
		s := Collect(types.JSONB, values, 2004)
		share = 1
		for l := range Leaves(document(t, text).JSONB()) {
			share = min(share, s.Part(l))
		}
		return share * float64(len(values))
	}
	for text, want := range map[string]float64{
		`{"kind": "k1"}`: 250, `{"at": {"city": "c3"}}`: 100, `{"tags": ["t4"]}`: 200, `{"tags": ["t1"]}`: 600,
		`{"id": 5}`: 0.5, `{"kind": "other"}`: 0.5, `{"at": {}}`: 1000, `{}`: 1002, `["x"]`: 2, `"x"`: 2, `{"other": 1}`: 0.5,
	} {
		near(t, text, of(text), want)
	}
	s := Collect(types.JSONB, values, 2004)
	near(t, "the key id", s.Share(types.NewText("id"))*1002, 1001)
	near(t, "the text x", s.Share(types.NewText("x"))*1002, 2)
	listed, others := s.Member([]string{"at", "city"})
	if len(listed) != 10 || others.Distinct != 0 {
		t.Errorf("there are %d cities, and %+v", len(listed), others)
	}
	if listed, others = s.Member([]string{"id"}); len(listed) != 0 || others.Distinct != 2000 {
		t.Errorf("there are %d numbers, and %+v", len(listed), others)
	}
}

// TestBudget stops when enough elements were looked at, of values that lie everywhere.
func TestBudget(t *testing.T) {
	var values []types.Value
	for i := range 16_000 {
		numbers := make([]int, 200)
		for j := range numbers {
			numbers[j] = j + 1000*(i/8000)
		}
		values = append(values, array(numbers...))
	}
	s := Collect(arrays, values, 16_000)
	if s.Sampled > 3000 || s.Sampled < 2000 {
		t.Errorf("%d values were looked at", s.Sampled)
	}
	near(t, "of the first half", s.Share(types.NewInt(5)), 0.5)
}

// TestDeepDocument ends in a document that is nested deeper than is looked at.
func TestDeepDocument(t *testing.T) {
	text := "1"
	for range 50 {
		text = `{"a": ` + text + `}`
	}
	s := Collect(types.JSONB, []types.Value{document(t, text)}, 1)
	for l := range Leaves(document(t, text).JSONB()) {
		near(t, "a leaf", s.Part(l), 1)
	}
}
