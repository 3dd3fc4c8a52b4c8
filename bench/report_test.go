package main

import (
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0}, {[]float64{4}, 4}, {[]float64{9, 1}, 5}, {[]float64{9, 1, 2}, 2},
	} {
		if got := median(c.values); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.values, got, c.want)
		}
	}
}

func TestPercentile(t *testing.T) {
	values := make([]float64, 200)
	for i := range values {
		values[i] = float64(200 - i)
	}
	for p, want := range map[int]float64{0: 1, 1: 2, 50: 100, 99: 198, 100: 200} {
		if got := percentile(values, p); got != want {
			t.Errorf("percentile %d of 1 to 200 is %v, want %v", p, got, want)
		}
	}
	if got := percentile(nil, 99); got != 0 {
		t.Errorf("percentile of nothing is %v", got)
	}
}

func TestThousands(t *testing.T) {
	for value, want := range map[float64]string{0: "0.0", 9.96: "10.0", 100: "100", 1234.5: "1,234", 1e6: "1,000,000"} {
		if got := thousands(value); got != want {
			t.Errorf("%v is written %s, want %s", value, got, want)
		}
	}
}

func TestRatio(t *testing.T) {
	l := line{sides: [2]samples{{20}, {10}}}
	if got := l.ratio(operationsPerSecond); got != 2 {
		t.Errorf("ratio of operations is %v, want 2", got)
	}
	if got := l.ratio(microseconds); got != 0.5 {
		t.Errorf("ratio of times is %v, want 0.5", got)
	}
}

func TestReplaceSection(t *testing.T) {
	document := ""
	for _, step := range []struct{ name, text string }{
		{"point", "## point\n\nold\n"},
		{"points", "## points\n\nother\n"},
		{"point", "## point\n\nnew\n\n"},
	} {
		document = replaceSection(document, step.name, step.text)
	}
	if want := preamble + "\n## point\n\nnew\n\n## points\n\nother\n"; document != want {
		t.Errorf("got\n%s\nwant\n%s", document, want)
	}
}

func TestMarkdown(t *testing.T) {
	b := &bench{sides: [2]*side{{name: "A", dialect: zproxy}, {name: "B", dialect: postgres, version: "15"}}, seed: 3,
		rounds: 2}
	s := &section{unit: microseconds, note: "why", about: []string{"About."}, lines: []line{
		{name: "case", sides: [2]samples{{10, 30}, {2000, 6000}}, note: "because"},
	}}
	got := s.markdown(b, "name", "command")
	for _, want := range []string{
		"## name\n\nAbout.\n\n`command`, ", "seed 3, 2 rounds", "B 15",
		"| case | 20.0 (10.0-30.0) | 4,000 (2,000-6,000) | **200.00** | because |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
