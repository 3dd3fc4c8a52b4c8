package part

import (
	"strings"
	"testing"
)

func TestParsePattern(t *testing.T) {
	for _, c := range []struct {
		text, items string
		finest      Unit
		determines  bool
		tells       bool
	}{
		{"DDMONYYYY", "DD MON YYYY", Day, true, true},
		{"yyyy-mm-dd", "YYYY '-' MM '-' DD", Day, true, true},
		{"DD Mon YYYY", "DD ' ' Mon ' ' YYYY", Day, true, true},
		{"DDDYYYY", "DDD YYYY", Day, true, true},
		{"DYYYYY", "DY YYYY", Day, false, false},
		{"MM-DD", "MM '-' DD", Day, false, false},
		{"YYYY年MM月", "YYYY '年' MM '月'", Month, false, true},
		{"YYYY", "YYYY", Year, false, true},
		{"YYYYQ", "YYYY Q", Month, false, false},
		{"Q", "Q", Month, false, false},
		{"IYYY--IW", "IYYY '--' IW", Week, false, true},
		{"IYYY", "IYYY", Week, false, false},
		{"YYYYIW", "YYYY IW", Day, false, false}, // the first week of a year is in two years
		{"MMIW", "MM IW", Day, false, false},
		{"IYYYDY", "IYYY DY", Day, false, false},
		{"hh24:mi", "HH24 ':' MI", Minute, false, false},
		{"YYYYMMDDHH24", "YYYY MM DD HH24", Hour, true, true},
		{"IWHH24", "IW HH24", Hour, false, false},
		{"YYYYMMDDHH24MI", "YYYY MM DD HH24 MI", Minute, true, true},
		{"YYYYMMDDMI", "YYYY MM DD MI", Minute, true, false},
		{"YYYYHH24", "YYYY HH24", Hour, false, false},
		{"monDyD", "mon Dy D", Day, false, false},
	} {
		p, err := parsePattern(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var items []string
		for _, item := range p {
			if item.Field != "" {
				items = append(items, string(item.Field))
				continue
			}
			items = append(items, "'"+item.Literal+"'")
		}
		if got := strings.Join(items, " "); got != c.items {
			t.Errorf("%s: items %s, want %s", c.text, got, c.items)
		}
		if got := p.Finest(); got != c.finest {
			t.Errorf("%s: finest %s, want %s", c.text, got, c.finest)
		}
		if got := p.Determines(); got != c.determines {
			t.Errorf("%s: determines %v, want %v", c.text, got, c.determines)
		}
		if got := p.Tells(); got != c.tells {
			t.Errorf("%s: tells %v, want %v", c.text, got, c.tells)
		}
	}
}

func TestParsePatternRefuses(t *testing.T) {
	for text, what := range map[string]string{
		"":             "has none of YYYY",
		"--":           "has none of YYYY",
		"YY":           `has 'Y', which is not one of YYYY, IYYY, IW, MON`,
		"YYYYY":        "has 'Y'",
		"Month":        "has 't'",
		"DAY":          "has 'A'",
		"FMDD":         "has 'F'",
		"HH":           "has 'H'",
		"HH12":         "has 'H'",
		"SS":           "has 'S'",
		"YYYYTZ":       "has 'T'",
		"20YYYY":       "has '2'",
		`YYYY"T"MM`:    `has '"'`,
		"YYYY\\MM":     `has '\\'`,
		"YYYY\nMM":     `has '\n'`,
		"DDth":         "has 't'",
		"IDDD":         "has 'I'",
		"YyYY":         "has 'Y'",
		"YYYY-MM-DDAD": "has 'A'",
	} {
		if p, err := parsePattern(text); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v %v, want an error with %s", text, p, err, what)
		}
	}
}
