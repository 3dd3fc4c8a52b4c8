package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDatasets asks of regions around rows that they hold about as many as they should, and the row itself.
func TestDatasets(t *testing.T) {
	const seed, rows = 1, 20_000
	for _, s := range []*dataset{uniform(seed, rows), mixture(seed, rows)} {
		for i, n := range s.least {
			if n < 0 || s.widest[i] < 1 || int64(n)+int64(s.widest[i]) >= domain {
				t.Errorf("%s: attribute %d goes from %d by %d", s.name, i, n, s.widest[i])
			}
		}
		sizes := []int{2000, 200, 20, 2}
		for d := 2; d <= attributes; d++ {
			for i, r := range s.cubes(77, d, sizes) {
				// Only a has equal values.
				if n := s.count(r); n < sizes[i] || n > sizes[i]+rows/100 {
					t.Errorf("%s: %d rows in %d dimensions, want about %d", s.name, n, d, sizes[i])
				}
				if !r.contains(&s.rows[77]) || len(s.inside(r)) != s.count(r) {
					t.Errorf("%s: region %v", s.name, r)
				}
			}
		}
	}
	if !slices.Equal(mixture(seed, rows).rows, mixture(seed, rows).rows) {
		t.Error("the same seed makes other rows")
	}
}

func TestCentred(t *testing.T) {
	s := newDataset("x", "", integers, []point{{0, 0, 0, 0}, {50, 50, 50, 50}, {100, 100, 100, 100}})
	r := s.centred(1, 0, 0.2, 1)
	if want := (region{{50, 50}, {40, 60}, everything, everything}); r != want {
		t.Errorf("region is %v, want %v", r, want)
	}
	if r := s.centred(2, 0.2); r[0] != (interval{90, 100}) {
		t.Errorf("region is %v", r)
	}
	if got := s.where(r); got != "a = '50' AND b BETWEEN '40' AND '60'" {
		t.Errorf("conditions are %s", got)
	}
	where, args := s.parameters(r)
	if where != "a = $1 AND b BETWEEN $2 AND $3" || !slices.Equal(args, []any{int32(50), int32(40), int32(60)}) {
		t.Errorf("conditions are %s with %v", where, args)
	}
}

func TestLeastOf(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		values := make([]float64, 1+random.IntN(50))
		for i := range values {
			values[i] = float64(random.IntN(20))
		}
		n := random.IntN(len(values) + 1)
		want := slices.Sorted(slices.Values(values))[:n]
		if got := slices.Sorted(slices.Values(leastOf(values, n))); !slices.Equal(got, want) {
			t.Fatalf("the %d least of %v are %v", n, values, got)
		}
	}
}

func TestReadFlights(t *testing.T) {
	s, err := readFlights([]byte("10,1,-5,ZRH\n30,61,0,BRN\n20,1500,7,ZRH\n"), 3)
	if err != nil {
		t.Fatal(err)
	}
	if want := []point{{10, 1, -5, 1}, {30, 61, 0, 0}, {20, 1500, 7, 1}}; !slices.Equal(s.rows, want) {
		t.Errorf("rows are %v, want %v", s.rows, want)
	}
	if got := string(s.appendRow(nil, 2)); got != "3\t20\t2001-01-02 01:00:00\t7\tZRH\n" {
		t.Errorf("row is written %q", got)
	}
	if s, err := readFlights([]byte("1,1,1,A\n2,2,2,B\n3,3,3,C\n4,4,4,D\n"), 2); err != nil || s.rows[1][0] != 3 {
		t.Errorf("half of the rows: %v, %v", s, err)
	}
	for _, bad := range []string{"1,2,3", "1,x,3,A"} {
		if _, err := readFlights([]byte(bad), 1); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
