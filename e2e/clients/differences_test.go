package clients

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// unexplained is the reason of a difference that was not looked at yet.
const unexplained = "to be mended"

// differences is the file of this name: for each program the hunks in which the two outputs
// differ, with the reason. A part of it begins with a line "program: reason", and its hunks follow,
// each behind an empty line: what PostgreSQL makes the program print behind "-", and zproxy behind "+".
type differences struct {
	reasons []*reason
	seen    map[string][]string // the hunks found, by program, in order
}

type reason struct {
	program, why string
	hunks        []string
}

const differencesFile = "differences"

func readDifferences(t *testing.T) *differences {
	t.Helper()
	text, err := os.ReadFile(differencesFile)
	if err != nil {
		t.Fatal(err)
	}
	d := &differences{seen: map[string][]string{}}
	for block := range strings.SplitSeq(strings.TrimRight(string(text), "\n"), "\n\n") {
		block += "\n"
		switch {
		case strings.HasPrefix(block, "#"):
		case strings.HasPrefix(block, "-"), strings.HasPrefix(block, "+"):
			if len(d.reasons) == 0 {
				t.Fatalf("%s begins without a reason", differencesFile)
			}
			last := d.reasons[len(d.reasons)-1]
			last.hunks = append(last.hunks, block)
		default:
			program, why, ok := strings.Cut(strings.TrimSpace(block), ": ")
			if !ok {
				t.Fatalf("%s: not a reason: %s", differencesFile, block)
			}
			d.reasons = append(d.reasons, &reason{program: program, why: why})
		}
	}
	return d
}

// compare wants two outputs to differ in the places that are listed, and in all of them.
func (d *differences) compare(t *testing.T, program, ours, theirs string) {
	t.Helper()
	found := hunks(strings.SplitAfter(theirs, "\n"), strings.SplitAfter(ours, "\n"))
	d.seen[program] = found
	if *rewrite {
		return
	}
	for _, p := range found {
		if !slices.ContainsFunc(d.reasons,
			func(r *reason) bool { return r.program == program && slices.Contains(r.hunks, p) }) {
			t.Errorf("differs from PostgreSQL (-rewrite lists it, if that is meant):\n%s", p)
		}
	}
	for _, r := range d.reasons {
		for _, p := range r.hunks {
			switch {
			case r.program != program || slices.Contains(found, p):
			case r.why == unexplained:
				t.Logf("mended:\n%s", p)
			default:
				t.Errorf("is listed as a difference, and is none any more (%s):\n%s", r.why, p)
			}
		}
	}
}

// write lists what was found. Reasons stay with the hunks that they were given to.
func (d *differences) write(t *testing.T) {
	t.Helper()
	for program, found := range d.seen {
		left := slices.Clone(found)
		for _, r := range d.reasons {
			if r.program == program {
				r.hunks = slices.DeleteFunc(r.hunks, func(p string) bool { return !slices.Contains(found, p) })
				left = slices.DeleteFunc(left, func(p string) bool { return slices.Contains(r.hunks, p) })
			}
		}
		if len(left) == 0 {
			continue
		}
		at := slices.IndexFunc(d.reasons, func(r *reason) bool { return r.program == program && r.why == unexplained })
		if at < 0 {
			at = len(d.reasons)
			d.reasons = append(d.reasons, &reason{program: program, why: unexplained})
		}
		d.reasons[at].hunks = append(d.reasons[at].hunks, unique(left)...)
	}
	slices.SortStableFunc(d.reasons, func(a, b *reason) int { return strings.Compare(a.program, b.program) })
	var out strings.Builder
	out.WriteString(head)
	for _, r := range d.reasons {
		if len(r.hunks) > 0 {
			fmt.Fprintf(&out, "\n%s: %s\n\n%s", r.program, r.why, strings.Join(r.hunks, "\n"))
		}
	}
	if err := os.WriteFile(differencesFile, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

const head = `# Where a program prints something else with zproxy (+) than with PostgreSQL 15 (-), and why.
# go test ./e2e/clients -rewrite writes the places; the reasons are written by hand.
`

func unique(texts []string) []string {
	var out []string
	for _, p := range texts {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// hunks are the runs of lines that are not common to two texts, of the shortest such list.
func hunks(theirs, ours []string) []string {
	common := commonTails(theirs, ours)
	var out []string
	var minus, plus strings.Builder
	end := func() {
		if minus.Len()+plus.Len() > 0 {
			out = append(out, minus.String()+plus.String())
		}
		minus.Reset()
		plus.Reset()
	}
	i, j := 0, 0
	for i < len(theirs) || j < len(ours) {
		switch {
		case i < len(theirs) && j < len(ours) && theirs[i] == ours[j]:
			end()
			i, j = i+1, j+1
		case j == len(ours) || i < len(theirs) && common[i+1][j] >= common[i][j+1]:
			minus.WriteString("-" + line(theirs[i]))
			i++
		default:
			plus.WriteString("+" + line(ours[j]))
			j++
		}
	}
	end()
	return out
}

// line ends a line, and has no spaces at its end: editors take them away.
func line(s string) string { return strings.TrimRight(s, " \n") + "\n" }

// commonTails says how many lines any two tails of two texts have in common, in order.
func commonTails(a, b []string) [][]int32 {
	out := make([][]int32, len(a)+1)
	for i := range out {
		out[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				out[i][j] = out[i+1][j+1] + 1
			} else {
				out[i][j] = max(out[i+1][j], out[i][j+1])
			}
		}
	}
	return out
}
