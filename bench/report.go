package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// unit says what a sample counts, and so which of two samples is the faster one.
type unit struct {
	name         string
	moreIsFaster bool
}

var (
	operationsPerSecond = unit{"operations/s", true}
	rowsPerSecond       = unit{"rows/s", true}
	microseconds        = unit{"µs", false}
	milliseconds        = unit{"ms", false}
)

// samples holds one number for each round.
type samples []float64

// line compares the sides in one case; side 0 first.
type line struct {
	name  string
	sides [2]samples
	note  string
}

// section is one measurement's part of the results file.
type section struct {
	about   []string // paragraphs above the table
	unit    unit
	columns [2]string // what is compared; empty: the sides
	note    string    // heading of the lines' notes
	lines   []line
	tables  []table // below the lines
}

// median returns the middle of the values, for an even number the mean of the two in the middle.
func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	n := len(s)
	if n == 0 {
		return 0
	}
	return (s[(n-1)/2] + s[n/2]) / 2
}

// percentile returns the value that p percent of the values do not exceed.
func percentile(values []float64, p int) float64 {
	s := slices.Sorted(slices.Values(values))
	if len(s) == 0 {
		return 0
	}
	return s[max(0, (len(s)*p+99)/100-1)]
}

// ratio tells how many times faster side 0 is than side 1.
func (l *line) ratio(u unit) float64 {
	a, b := median(l.sides[0]), median(l.sides[1])
	if u.moreIsFaster {
		return a / b
	}
	return b / a
}

func (s samples) String() string {
	return fmt.Sprintf("%s (%s-%s)", thousands(median(s)), thousands(slices.Min(s)), thousands(slices.Max(s)))
}

// thousands writes a number with a comma between groups of three digits, and with one decimal below a hundred.
func thousands(value float64) string {
	if value < 100 {
		return strconv.FormatFloat(value, 'f', 1, 64)
	}
	digits := strconv.FormatFloat(value, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// markdown writes the section with its heading, as it stands in the results file.
func (s *section) markdown(b *bench, name, command string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "## %s\n\n", name)
	for _, paragraph := range s.about {
		fmt.Fprintf(&out, "%s\n\n", paragraph)
	}
	fmt.Fprintf(&out, "`%s`, %s, seed %d, %d rounds; %s.\n\n", command, time.Now().UTC().Format("2006-01-02 15:04 MST"),
		b.seed, b.rounds, machine(b.sides))
	if len(s.lines) > 0 {
		out.WriteString(s.comparison(b))
	}
	for i := range s.tables {
		if i > 0 || len(s.lines) > 0 {
			out.WriteString("\n")
		}
		out.WriteString(s.tables[i].markdown())
	}
	return out.String()
}

// comparison writes the lines.
func (s *section) comparison(b *bench) string {
	var out strings.Builder
	columns := s.columns
	for i, side := range b.sides {
		columns[i] = fmt.Sprintf("%s, %s: median (min-max)", cmp.Or(columns[i], side.name), s.unit.name)
	}
	fmt.Fprintf(&out, "| case | %s | %s | times faster | %s |\n|---|---|---|---|---|\n", columns[0], columns[1], s.note)
	for i := range s.lines {
		l := &s.lines[i]
		fmt.Fprintf(&out, "| %s | %s | %s | **%.2f** | %s |\n", l.name, l.sides[0], l.sides[1], l.ratio(s.unit), l.note)
	}
	return out.String()
}

// machine describes what the figures depend on.
func machine(sides [2]*side) string {
	parts := []string{fmt.Sprintf("%d cores", runtime.NumCPU())}
	if model := cpuModel(); model != "" {
		parts[0] += " of " + model
	}
	parts = append(parts, runtime.Version())
	for _, s := range sides {
		if s.dialect == postgres {
			parts = append(parts, s.name+" "+s.version)
		}
	}
	return strings.Join(parts, ", ")
}

// cpuModel returns the processor's name where Linux tells it.
func cpuModel() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // absent elsewhere
	for text := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(text, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// preamble opens a new results file.
const preamble = `# zproxy beside PostgreSQL

Written by ` + "`go run ./bench`" + `, section by section. Each round measures one side, then the other; a sample is one round.
"Times faster" compares the medians: above 1, the first side is faster. Client and servers share the machine.
`

// replaceSection returns the document with the section of that name replaced, or added at the end.
func replaceSection(document, name, text string) string {
	if document == "" {
		document = preamble
	}
	const mark = "\n## "
	parts := strings.Split(document, mark)
	body := strings.TrimPrefix(strings.TrimRight(text, "\n")+"\n", "## ")
	for i, part := range parts[1:] {
		if heading, _, _ := strings.Cut(part, "\n"); heading == name {
			parts[i+1] = body
			return strings.Join(parts, mark)
		}
	}
	return strings.Join(append(parts, body), mark)
}
